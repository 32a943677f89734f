/** RFC 8259 and the refusals beyond it. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseStrictJson, StrictJsonError } from '../../src/platform/strictJson.ts';

const parse = (body: string | Uint8Array, depthMax = 32): unknown =>
  parseStrictJson(typeof body === 'string' ? Buffer.from(body) : body, { depthMax });

function refusal(body: string | Uint8Array, depthMax?: number): string {
  try {
    parse(body, depthMax);
  } catch (error) {
    if (error instanceof StrictJsonError) return `${error.reason} ${error.offset}`;
    throw error;
  }
  return 'taken';
}

describe('what is refused, and where', () => {
  test.each([
    ['', 'empty 0'],
    [' \n', 'empty 2'],
    ['{bad', 'syntax 1'],
    ['{"a":1', 'truncated 6'],
    ['{"a"', 'truncated 4'],
    ['{"a":1,}', 'syntax 7'],
    ['[1,]', 'syntax 3'],
    ['[1 2]', 'syntax 3'],
    ['{}{}', 'trailing-data 2'],
    ['nul', 'syntax 0'],
    ['nULL', 'syntax 0'],
    ["{'a':1}", 'syntax 1'],
    ['/*c*/1', 'syntax 0'],
    ['\u00a01', 'syntax 0'],
    ['01', 'trailing-data 1'],
    ['+1', 'syntax 0'],
    ['.5', 'syntax 0'],
    ['1.', 'trailing-data 1'],
    ['-', 'truncated 1'],
    ['1e', 'trailing-data 1'],
    ['0x10', 'trailing-data 1'],
    ['NaN', 'syntax 0'],
    ['Infinity', 'syntax 0'],
    ['"a\nb"', 'syntax 2'],
    ['"a\tb"', 'syntax 2'],
    ['"a\u0000b"', 'nul 2'],
    ['\u0000', 'syntax 0'],
    ['"\\u0000"', 'nul 1'],
    ['"\\x41"', 'syntax 2'],
    ['"\\u12g4"', 'syntax 3'],
    ['"abc', 'truncated 4'],
    ['"abc\\', 'truncated 5'],
    ['"\\ud800"', 'lone-surrogate 0'],
    ['["\\udc00\\ud800"]', 'lone-surrogate 1'],
    ['{"\\ud800":1}', 'lone-surrogate 1'],
    ['{"a":1,"a":2}', 'duplicate-key 7'],
    ['{"a":1,"\\u0061":2}', 'duplicate-key 7'],
    ['{"é":{"a":1,"b":2,"a":3}}', 'duplicate-key 19'],
    ['{"toString":1,"toString":2}', 'duplicate-key 14'],
    ['{"__proto__":{"x":1}}', 'forbidden-key 1'],
    ['{"\\u005f_proto__":{"x":1}}', 'forbidden-key 1'],
    ['9007199254740992', 'number-range 0'],
    ['[-9007199254740993]', 'number-range 1'],
    ['9007199254740993.0', 'number-range 0'],
    ['1e400', 'number-range 0'],
  ])('%j: %s', (body, expected) => {
    expect(refusal(body)).toBe(expected);
  });

  test.each([
    ['a byte-order mark', [0xef, 0xbb, 0xbf, 0x31], 'byte-order-mark 0'],
    ['UTF-16', [0xff, 0xfe, 0x31, 0x00], 'encoding 0'],
    ['a stray continuation byte', [0x22, 0x41, 0x80, 0x22], 'encoding 2'],
    ['an overlong slash', [0x22, 0xc0, 0xaf, 0x22], 'encoding 1'],
    ['an encoded surrogate', [0x22, 0xed, 0xa0, 0x80, 0x22], 'encoding 1'],
    ['past U+10FFFF', [0x22, 0xf4, 0x90, 0x80, 0x80, 0x22], 'encoding 1'],
    ['a character cut at the end', [0x22, 0xe2, 0x82], 'encoding 2'],
  ])('%s: %s', (_name, bytes, expected) => {
    expect(refusal(Uint8Array.from(bytes)).split(' ')[0]).toBe(expected.split(' ')[0]);
  });
});

test('depth counts containers: 32 pass, 33 do not', () => {
  expect(refusal('['.repeat(32) + ']'.repeat(32))).toBe('taken');
  expect(refusal('['.repeat(33) + ']'.repeat(33))).toBe('depth 32');
  expect(refusal(`${'{"a":'.repeat(33)}1${'}'.repeat(33)}`)).toBe('depth 160');
});

test('200,000 levels are refused in under 50 ms', () => {
  const bytes = Buffer.from(`${'[{"a":'.repeat(100_000)}1${'}]'.repeat(100_000)}`);
  // The quickest of a few: another process may have the core meanwhile.
  const times = Array.from({ length: 5 }, () => {
    const startedAt = performance.now();
    expect(refusal(bytes)).toBe('depth 96');
    return performance.now() - startedAt;
  });
  expect(Math.min(...times)).toBeLessThan(50);
});

test('constructor and its like become own members and pollute nothing', () => {
  const value = parse('{"constructor":{"prototype":{"x":1}},"hasOwnProperty":1}');
  expect(Object.hasOwn(value as object, 'constructor')).toBe(true);
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  expect(({} as { x?: unknown }).x).toBeUndefined();
});

test('escapes, white space and integers at the edge are read', () => {
  expect(
    parse(' {"a" :\t[ "\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00😀" ,-0.5e-3, true ]}\r\n'),
  ).toEqual({
    a: ['"\\/\b\f\n\r\té😀😀', -0.0005, true],
  });
  expect(parse('9007199254740991')).toBe(Number.MAX_SAFE_INTEGER);
  expect(parse('1e30')).toBe(1e30);
});

test('whatever JSON.stringify writes is read as JSON.parse reads it', () => {
  const json = fc.json({ maxDepth: 5, noUnicodeString: false });
  fc.assert(
    fc.property(json, (text) => {
      const outcome = refusal(text);
      if (outcome === 'taken') expect(parse(text)).toEqual(JSON.parse(text));
      else expect(outcome).toMatch(/^(nul|lone-surrogate|forbidden-key|number-range) /);
    }),
    { numRuns: 1000 },
  );
});

test('nothing that JSON.parse refuses is taken, whatever is cut, doubled or flipped', () => {
  const body = Buffer.from('{"name":"Ω x","list":[1,2.5e3,null,true],"o":{"k":"\\u00e9"}}');
  for (let at = 0; at < body.length; at++) {
    for (const mutant of [
      body.subarray(0, at),
      Buffer.concat([body.subarray(0, at), body.subarray(at + 1)]),
      Buffer.concat([body.subarray(0, at + 1), body.subarray(at)]),
      Buffer.concat([body.subarray(0, at), Buffer.from('\u0001'), body.subarray(at + 1)]),
    ]) {
      if (refusal(mutant) !== 'taken') continue;
      expect(parse(mutant)).toEqual(JSON.parse(mutant.toString('utf8')));
    }
  }
});

/** RFC 8785 against its vectors and against `canonicalize` from npm. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  CanonicalJsonError,
  canonicalJson,
  canonicalNumber,
  isCanonicalNumber,
} from '../../src/platform/canonicalJson.ts';

const FUZZ_RUNS = Number(process.env.FUZZ_RUNS ?? 2000);
const dataDir = process.env.TEST_DATA_DIR;
if (!dataDir) console.warn('SKIPPED: RFC 8785 vectors, TEST_DATA_DIR is not set');

describe.skipIf(!dataDir)('official vectors', () => {
  const folder = join(dataDir ?? '', 'crypto/jcs');
  const names = dataDir ? readdirSync(join(folder, 'input')) : [];

  test.each(names)('%s is canonical to the byte', (name) => {
    const value: unknown = JSON.parse(readFileSync(join(folder, 'input', name), 'utf8'));
    expect(canonicalJson(value)).toBe(readFileSync(join(folder, 'output', name), 'utf8'));
  });
});

/** The generator of the vectors' README: fixed cases, the smallest normals, then a hash chain. */
function* numbers(fixed: readonly bigint[]): Generator<bigint> {
  yield* fixed;
  for (let n = 0n; n < 2000n; n++) yield 0x0010000000000000n + n;
  for (let block = Buffer.alloc(32); ; ) {
    block = createHash('sha256').update(block).digest();
    for (let at = 0; at < 32; at += 8) {
      const value = block.readDoubleLE(at);
      if (value !== 0 && Number.isFinite(value)) yield block.readBigUInt64LE(at);
    }
  }
}

test.skipIf(!dataDir)(
  'a million generated numbers have the published digests',
  () => {
    const readme = readFileSync(join(dataDir ?? '', 'crypto/jcs/README.md'), 'utf8');
    const fixed = [...readme.matchAll(/0x([0-9a-f]{16})n,/g)].map(([, hex]) => BigInt(`0x${hex}`));
    const published = new Map(
      [...readme.matchAll(/\| ([0-9a-f]{64}) \| (\d+) /g)].map(([, hex, count]) => [
        Number(count),
        hex,
      ]),
    );
    const digest = createHash('sha256');
    const bits = new DataView(new ArrayBuffer(8));
    let count = 0;
    let lines = '';
    for (const value of numbers(fixed)) {
      bits.setBigUint64(0, value);
      lines += `${value.toString(16)},${canonicalNumber(bits.getFloat64(0))}\n`;
      if (++count % 1000 > 0) continue;
      digest.update(lines);
      lines = '';
      const expected = published.get(count);
      if (expected !== undefined) expect(digest.copy().digest('hex')).toBe(expected);
      if (count === 1_000_000) break;
    }
    expect(published.has(count)).toBe(true);
  },
  60_000,
);

describe('numbers', () => {
  // RFC 8785, appendix B: bits of the double, and its text.
  test.each([
    ['0000000000000000', '0'],
    ['8000000000000000', '0'],
    ['0000000000000001', '5e-324'],
    ['8000000000000001', '-5e-324'],
    ['7fefffffffffffff', '1.7976931348623157e+308'],
    ['4340000000000000', '9007199254740992'],
    ['c340000000000000', '-9007199254740992'],
    ['4430000000000000', '295147905179352830000'],
    ['44b52d02c7e14af5', '9.999999999999997e+22'],
    ['44b52d02c7e14af6', '1e+23'],
    ['44b52d02c7e14af7', '1.0000000000000001e+23'],
    ['444b1ae4d6e2ef4e', '999999999999999700000'],
    ['444b1ae4d6e2ef50', '1e+21'],
    ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
    ['3eb0c6f7a0b5ed8d', '0.000001'],
    ['41b3de4355555553', '333333333.3333332'],
    ['becbf647612f3696', '-0.0000033333333333333333'],
    ['43143ff3c1cb0959', '1424953923781206.2'],
  ])('the double %s is written %s', (bits, text) => {
    expect(canonicalNumber(Buffer.from(bits, 'hex').readDoubleBE())).toBe(text);
  });

  test('integers past 2^53 - 1 are refused, because their digits would name another', () => {
    expect(canonicalJson(Number.MAX_SAFE_INTEGER)).toBe('9007199254740991');
    expect(() => canonicalJson(2 ** 53)).toThrow(CanonicalJsonError);
    expect(() => canonicalJson({ z: 1, a: -(2 ** 53) })).toThrow(CanonicalJsonError);
    expect(isCanonicalNumber(1e20)).toBe(false);
    expect(isCanonicalNumber(1e21)).toBe(true);
  });

  test('minus zero is zero', () => {
    expect(canonicalJson([-0])).toBe('[0]');
    expect(canonicalJson({ b: -0, a: -0 })).toBe('{"a":0,"b":0}');
  });
});

describe('order', () => {
  test('keys stand by UTF-16 code units, so an astral character comes before U+FB33', () => {
    expect(canonicalJson({ '\ufb33': 1, '\ud83d\ude00': 2 })).toBe('{"😀":2,"\ufb33":1}');
  });

  test('integer-like keys stand as text, not as numbers', () => {
    expect(canonicalJson({ '9': 1, '10': 2 })).toBe('{"10":2,"9":1}');
  });

  test('the empty key comes first', () => {
    expect(canonicalJson({ a: 1, '': 2 })).toBe('{"":2,"a":1}');
  });
});

describe('refusals', () => {
  class Money {
    amount = 1;
  }
  const circular: { self?: unknown } = {};
  circular.self = circular;
  const wide: unknown[] = [];
  wide.push(wide, wide, wide);
  class Values extends Array<unknown> {}

  test.each([
    ['undefined', undefined],
    ['an undefined member', { a: undefined }],
    ['an undefined element', [undefined]],
    ['a hole', new Array(1)],
    ['NaN', Number.NaN],
    ['Infinity', [Number.POSITIVE_INFINITY]],
    ['a BigInt', { a: 1n }],
    ['a symbol', Symbol('s')],
    ['a function', { toJSON: (): number => 1 }],
    ['a Map', new Map([['a', 1]])],
    ['a Set', new Set()],
    ['a Date', { at: new Date(0) }],
    ['a Buffer', Buffer.from('a')],
    ['a class instance', new Money()],
    ['a boxed string', new String('a')],
    ['an array of a class', Values.from([1])],
    ['a lone surrogate', '\ud800'],
    ['a lone surrogate in a key', { '\udc00': 1 }],
    ['a lone surrogate in an unsorted object', { b: '\udc00x', a: 1 }],
    ['an object within itself', circular],
    ['an array within itself', wide],
  ])('%s is refused', (_name, value) => {
    expect(() => canonicalJson(value)).toThrow(CanonicalJsonError);
  });

  test('the message gives positions and no content', () => {
    expect(() => canonicalJson({ secret: ['John', undefined] })).toThrow(
      'undefined has no JSON, at position /0/1',
    );
  });
});

test('a value seen twice is no cycle', () => {
  const shared = { b: 1, a: 2 };
  expect(canonicalJson([shared, shared])).toBe('[{"a":2,"b":1},{"a":2,"b":1}]');
});

test('200,000 levels overflow no stack', () => {
  let value: unknown = 1;
  for (let depth = 0; depth < 200_000; depth++) value = depth % 2 ? [value] : { a: value };
  expect(canonicalJson(value)).toHaveLength(100_000 * 2 + 100_000 * 6 + 1);
});

test('__proto__ as an own key is a key like any other', () => {
  const value: unknown = JSON.parse('{"b":1,"__proto__":{"x":1}}');
  expect(canonicalJson(value)).toBe('{"__proto__":{"x":1},"b":1}');
  expect(({} as { x?: unknown }).x).toBeUndefined();
});

describe('against canonicalize from npm', () => {
  const json = fc.jsonValue({ maxDepth: 6 }).filter((value) => !hasUnsafeInteger(value));

  test('any JSON value has the same text', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(canonicalJson(value)).toBe(canonicalize(value));
      }),
      { numRuns: FUZZ_RUNS },
    );
  });

  test('any double has the same text', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(canonicalNumber(value)).toBe(canonicalize(value));
      }),
      { numRuns: FUZZ_RUNS },
    );
  });

  test('objects of hostile keys and strings have the same text', () => {
    const word = fc.string({ unit: 'binary', maxLength: 6 });
    const object = fc.dictionary(word, fc.oneof(word, fc.integer(), fc.boolean()));
    fc.assert(
      fc.property(object, (value) => {
        expect(canonicalJson(value)).toBe(canonicalize(value));
      }),
      { numRuns: FUZZ_RUNS },
    );
  });
});

function hasUnsafeInteger(value: unknown): boolean {
  if (typeof value === 'number') return !isCanonicalNumber(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some(hasUnsafeInteger);
}

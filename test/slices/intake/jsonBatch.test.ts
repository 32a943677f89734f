/** The body in parts is the body that the strict parser reads whole, with its refusals. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DomainError } from '#core/kernel';
import { parseStrictJson, StrictJsonError } from '#platform/strictJson';
import { readJsonBatch } from '#slices/intake';
import { inChunks } from '../batches/chunks.ts';

async function read(text: string | Uint8Array, chunkBytes = 1 << 20): Promise<unknown> {
  const whole: Record<string, unknown> = {};
  for await (const part of readJsonBatch(inChunks(text, chunkBytes))) {
    if (part.kind === 'member') whole[part.name] = part.value;
    else {
      const before = (whole.subjects ?? []) as unknown[];
      expect(part.first).toBe(before.length);
      whole.subjects = [...before, ...part.values];
    }
  }
  return whole;
}

const outcome = (text: string | Uint8Array, chunkBytes?: number) =>
  read(text, chunkBytes).catch((error: unknown) => {
    if (error instanceof DomainError) return `${error.code}: ${error.message}`;
    throw error;
  });

function whole(text: string | Uint8Array): unknown {
  try {
    return parseStrictJson(Buffer.from(text), { depthMax: 32 });
  } catch (error) {
    if (error instanceof StrictJsonError) return `json-malformed: ${error.message}`;
    throw error;
  }
}

describe('a batch in JSON', () => {
  test('is read as the strict parser reads it, however it is cut', async () => {
    const value = fc.oneof(
      fc.jsonValue({ maxDepth: 2 }).filter((one) => !JSON.stringify(one).includes('__proto__')),
      fc.constant(null),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(value, { maxLength: 8 }),
        fc.record({ name: fc.string({ unit: 'grapheme' }), since: value }),
        fc.constantFrom(0, 1, 3),
        fc.integer({ max: 50, min: 1 }),
        async (subjects, members, indent, chunkBytes) => {
          const text = JSON.stringify({ ...members, subjects }, null, indent);
          expect(await outcome(text, chunkBytes)).toEqual(whole(text));
        },
      ),
    );
  });

  test('that is cut off anywhere is malformed', async () => {
    const text = JSON.stringify({ name: 'é"x', subjects: [{ external_id: '1' }, null, 12, true] });
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at++) {
      const cut = await outcome(bytes.subarray(0, at), 5);
      expect(cut).toMatch(/^json-malformed: (truncated|empty|encoding|syntax) /);
    }
  });

  test.each([
    '',
    '7x',
    'seven',
    '{"a":1}x',
    '{"a":1,}',
    '{"a" 1}',
    '{a:1}',
    '{"a":1,"a":2}',
    '{"__proto__":1}',
    '{"a":{"__proto__":1}}',
    '{"subjects":[1,]}',
    '{"subjects":[1 2]}',
    '{"subjects":[,1]}',
    '{"subjects":[{"a":1,"a":2}]}',
    '{"subjects":[{"a":[}]}',
    '{"subjects":["\\ud800"]}',
    '{"subjects":["a\0"]}',
    '{"subjects":[NaN]}',
    '{"subjects":[1e999]}',
    '{"subjects":[]',
    '\ufeff{"subjects":[]}',
  ])('%j is refused at the same byte, whoever reads it', async (text) => {
    const refusal = whole(text);
    expect(refusal).toMatch(/^json-malformed/);
    expect(await outcome(text)).toBe(refusal);
  });

  test.each(['[]', '7', ' null ', `[${'{"external_id":"1"},'.repeat(9_999)}{}]`])(
    '%.9s is no object, and told so',
    async (text) => {
      expect(await outcome(text)).toBe('body-invalid: expected an object');
    },
  );

  test('bytes that are no UTF-8 are refused', async () => {
    const text = Buffer.concat([
      Buffer.from('{"subjects":["'),
      Buffer.of(0xe9),
      Buffer.from('"]}'),
    ]);
    expect(await outcome(text)).toBe(whole(text));
  });

  test('subjects that are no array are a member', async () => {
    expect(await read('{"subjects":{"a":1},"name":null}')).toEqual({
      name: null,
      subjects: { a: 1 },
    });
  });

  test('a subject too long, and one without end, are refused', async () => {
    const long = `{"subjects":[{"full_name":"${'x'.repeat(70_000)}"}]}`;
    expect(await outcome(long)).toMatch(/^body-too-large: a value at byte 13/);
    let sent = 0;
    async function* endless() {
      yield Buffer.from('{"subjects":["');
      for (; sent < 1000; sent++) yield Buffer.alloc(65_536, 'x');
    }
    const reading = async () => {
      for await (const part of readJsonBatch(endless())) expect(part).toBeUndefined();
    };
    await expect(reading()).rejects.toMatchObject({ code: 'body-too-large' });
    expect(sent).toBeLessThan(4);
  });

  test('too many members, too deep ones', async () => {
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`m${at}`, 1]));
    expect(await outcome(JSON.stringify(many))).toBe('body-invalid: expected at most 32 members');
    expect(await outcome(`{"source":${'['.repeat(20)}${']'.repeat(20)}}`)).toMatch('depth');
  });
});

/** Chunks of a thousand subjects, the same whenever they are read; each row in one place only. */
import { tmpdir } from 'node:os';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { systemRandom } from '#platform/random';
import {
  type CohortPart,
  countCsvRows,
  ExternalIds,
  readCohort,
  type SourceFormat,
} from '#slices/intake';
import countries from '../../../config/tables/countries.json' with { type: 'json' };
import { inChunks } from '../batches/chunks.ts';

async function read(format: SourceFormat, content: string | Uint8Array, chunkBytes = 1 << 16) {
  const ids = new ExternalIds({ directory: tmpdir(), random: systemRandom });
  const parts: CohortPart[] = [];
  const bytes = inChunks(content, chunkBytes);
  for await (const part of readCohort(bytes, { countries, format, ids })) parts.push(part);
  ids.close();
  return parts;
}

const chunksOf = (parts: readonly CohortPart[]) =>
  parts.map(({ subjects }) => subjects).filter(({ length }) => length > 0);

const lines = Array.from({ length: 7_500 }, (_, at) => {
  if (at % 10 === 3) return `C-${at},,`;
  if (at % 50 === 7) return `C-${at - 1},Again,`;
  return `C-${at},"Name\n${at}",`;
});
const CSV = `external_id,full_name,dob\n${lines.join('\n')}\n`;

test('of a CSV, whatever its packing and however it comes', async () => {
  const expected = await read('csv', CSV);
  expect(chunksOf(expected).map(({ length }) => length)).toEqual([
    ...[1000, 1000, 1000, 1000, 1000, 1000],
    600,
  ]);
  for (const chunkBytes of [100, 4096, 1 << 20]) {
    expect(chunksOf(await read('csv', gzipSync(CSV), chunkBytes))).toEqual(chunksOf(expected));
  }
  const rejections = expected.flatMap((part) => part.rejections);
  expect(rejections).toHaveLength(900);
  expect(rejections[0]).toMatchObject({ line: 8, reason: 'attribute-missing' });
  const ids = chunksOf(expected).flatMap((chunk) =>
    chunk.map(({ subject }) => subject.external_id),
  );
  expect(new Set(ids).size).toBe(6_600);
  expect((await countCsvRows(inChunks(CSV))).rows).toBe(6_600 + 900);
});

test('rejections are told in parts of their own where there is nothing else', async () => {
  const parts = await read('csv', `external_id,full_name\n${'1,A\n'.repeat(100_000)}`);
  expect(parts.length).toBeGreaterThan(3);
  expect(parts.flatMap((part) => part.subjects)).toHaveLength(1);
  expect(parts.flatMap((part) => part.rejections)).toHaveLength(99_999);
});

test('a file of a million broken rows is read to its end', async () => {
  const parts = await read('csv', `external_id,full_name\n${'x\n'.repeat(1_000_000)}`, 1 << 20);
  expect(parts.reduce((sum, { rejections }) => sum + rejections.length, 0)).toBe(1_000_000);
});

test('of JSON, with repeated ids by their place', async () => {
  const subjects = Array.from({ length: 1_500 }, (_, at) => ({
    external_id: `C-${at === 1_200 ? 7 : at}`,
    full_name: 'Amal',
  }));
  const parts = await read('json', JSON.stringify({ name: 'n', subjects }), 1000);
  expect(chunksOf(parts).map(({ length }) => length)).toEqual([1000, 499]);
  expect(parts.flatMap((part) => part.rejections)).toEqual([
    {
      detail: 'expected each external_id once; found it before, in line 8',
      externalId: 'C-7',
      line: 1201,
      reason: 'duplicate-external-id',
    },
  ]);
});

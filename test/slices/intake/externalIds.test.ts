/** Repeated ids are found exactly, whatever their hashes, in memory or in the file. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemRandom } from '#platform/random';
import { ExternalIds, halfSipHash } from '../../../src/slices/intake/externalIds.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'external-ids-'));
});
afterEach(() => rm(directory, { force: true, recursive: true }));

test('the first line of each id is answered, as a Map would', () => {
  const id = fc.string({ maxLength: 128, minLength: 1, unit: 'grapheme' });
  const short = fc.string({ maxLength: 2, unit: fc.constantFrom('a', 'b', 'é', '𝒳') });
  fc.assert(
    fc.property(fc.array(fc.oneof(short, id), { maxLength: 500 }), (ids) => {
      const known = new Map<string, number>();
      const set = new ExternalIds({ directory, random: systemRandom, tailBytes: 1024 });
      for (const [line, one] of ids.entries()) {
        const text = [...one].slice(0, 128).join('');
        expect(set.add(text, line)).toBe(known.get(text));
        if (!known.has(text)) known.set(text, line);
      }
      expect(set.count).toBe(known.size);
      set.close();
    }),
  );
});

test('a hundred thousand ids are told apart through the file, which has no name', async () => {
  const set = new ExternalIds({ directory, random: systemRandom, tailBytes: 4096 });
  for (let line = 0; line < 100_000; line++) expect(set.add(`C-${line}`, line)).toBeUndefined();
  expect(await readdir(directory)).toEqual([]);
  for (let line = 0; line < 100_000; line += 97) expect(set.add(`C-${line}`, 7)).toBe(line);
  expect(set.count).toBe(100_000);
  set.close();
});

test('ids of one hash are told apart by their bytes', () => {
  const set = new ExternalIds({
    directory,
    random: { bytes: (count) => new Uint8Array(count) },
  });
  const seen = new Map<number, string>();
  const meeting: [string, string][] = [];
  for (let at = 0; at < 400_000; at++) {
    const hash = halfSipHash([0, 0], `C-${at}`);
    const other = seen.get(hash);
    if (other !== undefined) meeting.push([other, `C-${at}`]);
    seen.set(hash, `C-${at}`);
  }
  expect(meeting.length).toBeGreaterThan(0);
  for (const [one, other] of meeting) {
    expect(set.add(one, 1)).toBeUndefined();
    expect(set.add(other, 2)).toBeUndefined();
    expect(set.add(one, 3)).toBe(1);
    expect(set.add(other, 3)).toBe(2);
  }
  set.close();
});

test('hashes are spread, and another key gives others', () => {
  const buckets = new Uint32Array(256);
  let same = 0;
  for (let at = 0; at < 25_600; at++) {
    const bucket = halfSipHash([1, 2], `C-${at}`) & 255;
    buckets[bucket] = (buckets[bucket] ?? 0) + 1;
    same += Number(halfSipHash([1, 2], `C-${at}`) === halfSipHash([1, 3], `C-${at}`));
  }
  expect(Math.max(...buckets)).toBeLessThan(160);
  expect(Math.min(...buckets)).toBeGreaterThan(50);
  expect(same).toBeLessThan(3);
});

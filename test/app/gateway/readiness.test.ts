/** Whether a gateway is ready: its slices, a store that answers, a disk that takes evidence. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { PLATFORM_CHAIN } from '#core/kernel';
import { DISK_FREE_BYTES_MIN, type DiskLook } from '#platform/diskRoom';
import { type ReadinessOf, readinessOf } from '../../../src/app/gateway/readiness.ts';

const directory = mkdtempSync(join(tmpdir(), 'ready-'));
afterAll(() => rmSync(directory, { force: true, recursive: true }));

const given = (more: Partial<ReadinessOf> = {}): ReadinessOf => ({
  evidenceDirectory: directory,
  headGuard: { behind: async () => [] },
  slices: [async () => undefined],
  storage: { ping: async () => undefined },
  ...more,
});

const ROOMY = { bavail: DISK_FREE_BYTES_MIN / 4_096, bsize: 4_096, ffree: 9, files: 10 };
const looking = (found: Partial<typeof ROOMY>, access = async () => undefined): DiskLook => ({
  access,
  statfs: async () => ({ ...ROOMY, ...found }),
});
const failing = (code: string) => async (): Promise<never> => {
  throw Object.assign(new Error(code), { code });
};

test('it is, with its slices, a store and a disk; nothing is written to know it', async () => {
  expect(await readinessOf(given())).toBeUndefined();
  expect(await readinessOf(given({ look: looking({}) }))).toBeUndefined();
  expect(await readinessOf(given({ look: looking({ ffree: 0, files: 0 }) }))).toBeUndefined();
});

test('it is not where a slice says why, or without its store', async () => {
  const slices = [async () => undefined, async () => 'no list is loaded', async () => 'another'];
  expect(await readinessOf(given({ slices }))).toBe('no list is loaded');
  const storage = { ping: failing('ECONNREFUSED') };
  expect(await readinessOf(given({ storage }))).toBe('the store does not answer');
});

test('it is not where the store is older than its checkpoints', async () => {
  const chain = { chainId: PLATFORM_CHAIN, reason: 'head is seq 3, seq 9 was signed before' };
  const headGuard = { behind: async () => [chain, chain] };
  expect(await readinessOf(given({ headGuard }))).toBe(
    'the store is older than its checkpoints: 2 chains cannot be signed',
  );
});

test('it is not where a checkpoint is not what was signed', async () => {
  const reason = 'the checkpoint in the bucket is not what was signed: seq 9: key-unknown';
  const chain = { chainId: PLATFORM_CHAIN, isAltered: true, reason } as const;
  const headGuard = { behind: async () => [chain] };
  expect(await readinessOf(given({ headGuard }))).toBe(
    'a checkpoint is not what was signed: 1 chains cannot be signed',
  );
});

describe('a data disk that takes no evidence is said', () => {
  test.each([
    ['nearly full', looking({ bavail: ROOMY.bavail - 1 }), '63 MiB free, expected at least 64'],
    ['full', looking({ bavail: 0 }), '0 MiB free, expected at least 64'],
    ['without inodes', looking({ ffree: 0 }), 'no file can be added'],
    ['read-only', looking({}, failing('EROFS')), 'it takes no writes (EROFS)'],
  ])('%s', async (_, look, expected) => {
    expect(await readinessOf(given({ look }))).toBe(`the data disk: ${expected}`);
  });

  test('gone', async () => {
    const evidenceDirectory = join(directory, 'nowhere');
    expect(await readinessOf(given({ evidenceDirectory }))).toContain('ENOENT');
  });

  test('but where the evidence is another machine’s it does not matter', async () => {
    const look = looking({ bavail: 0 });
    expect(await readinessOf(given({ evidenceDirectory: undefined, look }))).toBeUndefined();
  });
});

/** Chunks that never end: counted over all workers, tried alone, and given up with their batch. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { Hold } from '#core/work';
import {
  BATCH_LEASE,
  type Batch,
  CHUNK_TRIES_MAX,
  chunksOf,
  chunkTable,
  readBatch,
  SUSPECT_TRIES,
  startBatch,
} from '#slices/batches';
import { startBatchRunner } from '../../../src/slices/batches/edge/jobs.ts';
import { fastClock, quietLog } from '../../workers/quietWorker.ts';
import { BatchHouse, UNTIL } from './batchHouse.ts';
import { holdOf, leaseChunk } from './holds.ts';
import { type BatchParts, openBatches } from './workParts.ts';

/** Leases and pauses are shorter by it, and so the waits of this test. */
const TIMES_FASTER = 50;

let house: BatchHouse;
let parts: BatchParts;
beforeAll(async () => {
  house = await BatchHouse.open();
  parts = await openBatches(house.installation);
});
afterAll(async () => {
  await parts.close();
  await house.close();
});

/** It runs, its cohort is read, and nothing of it is screened. */
async function waiting(subjects: number): Promise<Batch> {
  const { ports } = parts;
  const started = await startBatch(ports, await house.submit({ subjects }));
  await readBatch(ports, await holdOf(ports, started, 'one'));
  return house.find(started);
}

const store = () => house.batches;

/** So many workers began its first chunk, and died: the last one has it in hand. */
async function begunAndDied(batch: Batch, times: number): Promise<void> {
  const { tables } = parts.ports;
  let chunk = await leaseChunk(parts.ports, batch, 'dead/1');
  for (let time = 1; time <= times; time++) {
    if (time > 1 && chunk !== undefined) {
      const ask = { holder: `dead/${time}`, key: chunk.key, seen: chunk.lease };
      const taken = await tables.takeOver(chunkTable, ask);
      chunk = taken && new Hold(parts.ports, chunkTable, taken, { times: BATCH_LEASE });
    }
    await chunk?.end();
    expect([chunk?.record.chunkNo, chunk?.lease.tries]).toEqual([0, time]);
  }
}

/** Chunks of the same subjects, of whichever batch, have the same one. */
async function addressOf({ batchId }: Batch, chunkNo: number): Promise<string> {
  const chunk = await store().findChunk(batchId, chunkNo);
  return chunk?.input ?? '';
}

/** Watches the inputs of chunks: `around` is called for each one that is read. */
const readingInputs = (
  around: (address: string) => Promise<void>,
): BatchParts['ports']['blobs'] => {
  const { blobs } = parts.ports;
  return {
    get: async (address) => {
      await around(address);
      return blobs.get(address);
    },
    open: (address) => blobs.open(address),
    put: (bytes, options) => blobs.put(bytes, options),
    remove: (address, options) => blobs.remove(address, options),
  };
};

const startRunner = (
  blobs: BatchParts['ports']['blobs'],
  clock = fastClock(parts.ports.clock, TIMES_FASTER),
) =>
  startBatchRunner({
    holder: 'test/one/0/0',
    isGone: (holder) => holder.startsWith('dead/'),
    log: quietLog,
    pollMs: 20,
    ports: { ...parts.ports, blobs, clock },
    renewMs: 50,
  });

describe('one run of a chunk', () => {
  const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
  const late = Object.assign(new Error('too late'), { code: 'deadline-exceeded' });
  const ENDS = [
    ['a full disk', full, undefined],
    ['what nobody expected', new Error('of its own'), 1],
    ['a deadline', late, 1],
  ] as const;

  test.each(ENDS)(
    'that ends in %s counts as a try where it may be its own fault',
    async (...of) => {
      const [, error, tries] = of;
      const batch = await waiting(1);
      const begun = Promise.withResolvers<void>();
      const runner = startRunner(
        readingInputs(async () => {
          begun.resolve();
          throw error;
        }),
        parts.ports.clock,
      );
      await begun.promise;
      await house.until(batch, ({ notice }) => notice !== undefined);
      await runner.close();
      expect(await triesBefore(batch)).toBe(tries ?? 0);
    },
  );

  test('that its worker has no time for is no try', async () => {
    const batch = await waiting(1);
    const begun = Promise.withResolvers<void>();
    const unwound = Promise.withResolvers<void>();
    const runner = startRunner(
      readingInputs(async () => {
        begun.resolve();
        await unwound.promise;
      }),
      parts.ports.clock,
    );
    await begun.promise;
    const closing = runner.close();
    expect(await triesBefore(batch)).toBe(0);
    unwound.resolve();
    await closing;
  });
});

/** Of its first chunk, once no worker has it in hand. */
async function triesBefore(batch: Batch): Promise<number> {
  const chunk = await vi.waitUntil(() => leaseChunk(parts.ports, batch, 'two'), UNTIL);
  await chunk.end();
  return chunk.lease.tries - 1;
}

test('a chunk that every worker died of fails its batch, which says so, and no other', async () => {
  const deadly = await waiting(700);
  await begunAndDied(deadly, CHUNK_TRIES_MAX);
  const other = await house.submit({ subjects: 1_500 });
  const read: string[] = [];
  const runner = startRunner(readingInputs(async (address) => void read.push(address)));
  await house.expectWhole(await house.completed(other), 1_500);
  const failed = await house.until(deadly, ({ status }) => status === 'failed');
  await runner.close();
  expect(failed.failure).toEqual({
    code: 'internal',
    detail: expect.stringMatching(/^chunk 0 \(its subjects 1 to 700\) was begun 12 times/),
  });
  expect(read).not.toContain(await addressOf(deadly, 0));
  const actions = (await house.entries(deadly)).map(({ action }) => action);
  expect(actions.at(-1)).toBe('aml.batch.failed');
});

test.each(['internal', 'deadline-exceeded'])(
  'a chunk that ends in %s each time fails its batch after so many tries',
  async (code) => {
    const batch = await waiting(1_500);
    const broken = await addressOf(batch, 1);
    let begun = 0;
    const blobs = readingInputs(async (address) => {
      if (address !== broken) return;
      begun++;
      throw Object.assign(new Error('of its own'), { code });
    });
    const runner = startRunner(blobs);
    const failed = await house.until(batch, ({ status }) => status === 'failed');
    await runner.close();
    expect(begun).toBe(CHUNK_TRIES_MAX);
    expect(failed.failure).toEqual({
      code,
      detail: expect.stringMatching(/^chunk 1 \(its subjects 1001 to 1500\) was begun 12 times/),
    });
    expect(failed.counts.subjects).toBe(1_000);
  },
  60_000,
);

test('a chunk that some workers died of is tried with nothing beside it, and may end', async () => {
  const suspect = await waiting(900);
  await begunAndDied(suspect, SUSPECT_TRIES);
  const others = [await waiting(3_000), await waiting(3_000)];
  const address = await addressOf(suspect, 0);
  const doneOf = async (): Promise<number> => {
    let done = 0;
    for (const batch of others) {
      for await (const { result } of chunksOf(store(), batch)) if (result !== undefined) done++;
    }
    return done;
  };
  let isAlone = false;
  const beside: string[] = [];
  const done: number[] = [];
  const blobs = readingInputs(async (read) => {
    if (isAlone) beside.push(read);
    if (read !== address) return;
    isAlone = true;
    done.push(await doneOf());
    // Long enough for every other lane to look for work several times.
    await house.until(suspect, () => done.push(0) > 5);
    done.push(await doneOf());
    isAlone = false;
  });
  const runner = startRunner(blobs, parts.ports.clock);
  await house.expectWhole(await house.completed(suspect), 900);
  for (const batch of others) await house.expectWhole(await house.completed(batch), 3_000);
  await runner.close();
  expect(beside).toEqual([]);
  expect(done.at(-1)).toBe(done[0]);
});

/** Batches by worker processes that die of -9: whole at the end, and everyone in them once. */
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Batch } from '#slices/batches';
import { BatchHouse, isRunning } from './batchHouse.ts';

/** The large variant, for an idle machine: BATCH_KILLS=30 BATCH_SUBJECTS=200000. */
const { BATCH_KILLS = '6', BATCH_SUBJECTS = '20000' } = process.env;
/**
 * What the dead had in hand waits for its lease, and then for one who lives (decisions 4.1). Beside
 * the other tests, time decides nothing.
 */
const TAKEN_OVER_MS = process.env.BATCH_KILLS === undefined ? 120_000 : 20_000;
/** A backstop, for either variant. */
const KILLS_MS_MAX = 240_000 + 60_000 * Number(BATCH_KILLS);

let house: BatchHouse;
beforeEach(async () => {
  house = await BatchHouse.open();
});
afterEach(() => house.close());

describe('a worker that dies', () => {
  const SUBJECTS = 1_200;
  const POINTS = [
    ['before chunk', '2'],
    ['after chunk', '2'],
    ['after writeReports', '1'],
  ] as const;

  test('around the end of a chunk or a batch leaves one that the next one ends', async () => {
    const batches: Batch[] = [];
    for (const [point, times] of POINTS) {
      batches.push(await house.submit({ subjects: SUBJECTS }));
      const worker = await house.worker({ DIE_AT: point, DIE_TIMES: times });
      if (isRunning(worker)) await once(worker, 'exit');
      expect([point, worker.signalCode]).toEqual([point, 'SIGKILL']);
    }
    await house.worker();
    for (const batch of batches) await house.expectWhole(await house.completed(batch), SUBJECTS);
  });
});

/**
 * Where lives end, in turns: with the chunk leased, handed to a thread, in a thread, screened, and
 * with its results in the blob store but not committed.
 */
const PLACES = [
  'before screen',
  'before chunk',
  'during screen',
  'after leaseChunk',
  'after screen',
] as const;

test(
  `of ${BATCH_SUBJECTS} subjects, through ${BATCH_KILLS} deaths of whoever works`,
  async () => {
    const subjects = Number(BATCH_SUBJECTS);
    const batch = await house.submit({ subjects });
    // Held to moving forward from before the first death on.
    const ended = house.completed(batch);
    ended.catch(() => undefined); // heard of wherever it is awaited
    const takeovers: Promise<number>[] = [];
    let held = 0;
    const live = async (life: number): Promise<void> => {
      const place = PLACES[life % PLACES.length] ?? '';
      const worker = await house.worker({ DIE_AT: place, DIE_TIMES: `${2 + (life % 4)}` });
      // What it says next is that a thread has a chunk in hand.
      if (place === 'during screen') worker.once('message', () => worker.kill('SIGKILL'));
      if (isRunning(worker)) await Promise.race([once(worker, 'exit'), ended]);
      expect([place, worker.signalCode]).toEqual([place, 'SIGKILL']);
      if (await house.isHeldBy(batch, worker)) held++;
      const takenOver = house.takenOver(batch, worker);
      takenOver.catch(() => undefined); // as above
      takeovers.push(takenOver);
    };
    const lives = [...Array(Number(BATCH_KILLS)).keys()];
    const liveInTurn = async (parity: number): Promise<void> => {
      for (const life of lives.filter((one) => one % 2 === parity)) await live(life);
    };
    // When one of them dies, the other one mostly lives.
    await Promise.all([liveInTurn(0), liveInTurn(1)]);
    await house.worker();
    for (const ms of await Promise.all(takeovers)) expect(ms).toBeLessThan(TAKEN_OVER_MS);
    // One that was slow to be killed may have ended what it was killed in.
    expect(held).toBeGreaterThan(lives.length / 2);
    await house.expectWhole(await ended, subjects);
  },
  KILLS_MS_MAX,
);

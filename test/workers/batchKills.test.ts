/** Batches by worker processes that die of -9: whole at the end, and everyone in them once. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Batch } from '#domain/aml';
import { BatchHouse, isRunning } from './batchHouse.ts';

/** What the dead had in hand waits for its lease, and then for one who lives (decisions 4.1). */
const TAKEN_OVER_MS = 20_000;
/** The large variant: BATCH_KILLS=30 BATCH_SUBJECTS=200000. */
const { BATCH_KILLS = '6', BATCH_SUBJECTS = '20000' } = process.env;
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

test(
  `of ${BATCH_SUBJECTS} subjects, through ${BATCH_KILLS} deaths of whoever works`,
  async () => {
    const subjects = Number(BATCH_SUBJECTS);
    const batch = await house.submit({ subjects });
    const dead: ChildProcess[] = [];
    const live = async (life: number): Promise<void> => {
      const chunks = 2 + (life % 5);
      const worker = await house.worker({ DIE_AT: 'before screen', DIE_TIMES: `${chunks}` });
      if (isRunning(worker)) await once(worker, 'exit');
      expect(worker.signalCode).toBe('SIGKILL');
      dead.push(worker);
    };
    const lives = [...Array(Number(BATCH_KILLS)).keys()];
    for (const life of lives.filter((one) => one % 2 === 0)) {
      await Promise.all(lives.slice(life, life + 2).map(live));
    }
    await house.worker();
    expect(await house.takenOver(batch, dead)).toBeLessThan(TAKEN_OVER_MS);
    await house.expectWhole(await house.completed(batch), subjects);
  },
  KILLS_MS_MAX,
);

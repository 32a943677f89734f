/** What ends by time, and what must not end before it. */
import { expect, test } from 'vitest';
import type { EpochMs } from '#platform/clock';
import { applyRetention } from '../../../src/app/worker/retention.ts';

const HOUR_MS = 3_600_000;
const NOW = Date.UTC(2026, 5, 1) as EpochMs;

test('idempotency records are kept a day and a clock error, outbox 30 days, runs 90', async () => {
  const cut: number[] = [];
  const purge = async (before: EpochMs): Promise<number> => cut.push(NOW - before);
  const counts = await applyRetention({
    audit: { purgeIdempotency: purge },
    clock: { monotonicMs: () => 0, now: () => NOW },
    outbox: { purge: purge },
    runs: { purgeRuns: purge },
  });
  expect(cut).toEqual([25 * HOUR_MS, 30 * 24 * HOUR_MS, 90 * 24 * HOUR_MS]);
  expect(counts).toEqual({ idempotency: 1, outbox: 2, runs: 3 });
});

test('a store that fails fails the job, which comes again by schedule', async () => {
  const failing = () => Promise.reject(new Error('the store is gone'));
  const retention = applyRetention({
    audit: { purgeIdempotency: failing },
    clock: { monotonicMs: () => 0, now: () => NOW },
    outbox: { purge: failing },
    runs: { purgeRuns: failing },
  });
  await expect(retention).rejects.toThrow('the store is gone');
});

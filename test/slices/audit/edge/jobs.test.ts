/** What ends by time beside the evidence, and what must not end before it. */
import { expect, test } from 'vitest';
import type { EpochMs } from '#platform/clock';
import { applyRetention } from '../../../../src/slices/audit/edge/jobs.ts';

const HOUR_MS = 3_600_000;
const NOW = Date.UTC(2026, 5, 1) as EpochMs;
const clock = { now: () => NOW };

test('idempotency records are kept a day and a clock error, the outbox 30 days', async () => {
  const cut: number[] = [];
  const purge = async (before: EpochMs): Promise<number> => cut.push(NOW - before);
  const counts = await applyRetention({
    audit: { purgeIdempotency: purge },
    clock,
    outbox: { purge },
  });
  expect(cut).toEqual([25 * HOUR_MS, 30 * 24 * HOUR_MS]);
  expect(counts).toEqual({ idempotency: 1, outbox: 2 });
});

test('a store that fails fails the job, which comes again by schedule', async () => {
  const failing = () => Promise.reject(new Error('the store is gone'));
  const retention = applyRetention({
    audit: { purgeIdempotency: failing },
    clock,
    outbox: { purge: failing },
  });
  await expect(retention).rejects.toThrow('the store is gone');
});

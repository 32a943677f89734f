/** Runs are kept for 90 days. */
import { expect, test } from 'vitest';
import type { EpochMs } from '#platform/clock';
import { applyRunRetention } from '../../../../src/slices/ingestion/edge/scheduledJobs.ts';

const NOW = Date.UTC(2026, 5, 1) as EpochMs;

test('runs that started 90 days ago go', async () => {
  const cut: number[] = [];
  const counts = await applyRunRetention({
    clock: { now: () => NOW },
    runs: { purgeRuns: async (before) => cut.push(NOW - before) },
  });
  expect(cut).toEqual([90 * 24 * 3_600_000]);
  expect(counts).toEqual({ runs: 1 });
});

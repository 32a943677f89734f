/** The bench of customer files runs, with small ones; what it measures here means nothing. */
import { expect, test } from 'vitest';
import { rows } from '../../bench/batch.ts';

test('reads what csv-parse reads, in every pass', async () => {
  const report = await rows({ size: 'lists', smoke: true });
  expect(report.map(({ id }) => id)).toEqual([
    'batch/csv-parse',
    'batch/csv-quoted',
    'batch/csv-subjects',
    'batch/csv-count',
  ]);
  for (const { baseline, checksum, ours } of report) {
    expect(Math.min(ours, baseline ?? 0)).toBeGreaterThan(0);
    expect(Number(checksum)).toBeGreaterThanOrEqual(2_000);
  }
});

/** The benches of batches run, with small ones; what they measure here means nothing. */
import { expect, test } from 'vitest';
import { readingRows } from '../../bench/batch.ts';
import { rows as reportRows } from '../../bench/reports.ts';

test('reads what csv-parse reads, in every pass', async () => {
  const report = await readingRows({ size: 'lists', smoke: true });
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

test('writes every report', async () => {
  const report = await reportRows({ size: 'lists', smoke: true });
  const ids = ['batch/report-csv', 'batch/report-xlsx', 'batch/report-pdf'];
  expect(report.map(({ id }) => id)).toEqual(ids);
  for (const { checksum, ours } of report) {
    expect(ours).toBeGreaterThan(0);
    expect(Number(checksum)).toBeGreaterThan(10_000);
  }
});

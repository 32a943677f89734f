/** Counting the rows of an upload: not in the thread that serves requests, and as they are read. */
import { expect, test, vi } from 'vitest';
import { CsvSplitter } from '#platform/csv/csvSplitter';
import { countCsvRows, readCsvRows } from '#slices/intake';
import countries from '../../../config/tables/countries.json' with { type: 'json' };
import { inChunks } from '../batches/chunks.ts';

const HEADER = 'external_id,full_name,dob';

test.each([['"\n'], ['\n'], ['\r\n'], [',\n'], ['"",""x\n'], ['"a\nb",c,d\n'], ['"a\n']])(
  'lines of %j are split elsewhere, however costly they are',
  async (line) => {
    const text = `${HEADER}\n${line.repeat(20_000)}1,"B"b,\n`;
    let read = 0;
    for await (const part of readCsvRows(inChunks(text), { countries })) {
      read += part.rejections.length + part.subjects.length;
    }
    const split = vi.spyOn(CsvSplitter.prototype, 'push');
    try {
      expect((await countCsvRows(inChunks(text))).rows).toBe(read);
      expect(split).not.toHaveBeenCalled();
    } finally {
      split.mockRestore();
    }
  },
);

test('many files at once have each its own count, its own refusal and its own end', async () => {
  const files = Array.from({ length: 30 }, (_, at) => ({
    rows: 1_000 * (at + 1),
    text: `${HEADER}\n${`${at},A,\n`.repeat(1_000 * (at + 1))}`,
  }));
  const counts = files.map(({ text }) => countCsvRows(inChunks(text, 10_000)));
  const refusals = files.map(({ text }) =>
    expect(countCsvRows(inChunks(text.replace('dob', 'date'), 10_000))).rejects.toMatchObject({
      code: 'csv-invalid',
      message: expect.stringContaining("unknown: 'date'"),
    }),
  );
  expect((await Promise.all(counts)).map(({ rows }) => rows)).toEqual(files.map((one) => one.rows));
  await Promise.all(refusals);
});

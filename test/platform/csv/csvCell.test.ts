/** Cells that a spreadsheet takes for text, and that come back as they went. */
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { csvCell } from '#platform/csv/csvCell';

describe('cells of a CSV', () => {
  test('that begin like a formula are text', () => {
    const sign = fc.constantFrom(
      '=',
      '+',
      '-',
      '@',
      '\t',
      '\r',
      '\0',
      '＝',
      '＋',
      '－',
      '＠',
      ' =',
    );
    fc.assert(
      fc.property(sign, fc.string(), (start, rest) => {
        expect(csvCell(start + rest).replace(/^"/, '')).toMatch(/^'/);
      }),
    );
  });

  test('come back through csv-parse', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), (text) => {
        const [[back] = []] = parse(`${csvCell(text)},x\r\n`, { relax_quotes: true });
        expect([text, `'${text}`]).toContain(back);
      }),
    );
  });
});

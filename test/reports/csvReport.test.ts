/** The CSV report: what is in it, that it is CSV, and that no spreadsheet runs any of it. */
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FACTS_UNKNOWN } from '#slices/lists';
import { writeCsvReport } from '../../src/reports/csvReport.ts';
import { type SampleOptions, sampleBatch } from './sampleBatch.ts';

async function csvOf(options: SampleOptions): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of writeCsvReport(sampleBatch(options).from)) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

const rowsOf = (csv: string): Record<string, string>[] =>
  parse(csv, { bom: true, columns: true, record_delimiter: '\r\n' });

/**
 * What a spreadsheet would run (R46, ASVS 1.2.10): it begins with a sign of a formula, U+2212 and
 * the full-width ones among them, after whatever white space and NULs; or with a control character.
 */
const RUNS = /^(?:[\s\0]*[=+\-@\u2212＝＋－＠]|[\t\r\n\0])/;

describe('the CSV report', () => {
  test('has a row for each hit, and one for a subject without any', async () => {
    const rows = rowsOf(await csvOf({ hitsOf: (ordinal) => ordinal, subjects: 4 }));
    expect(rows.map((row) => row.external_id)).toEqual([
      'C-0',
      'C-1',
      'C-2',
      'C-2',
      'C-3',
      'C-3',
      'C-3',
    ]);
    expect(rows[0]).toMatchObject({
      decision: 'auto_clear',
      hit_id: '',
      hits_count: '0',
      line: '2',
      match_score: '',
      ordinal: '0',
      processed_at: '2026-11-20T18:00:01.000Z',
    });
    expect(rows[2]).toMatchObject({
      decision: 'match',
      full_name: 'محمد علي',
      hits_count: '2',
      list_source: 'OFAC_SDN',
      match_score: '0.9000',
      match_type: 'sanction',
      merged_entries: 'UN_SC:un-QDi.001',
      primary_name: 'Mohammed <Ali> & sons',
      record_id: 'ofac-0',
      strong: 'false',
    });
  });

  test('has what the list says of each hit, several in one cell', async () => {
    const rows = rowsOf(await csvOf({ hitsOf: (ordinal) => ordinal, subjects: 3 }));
    expect(rows[2]).toMatchObject({
      listed_akas: 'Other ofac-0; =1+1',
      listed_citizenships: 'TN',
      listed_countries: '',
      listed_dates_of_birth: '1961-05-14; 1962',
      listed_identifiers: 'Passport',
      listed_programmes: 'SDGT',
    });
    expect(rows[0]).toMatchObject({ listed_akas: '', listed_programmes: '' });
    expect(rows[3]?.listed_akas).not.toBe(rows[2]?.listed_akas);
  });

  test('has empty cells where the list can no longer be read', async () => {
    const { from } = sampleBatch({ hitsOf: () => 1, subjects: 1 });
    const factsOf = async (hits: readonly unknown[]) => hits.map(() => FACTS_UNKNOWN);
    const pieces: Uint8Array[] = [];
    for await (const piece of writeCsvReport({ ...from, factsOf })) pieces.push(piece);
    const [row] = rowsOf(Buffer.concat(pieces).toString());
    expect(row).toMatchObject({ listed_akas: '', listed_identifiers: '', record_id: 'ofac-0' });
  });

  test('further spellings stand in one cell', async () => {
    const subjectOf = (ordinal: number) => ({
      external_id: `C-${ordinal}`,
      full_name: 'Qadhafi',
      full_name_transliterations: ['=Gaddafi', 'Kadhafi'],
    });
    const [row] = rowsOf(await csvOf({ subjectOf, subjects: 1 }));
    expect(row?.full_name_transliterations).toBe("'=Gaddafi; Kadhafi");
  });

  test('begins with a byte-order mark and ends every row by CRLF', async () => {
    const csv = await csvOf({ subjects: 3 });
    expect(csv.startsWith('\ufeffexternal_id,line,')).toBe(true);
    expect(csv.endsWith('\r\n')).toBe(true);
    expect(csv.replaceAll('\r\n', '').includes('\n')).toBe(false);
  });

  test('of no subjects is its heading', async () => {
    expect(rowsOf(await csvOf({ subjects: 0 }))).toEqual([]);
  });

  test('escapes every text that a spreadsheet would run, and nothing else', async () => {
    const sign = fc.constantFrom(...'=+-@\u2212＝＋－＠');
    const blank = fc.string({
      maxLength: 2,
      minLength: 1,
      unit: fc.constantFrom(...' \t\r\n\0\u00a0\u2003\u3000\ufeff'),
    });
    const plain = fc.constantFrom(...'"\',;a٣–0(', '');
    const start = fc.oneof(sign, blank, plain, fc.tuple(blank, fc.oneof(sign, plain)));
    const text = fc
      .tuple(start, fc.string({ maxLength: 12, unit: 'grapheme' }))
      .map((parts) => parts.flat().join('').toWellFormed());
    const seen = { escaped: 0, plain: 0 };
    await fc.assert(
      fc.asyncProperty(fc.array(text, { maxLength: 12, minLength: 1 }), async (names) => {
        const csv = await csvOf({
          hitsOf: () => 0,
          subjectOf: (ordinal) => ({ external_id: names[ordinal] ?? '', full_name: 'A' }),
          subjects: names.length,
        });
        const rows: string[][] = parse(csv, { bom: true, from: 2, record_delimiter: '\r\n' });
        expect(rows.length).toBe(names.length);
        for (const [at, name] of names.entries()) {
          const isRun = RUNS.test(name);
          expect(rows[at]?.[0]).toBe(isRun ? `'${name}` : name);
          seen[isRun ? 'escaped' : 'plain']++;
        }
      }),
      { numRuns: 50 },
    );
    expect(Math.min(seen.escaped, seen.plain)).toBeGreaterThan(30);
  });

  test('the same batch gives the same bytes', async () => {
    const options = { hitsOf: (ordinal: number) => ordinal % 3, subjects: 1_500 };
    expect(await csvOf(options)).toBe(await csvOf(options));
  });
});

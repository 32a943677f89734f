/** The XLSX report, read by exceljs and, as XML, by a strict parser: two that are not ours. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import ExcelJS from 'exceljs';
import sax from 'sax';
import { describe, expect, test } from 'vitest';
import { columnLetters, xmlText } from '../../src/reports/sheetXml.ts';
import { writeXlsxReport, type XlsxOptions } from '../../src/reports/xlsxReport.ts';
import { type SampleOptions, sampleBatch } from './sampleBatch.ts';

async function xlsxOf(options: SampleOptions, how?: XlsxOptions): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of writeXlsxReport(sampleBatch(options).from, how)) pieces.push(piece);
  return Buffer.concat(pieces);
}

async function read(file: Buffer): Promise<ExcelJS.Workbook> {
  const workbook = new ExcelJS.Workbook();
  await workbook.xlsx.load(file as unknown as ArrayBuffer);
  return workbook;
}

const textsOf = (sheet: ExcelJS.Worksheet | undefined, row: number): string[] =>
  ((sheet?.getRow(row).values ?? []) as unknown[]).slice(1).map((value) => `${value ?? ''}`);

/** Names and contents by the archive's directory, without our writer. */
function entriesOf(file: Buffer): Map<string, string> {
  const entries = new Map<string, string>();
  const end = file.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
  let at = file.readUInt32LE(end + 16);
  for (let count = file.readUInt16LE(end + 10); count > 0; count--) {
    const [packed, nameLength, extraLength] = [20, 28, 30].map((offset, index) =>
      index === 0 ? file.readUInt32LE(at + offset) : file.readUInt16LE(at + offset),
    ) as [number, number, number];
    const name = file.subarray(at + 46, at + 46 + nameLength).toString();
    const local = file.readUInt32LE(at + 42);
    const from = local + 30 + file.readUInt16LE(local + 26) + file.readUInt16LE(local + 28);
    entries.set(name, inflateRawSync(file.subarray(from, from + packed)).toString());
    at += 46 + nameLength + extraLength;
  }
  return entries;
}

describe('the XLSX report', () => {
  test('has the sheets subjects, hits, lists and stats', async () => {
    const workbook = await read(await xlsxOf({ subjects: 25 }));
    expect(workbook.worksheets.map(({ name }) => name)).toEqual([
      'subjects',
      'hits',
      'lists',
      'stats',
    ]);
    const [subjects, hits, lists, stats] = workbook.worksheets;
    expect(subjects?.rowCount).toBe(26);
    expect(textsOf(subjects, 4).slice(0, 3)).toEqual(['C-2', '4', '2']);
    expect(textsOf(subjects, 4)).toContain('محمد علي');
    expect(hits?.rowCount).toBe(4);
    expect(textsOf(hits, 2)).toContain('Mohammed <Ali> & sons');
    expect(textsOf(lists, 2).slice(0, 3)).toEqual([
      'OFAC_SDN',
      'v2026-11-10.a',
      '2026-11-19T18:00:00.000Z',
    ]);
    const figures = stats?.getSheetValues().slice(2) as unknown[][];
    expect(figures.map((row) => row.slice(1))).toContainEqual(['hits_sanction', 3]);
    expect(workbook.created).toEqual(new Date('2026-11-20T19:02:05.250Z'));
  });

  test('every sheet is filtered by its heading, and printed with it', async () => {
    const file = await xlsxOf({ hitsOf: () => 1, subjects: 5 });
    const { worksheets } = await read(file);
    expect(worksheets.map(({ autoFilter }) => autoFilter)).toEqual(
      worksheets.map(
        ({ columnCount, rowCount }) => `A1:${columnLetters(columnCount - 1)}${rowCount}`,
      ),
    );
    for (const { name, pageSetup } of worksheets) {
      expect(pageSetup, name).toMatchObject({ fitToHeight: 0, fitToPage: true, paperSize: 9 });
      expect(pageSetup, name).toMatchObject({
        orientation: 'landscape',
        printTitlesColumn: 'A:A',
        printTitlesRow: '1:1',
      });
      expect(pageSetup.fitToWidth, name).toBeLessThanOrEqual(4);
    }
  });

  test('hits have empty columns for whoever reviews them, with words to choose', async () => {
    const { worksheets } = await read(await xlsxOf({ hitsOf: () => 1, subjects: 5 }));
    const hits = worksheets[1];
    const names = textsOf(hits, 1);
    expect(names.slice(-4)).toEqual(['review_decision', 'reviewer', 'reviewed_at', 'review_notes']);
    const decision = hits?.getRow(2).getCell(names.length - 3);
    expect(decision?.value).toBeNull();
    expect(decision?.dataValidation).toMatchObject({
      formulae: ['"true_positive,false_positive"'],
      type: 'list',
    });
    expect(textsOf(worksheets[0], 1).join()).not.toContain('review');
  });

  test('numbers are numbers, text that would run is text', async () => {
    const { worksheets } = await read(await xlsxOf({ hitsOf: () => 1, subjects: 5 }));
    const cellOf = (sheet: number, column: string, row: number) => {
      const at = textsOf(worksheets[sheet], 1).indexOf(column) + 1;
      return worksheets[sheet]?.getRow(row).getCell(at).value;
    };
    expect(cellOf(0, 'line', 2)).toBe(2);
    expect(cellOf(1, 'match_score', 2)).toBe(0.9);
    expect(cellOf(0, 'full_name', 6)).toBe("'=SUM(A1)");
    expect(cellOf(0, 'national_id', 2)).toBe("'-7000000");
  });

  test('no cell is a formula, whatever the names are', async () => {
    const starts = ['=1', '+1', '-1', '@x', '\t=1', '\r=1', '＝1', '＋1', '－1', '＠x'];
    const subjectOf = (ordinal: number) => ({
      external_id: starts[ordinal] ?? '',
      full_name: starts[ordinal] ?? '',
    });
    const { worksheets } = await read(await xlsxOf({ subjectOf, subjects: starts.length }));
    for (const sheet of worksheets) {
      sheet.eachRow((row) =>
        row.eachCell(({ formula, value }) => {
          expect(formula).toBeUndefined();
          expect(`${value}`).not.toMatch(/^[=+\-@\t\r＝＋－＠]/);
        }),
      );
    }
  });

  test('goes on in subjects_2 where a sheet is full, without losing a row', async () => {
    const options = { chunkSubjects: 7, hitsOf: () => 1, subjects: 25 };
    const workbook = await read(await xlsxOf(options, { rowsMax: 11 }));
    expect(workbook.worksheets.map(({ name, rowCount }) => [name, rowCount])).toEqual([
      ['subjects_1', 11],
      ['subjects_2', 11],
      ['subjects_3', 6],
      ['hits_1', 11],
      ['hits_2', 11],
      ['hits_3', 6],
      ['lists', 3],
      ['stats', 26],
    ]);
    const ids = workbook.worksheets
      .slice(0, 3)
      .flatMap((sheet) => (sheet.getColumn(1).values as string[]).slice(2));
    expect(ids).toEqual(Array.from({ length: 25 }, (_, at) => `C-${at}`));
  });

  test('a sheet that is just full is the only one', async () => {
    const workbook = await read(await xlsxOf({ subjects: 10 }, { rowsMax: 11 }));
    expect(workbook.worksheets.map(({ name }) => name)).toContain('subjects');
  });

  test('every part is well-formed XML, controls and markup in names included', async () => {
    const subjectOf = () => ({
      external_id: 'a & <b> "c" ]]>',
      full_name: 'x\u0001\u000b\ufffe_x0041_ é \u{1f600} \r\n\t y',
    });
    const entries = entriesOf(await xlsxOf({ subjectOf, subjects: 2 }));
    expect([...entries.keys()]).toContain('[Content_Types].xml');
    for (const [name, xml] of entries) {
      const parser = sax.parser(true);
      parser.onerror = (error) => {
        throw new Error(`${name}: ${error.message}`);
      };
      parser.write(xml).close();
      // biome-ignore lint/suspicious/noControlCharactersInRegex: XML 1.0 holds none of them
      expect(xml).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe]/);
    }
    const { worksheets } = await read(await xlsxOf({ subjectOf, subjects: 2 }));
    expect(worksheets[0]?.getCell('A2').value).toBe('a & <b> "c" ]]>');
  });

  test('Arabic names are marked to be read from the right', async () => {
    const { worksheets } = await read(await xlsxOf({ subjects: 1 }));
    const at = textsOf(worksheets[0], 1).indexOf('full_name_ar') + 1;
    expect(worksheets[0]?.getRow(2).getCell(at).alignment).toMatchObject({ readingOrder: 'rtl' });
  });

  test('the same batch gives the same bytes', async () => {
    const options = { subjects: 300 };
    expect((await xlsxOf(options)).equals(await xlsxOf(options))).toBe(true);
  });

  test('a reader who leaves ends the reading of results', async () => {
    const { from } = sampleBatch({ subjects: 3_000 });
    let isEnded = false;
    async function* watched() {
      try {
        yield* from.chunks();
        yield* from.chunks();
      } finally {
        isEnded = true;
      }
    }
    for await (const piece of writeXlsxReport({ ...from, chunks: watched })) {
      if (piece.length > 1_000) break;
    }
    expect(isEnded).toBe(true);
  });

  test('a fault of the results is the fault of the report', async () => {
    const { from } = sampleBatch({ subjects: 10 });
    async function* broken() {
      yield* from.chunks();
      throw new Error('results are damaged');
    }
    const reading = (async () => {
      const report = writeXlsxReport({ ...from, chunks: broken });
      while ((await report.next()).done !== true);
    })();
    await expect(reading).rejects.toThrow('results are damaged');
  });
});

test('texts and columns as Excel has them', () => {
  expect(xmlText('a_x0041_b')).toBe('a_x005F_x0041_b');
  expect(xmlText('\ud800')).toBe('\ufffd');
  expect([0, 25, 26, 51, 52, 701, 702].map(columnLetters)).toEqual([
    'A',
    'Z',
    'AA',
    'AZ',
    'BA',
    'ZZ',
    'AAA',
  ]);
});

const office = ['/usr/bin/soffice', '/usr/bin/libreoffice'].find((path) => existsSync(path));
if (office === undefined) console.warn('skipped: no LibreOffice here to open the XLSX with');

test.skipIf(office === undefined)('LibreOffice opens it and finds no formula', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'xlsx-'));
  try {
    const file = join(folder, 'report.xlsx');
    writeFileSync(file, await xlsxOf({ subjects: 20 }));
    const words = ['--headless', '--convert-to', 'csv', '--outdir', folder, file];
    execFileSync(office ?? '', words, { env: { HOME: folder }, timeout: 60_000 });
    const csv = readFileSync(join(folder, 'report.csv'), 'utf8');
    expect(csv.split('\n')).toHaveLength(22);
    expect(csv).toContain("'=SUM(A1)");
  } finally {
    rmSync(folder, { force: true, recursive: true });
  }
});

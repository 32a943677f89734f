/** Files that ask for more than any list: refused with the bound, while the reader goes on. */
import { describe, expect, test } from 'vitest';
import {
  type AsideFormat,
  PDF,
  rowsAside,
  SPREADSHEET,
} from '../../../src/sources/national/rowsAside.ts';
import type { TableRow } from '../../../src/sources/national/table.ts';
import { pdfOfPieces, sheetOfCells, sheetOfOneText, sheetOfTexts } from './hostileFiles.ts';
import { inline, packedWorkbook, zipDeflated } from './packedWorkbook.ts';
import { pdfFile } from './pdfFile.ts';

/** Nothing but the one bound that a test is about shall be reached. */
const WIDE = { memoryBytes: 2 ** 30, outputChars: 2 ** 30, timeMs: 120_000 };
const MEMORY_BYTES = 160 * 1024 * 1024;

const NAME = 'Nom et prénom';
/** Each of which the bounds of time and memory end. */
const HOSTILE = [
  ['a PDF of four million pieces', PDF, pdfOfPieces],
  ['a sheet of two million cells', SPREADSHEET, () => sheetOfCells(400_000)],
  ['a hundred megabytes of shared texts', SPREADSHEET, sheetOfTexts],
] as const;
/** Each of which has little that is read and much that is to be told of it. */
const WORDY = [
  ['a PDF', PDF, () => pdfFile([[{ text: NAME, x: 40, y: 500 }]]), 10],
  ['a text that a million cells share', SPREADSHEET, sheetOfOneText, 2 ** 20],
] as const;

async function rowsOf(bytes: Buffer, format: AsideFormat): Promise<TableRow[]> {
  const rows: TableRow[] = [];
  for await (const row of rowsAside(bytes, format)) rows.push(row);
  return rows;
}

test('rows of a PDF come as they are read', async () => {
  const file = pdfFile([[{ text: NAME, x: 40, y: 500 }]]);
  expect(await rowsOf(file, PDF)).toEqual([{ cells: [NAME], place: 'page 1, line 1' }]);
});

test('rows of a spreadsheet come as they are read', async () => {
  const file = packedWorkbook({ cell: (row, column) => inline(`${row}.${column}`), rows: 1 });
  const [heading, row] = await rowsOf(file, SPREADSHEET);
  expect(heading?.cells).toContain(NAME);
  const cells = ['2.0', '2.1', '2.2', '2.3', '2.4'];
  expect(row).toEqual({ cells, place: 'row 2', sheet: 1 });
});

describe.each(HOSTILE)('%s', (_, format, make) => {
  test.each([
    // Less than any machine takes to unpack one of them.
    ['time', { timeMs: 200 }, 'its time of 0.2 s'],
    ['memory', { memoryBytes: MEMORY_BYTES }, `its memory of ${MEMORY_BYTES} bytes`],
  ])('is refused over its %s, and nothing else waits meanwhile', async (_bound, bound, words) => {
    const file = make();
    expect(file.length).toBeLessThan(5_000_000);
    let turns = 0;
    const others = setInterval(() => turns++, 10);
    await expect(rowsOf(file, { ...format, ...WIDE, ...bound })).rejects.toMatchObject({
      code: 'list-damaged',
      message: `${format.name}: reading it went over ${words}`,
    });
    clearInterval(others);
    expect(turns).toBeGreaterThan(2);
  });
});

test.each(WORDY)('%s is refused over its text', async (_, format, make, outputChars) => {
  await expect(rowsOf(make(), { ...format, ...WIDE, outputChars })).rejects.toMatchObject({
    code: 'list-damaged',
    message: `${format.name}: reading it went over its ${outputChars} characters of text`,
  });
});

test('a spreadsheet that would unpack to gigabytes is refused by its size', async () => {
  const bomb = zipDeflated([['xl/worksheets/sheet1.xml', ' '.repeat(200_000_000)]]);
  expect(bomb.length).toBeLessThan(250_000);
  await expect(rowsOf(bomb, SPREADSHEET)).rejects.toMatchObject({
    code: 'list-damaged',
    message: expect.stringMatching(/^spreadsheet: over \d+ bytes unpacked$/),
  });
});

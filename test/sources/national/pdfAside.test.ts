/** A PDF that asks for more than any list: refused with the bound, while the reader goes on. */
import { deflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { type PdfBounds, pdfRowsAside } from '../../../src/sources/national/pdfAside.ts';
import type { TableRow } from '../../../src/sources/national/table.ts';
import { assemble, pdfFile } from './pdfFile.ts';

const BOUNDS: PdfBounds = {
  file: new URL('../../../src/sources/national/pdfChild.ts', import.meta.url),
  memoryBytes: 2 ** 30,
  outputChars: 2 ** 20,
  timeMs: 60_000,
};

/** Four million pieces of text in two hundred kilobytes: a minute of work, and a gigabyte. */
function hostileFile(): Buffer {
  const content = deflateSync('BT /L 10 Tf (a) Tj ET\n'.repeat(4_000_000)).toString('latin1');
  return assemble([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [4 0 R] /Count 1 >>',
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 800 600] ' +
      '/Resources << /Font << /L 3 0 R >> >> /Contents 5 0 R >>',
    `<< /Length ${content.length} /Filter /FlateDecode >>\nstream\n${content}\nendstream`,
  ]);
}

async function rowsOf(bytes: Buffer, bounds: Partial<PdfBounds> = {}): Promise<TableRow[]> {
  const rows: TableRow[] = [];
  for await (const row of pdfRowsAside(bytes, { ...BOUNDS, ...bounds })) rows.push(row);
  return rows;
}

test('rows come as they are read', async () => {
  const file = pdfFile([[{ text: 'Nom et prénom', x: 40, y: 500 }]]);
  expect(await rowsOf(file)).toEqual([{ cells: ['Nom et prénom'], place: 'page 1, line 1' }]);
});

test.each([
  ['time', { timeMs: 2_000 }, 'its time of 2 s'],
  ['memory', { memoryBytes: 160 * 1024 * 1024 }, 'its memory of 167772160 bytes'],
])('over its %s it is refused, and nothing else waits meanwhile', async (_, bounds, words) => {
  let turns = 0;
  const others = setInterval(() => turns++, 10);
  const outcome = rowsOf(hostileFile(), bounds);
  await expect(outcome).rejects.toMatchObject({
    code: 'list-damaged',
    message: `PDF: reading it went over ${words}`,
  });
  clearInterval(others);
  expect(turns).toBeGreaterThan(10);
});

test('over its text it is refused', async () => {
  const file = pdfFile([[{ text: 'Nom et prénom', x: 40, y: 500 }]]);
  const refusal = { code: 'list-damaged', message: expect.stringContaining('its 10 characters') };
  await expect(rowsOf(file, { outputChars: 10 })).rejects.toMatchObject(refusal);
});

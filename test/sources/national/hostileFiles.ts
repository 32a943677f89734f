/** Files of a few megabytes or less that ask for minutes and gigabytes. */
import { deflateSync } from 'node:zlib';
import { packedWorkbook, sharedText } from './packedWorkbook.ts';
import { assemble } from './pdfFile.ts';

/** Four million pieces of text: a minute of work, and a gigabyte. */
export function pdfOfPieces(): Buffer {
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

/** Five cells a row. */
export const sheetOfCells = (rows: number): Buffer =>
  packedWorkbook({ cell: () => '><v>7</v>', rows });

/** A hundred megabytes of texts. */
export const sheetOfTexts = (): Buffer =>
  packedWorkbook({
    cell: () => sharedText(0),
    rows: 10,
    shared: Array.from({ length: 50_000 }, (_, at) => `${at} ${'x'.repeat(2_000)}`),
  });

/** A million cells that say the same eight thousand letters. */
export const sheetOfOneText = (): Buffer =>
  packedWorkbook({ cell: () => sharedText(0), rows: 200_000, shared: ['x'.repeat(8_000)] });

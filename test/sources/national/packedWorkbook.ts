/**
 * A workbook packed by hand, so that a few kilobytes can hold any number of cells: what a program
 * that means harm would write, and none that writes lists.
 */
import { crc32, deflateRawSync } from 'node:zlib';

const DEFLATED = 8;
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const HEADING = ['N°', 'Nom et prénom', 'Date de naissance', 'CIN', 'Adresse'];
const SHEET = '<sheet name="S" sheetId="1" r:id="a"/>';
const COLUMNS = ['A', 'B', 'C', 'D', 'E'];

export interface Sheet {
  /** Rows under the heading, each of five cells. */
  readonly rows: number;
  /** One cell's content, as its row and column have it. */
  readonly cell: (row: number, column: number) => string;
  /** Texts that cells share. */
  readonly shared?: readonly string[];
}

/** A text that stands in the cell itself. */
export const inline = (text: string): string => `t="inlineStr"><is><t>${text}</t></is>`;
/** The text of this number among the shared ones. */
export const sharedText = (index: number): string => `t="s"><v>${index}</v>`;

export function packedWorkbook({ cell, rows, shared }: Sheet): Buffer {
  const lines: string[] = [rowOf(1, (column) => inline(HEADING[column] ?? ''))];
  for (let row = 2; row < rows + 2; row++) lines.push(rowOf(row, (column) => cell(row, column)));
  const relation = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${RELATIONS}/${type}" Target="${target}"/>`;
  const texts = shared?.map((text) => `<si><t>${text}</t></si>`).join('');
  return zipDeflated([
    ['_rels/.rels', wrap('Relationships', relation('a', 'officeDocument', 'xl/workbook.xml'))],
    ['xl/workbook.xml', `<workbook xmlns:r="${RELATIONS}">${wrap('sheets', SHEET)}</workbook>`],
    [
      'xl/_rels/workbook.xml.rels',
      wrap(
        'Relationships',
        relation('a', 'worksheet', 'worksheets/sheet1.xml') +
          (texts === undefined ? '' : relation('b', 'sharedStrings', 'sharedStrings.xml')),
      ),
    ],
    ['xl/worksheets/sheet1.xml', `<worksheet>${wrap('sheetData', lines.join(''))}</worksheet>`],
    ...(texts === undefined ? [] : [['xl/sharedStrings.xml', wrap('sst', texts)] as const]),
  ]);
}

function rowOf(row: number, cell: (column: number) => string): string {
  const cells = COLUMNS.map((name, at) => `<c r="${name}${row}" ${cell(at)}</c>`);
  return `<row r="${row}">${cells.join('')}</row>`;
}

const wrap = (name: string, content: string): string => `<${name}>${content}</${name}>`;

/** A ZIP of these entries, packed. */
export function zipDeflated(entries: readonly (readonly [name: string, text: string])[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, text] of entries) {
    const content = Buffer.from(text);
    const packed = deflateRawSync(content);
    const facts = Buffer.alloc(26);
    facts.writeUInt16LE(20, 0);
    facts.writeUInt16LE(DEFLATED, 4);
    facts.writeUInt32LE(crc32(content), 10);
    facts.writeUInt32LE(packed.length, 14);
    facts.writeUInt32LE(content.length, 18);
    facts.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004'), facts, Buffer.from(name), packed]);
    const entry = Buffer.alloc(46);
    entry.write('PK\u0001\u0002', 0, 'latin1');
    facts.copy(entry, 6);
    entry.writeUInt32LE(offset, 42);
    directory.push(entry, Buffer.from(name));
    parts.push(local);
    offset += local.length;
  }
  const end = Buffer.alloc(22);
  end.write('PK\u0005\u0006', 0, 'latin1');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(Buffer.concat(directory).length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, ...directory, end]);
}

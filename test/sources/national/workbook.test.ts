/** A workbook as other programs write it, or as a failing disk leaves it: all of it or none. */
import { deflateRawSync } from 'node:zlib';
import exceljs from 'exceljs';
import { describe, expect, test } from 'vitest';
import { gathering } from '#slices/ingestion';
import type { ListEntity } from '#slices/lists';
import { pdfRows } from '../../../src/sources/national/pdfRows.ts';
import { nationalReader } from '../../../src/sources/national/reader.ts';
import { shownNumber } from '../../../src/sources/national/shownNumber.ts';
import { xlsxRows } from '../../../src/sources/national/xlsxRows.ts';
import { unzip, zipStored } from '../../../src/sources/national/zipFile.ts';
import { chunksOf } from '../chunks.ts';
import { countries } from '../countries.ts';

/** In this process: they are hundreds, and a process each takes half a second. */
const HERE = { pdf: pdfRows, spreadsheet: xlsxRows };

async function read(file: Uint8Array): Promise<ListEntity[]> {
  return (await readList(file)).entities;
}

async function readList(file: Uint8Array) {
  const entities: ListEntity[] = [];
  const list = await nationalReader(countries, HERE).read(chunksOf(file), {
    sourceId: 'BCT_TN',
    sink: gathering(entities),
  });
  return { ...list, entities };
}

const TITLE = ['Mise à jour : 12/03/2026'];

async function twoSheets(): Promise<Buffer> {
  const book = new exceljs.Workbook();
  const persons = book.addWorksheet('Personnes');
  persons.addRow(TITLE);
  persons.addRow(['N°', 'Nom et prénom', 'Date de naissance', 'CIN']);
  const row = persons.addRow([1, 'Ali Ben Salah', new Date(Date.UTC(1980, 2, 12)), 1234567]);
  row.getCell(4).numFmt = '00000000';
  const bodies = book.addWorksheet('Entités');
  bodies.addRow(['N°', 'Dénomination', 'Matricule fiscal']);
  bodies.addRow([1, 'Association El Khir', '1234567A']);
  return Buffer.from(await book.xlsx.writeBuffer());
}

const NAMES = ['Ali Ben Salah', 'Association El Khir'];

describe('a workbook', () => {
  test('a damaged bit is refused, or changes nothing', async () => {
    const file = await twoSheets();
    const whole = JSON.stringify(await read(file));
    const outcomes = { refused: 0, same: 0 };
    for (let at = 4; at < file.length; at += 29) {
      const damaged = Buffer.from(file);
      damaged[at] = (damaged[at] ?? 0) ^ (1 << (at % 8));
      const entities = await read(damaged).catch((error: { code: string }) => error.code);
      if (Array.isArray(entities)) {
        expect(JSON.stringify(entities), `byte ${at}`).toBe(whole);
        outcomes.same++;
      } else {
        expect(entities, `byte ${at}`).toMatch(/^list-/);
        outcomes.refused++;
      }
    }
    expect(outcomes.refused).toBeGreaterThan(outcomes.same);
  });

  test('content that is not what was packed is refused, though its size is right', async () => {
    const stored = Buffer.concat(zipStored(unzip(await twoSheets())));
    const at = stored.indexOf('Ali Ben Salah');
    stored.write('Ali Ben Sa!ah', at);
    await expect(read(stored)).rejects.toThrow('an entry that is not what was packed');
  });

  test('entries may be stored, in any order', async () => {
    const entries = [...unzip(await twoSheets())];
    for (const one of [entries, entries.toReversed()]) {
      const entities = await read(Buffer.concat(zipStored(one)));
      expect(entities.map(({ primary_name }) => primary_name)).toEqual(NAMES);
      expect(entities[0]).toMatchObject({
        dates_of_birth: ['1980-03-12'],
        identifiers: { national_id: '01234567' },
      });
    }
  });

  test('sheets are found by their relations, whatever they are called', async () => {
    const parts = [...unzip(await twoSheets())].map(([name, content]) => {
      const text = content.toString().replaceAll('worksheets/sheet2.xml', 'tables/entities.xml');
      return [name.replace('worksheets/sheet2.xml', 'tables/entities.xml'), text] as const;
    });
    const file = zipStored(parts.map(([name, text]) => [name, Buffer.from(text)]));
    const entities = await read(Buffer.concat(file));
    expect(entities.map(({ primary_name }) => primary_name)).toEqual(NAMES);
    const missing = zipStored(
      parts.flatMap(([name, text]) => (/entities/.test(name) ? [] : [[name, Buffer.from(text)]])),
    );
    await expect(read(Buffer.concat(missing))).rejects.toThrow('a part that is missing');
  });

  test('texts in runs, readings beside texts and ISO dates are read as they are', async () => {
    const cell = (ref: string, attributes: string, content: string): string =>
      `<c r="${ref}"${attributes}>${content}</c>`;
    const inline = '<is><r><t xml:space="preserve">Ali &amp; </t></r><r><t>Ben Salah</t></r></is>';
    const parts = [...unzip(await twoSheets())].map(([name, content]): [string, Buffer] => {
      const text = content
        .toString()
        .replace(/<c r="B3".*?<\/c>/, cell('B3', ' t="inlineStr"', inline))
        .replace(/<c r="C3"( s="\d+").*?<\/c>/, (_, style: string) =>
          cell('C3', `${style} t="d"`, '<v>1980-03-12T00:00:00.000Z</v>'),
        )
        .replace(/(<t>Association El Khir<\/t>)/, '$1<rPh sb="0" eb="1"><t>X</t></rPh>');
      return [name, Buffer.from(text)];
    });
    const entities = await read(Buffer.concat(zipStored(parts)));
    expect(entities.map(({ primary_name }) => primary_name)).toEqual([
      'Ali & Ben Salah',
      'Association El Khir',
    ]);
    expect(entities[0]?.dates_of_birth).toEqual(['1980-03-12']);
  });

  const ALI = '<c r="B3" t="inlineStr"><is><t>Ali Ben Salah</t></is></c>';
  const BORN = '<c r="C3" t="d"><v>1980-03-12</v></c>';
  const spelled = async (name: string, born: string, change = (sheet: string) => sheet) => {
    const parts = [...unzip(await twoSheets())].map(([path, content]): [string, Buffer] => {
      if (!path.endsWith('sheet1.xml')) return [path, content];
      const sheet = content
        .toString()
        .replace(/<c r="B3".*?<\/c>/, () => name)
        .replace(/<c r="C3".*?<\/c>/, () => born);
      return [path, Buffer.from(change(sheet))];
    });
    return Buffer.concat(zipStored(parts));
  };

  test.each([
    ['as ever', ALI, BORN],
    ['single quotes', ALI.replaceAll('"', "'"), BORN.replaceAll('"', "'")],
    ['a line feed before an attribute', ALI, BORN.replace(' t=', '\nt=').replace(' r=', '\tr=')],
    ['space around an equals sign', ALI, BORN.replace('t=', 't = ')],
    ['a bracket in a value', ALI, BORN.replace(' t=', ' x=">" t=')],
    ['comments', ALI.replace(' Ben', '<!-- <is> --> Ben'), BORN.replace('0-', '0<!----->-')],
    ['instructions', ALI.replace(' Ben', '<?a <is>?> Ben'), BORN.replace('0-', '0<?a?>-')],
    ['CDATA', ALI.replace('Ben', '<![CDATA[Ben]]>'), BORN.replace('1980', '<![CDATA[1980]]>')],
    [
      'runs with space in their tags',
      ALI.replace('<is><t>', '<is ><r ><t >')
        .replace(' Ben', ' </t ></r ><r><t>Ben')
        .replace('</t></is>', '</t></r><rPh sb="0" eb="1"/><rPh sb="0" eb="1"><t>X</t></rPh></is>'),
      BORN,
    ],
  ])('a sheet means the same however it is spelled: %s', async (_, name, born) => {
    const [person] = await read(await spelled(name, born));
    expect(person).toMatchObject({
      dates_of_birth: ['1980-03-12'],
      primary_name: 'Ali Ben Salah',
    });
  });

  test('what CDATA holds is text, and never markup', async () => {
    const name = ALI.replace('Ben', '<![CDATA[& <b>]]>');
    const [person] = await read(await spelled(name, BORN));
    expect(person?.primary_name).toBe('Ali & <b> Salah');
  });

  test('names with a prefix are the names that they are', async () => {
    const parts = [...unzip(await twoSheets())].map(([path, content]): [string, Buffer] => {
      if (!/sheet\d|sharedStrings|styles/.test(path)) return [path, content];
      const text = content.toString().replace(/<(\/?)(?=[a-z])/gi, '<$1x:');
      return [path, Buffer.from(text.replaceAll('xmlns=', 'xmlns:x='))];
    });
    const entities = await read(Buffer.concat(zipStored(parts)));
    expect(entities.map(({ primary_name }) => primary_name)).toEqual(NAMES);
    expect(entities[0]?.dates_of_birth).toEqual(['1980-03-12']);
  });

  test.each([
    ['a type of a cell that is none', (sheet: string) => sheet.replace(' t="d"', ' t="&#100;"')],
    ['tags that do not pair', (sheet: string) => sheet.replace('</is>', '</r></is>')],
    ['no -->', (sheet: string) => sheet.replace('<is>', '<is><!-- ')],
    ['a malformed tag', (sheet: string) => sheet.replace(' t="d"', " t='d")],
    ['a malformed tag', (sheet: string) => `<!DOCTYPE a>${sheet}`],
    ['twice', (sheet: string) => sheet.replace(' t="d"', ' t="d" t="n"')],
  ])('a sheet that has no one meaning is refused by its name: %s', async (what, change) => {
    const file = await spelled(ALI, BORN, change);
    await expect(read(file)).rejects.toMatchObject({
      code: 'list-damaged',
      message: expect.stringMatching(`xl/worksheets/sheet1.xml: .*${what}`),
    });
  });

  test('a sheet in another encoding is refused', async () => {
    const parts = [...unzip(await twoSheets())].map(([path, content]): [string, Buffer] => {
      return [path, path.endsWith('Strings.xml') ? Buffer.from(`${content}`, 'latin1') : content];
    });
    const file = Buffer.concat(zipStored(parts));
    await expect(read(file)).rejects.toThrow('xl/sharedStrings.xml: it is not UTF-8');
  });

  test('a character is read whole, wherever the piece that it stands in ends', async () => {
    const name = (index: number): string => `محمد بن علي ${'ب'.repeat(index % 7)}${index}`;
    const ids = Array.from({ length: 3_000 }, (_, index) => index);
    const rows = ids.map((id) => [`${id}`, name(id), '', `${10_000_000 + id}`, '']);
    const entities = await read(await workbook([TITLE, PERSONS, ...rows]));
    expect(entities.map(({ primary_name }) => primary_name)).toEqual(ids.map(name));
  });

  test('an entry that holds more than it declares is never unpacked whole', () => {
    const [entry] = [...unzip(Buffer.concat(zipStored([['a', Buffer.alloc(10)]])))];
    expect(entry?.[1]).toHaveLength(10);
    const bomb = Buffer.concat(zipStored([['a', deflateRawSync(Buffer.alloc(1_000_000))]]));
    const directory = bomb.indexOf(Buffer.from([0x50, 0x4b, 1, 2]));
    bomb.writeUInt16LE(8, directory + 10);
    expect(() => unzip(bomb)).toThrow('larger than declared');
  });
});

const PERSONS = ['N°', 'Nom et prénom', 'Date de naissance', 'CIN', 'Adresse'];
const PERSON = ['1', 'Ali Ben Salah', '12/03/1980', '01234567', 'Tunis'];
const BODIES = ['N°', 'Dénomination', 'Matricule fiscal'];
const BODY = ['1', 'Association El Khir', '1234567A'];

async function workbook(...sheets: readonly (readonly (readonly string[])[])[]): Promise<Buffer> {
  const book = new exceljs.Workbook();
  for (const [index, rows] of sheets.entries()) {
    const sheet = book.addWorksheet(`S${index}`);
    for (const row of rows) sheet.addRow([...row]);
  }
  return Buffer.from(await book.xlsx.writeBuffer());
}

describe('the sheets of a workbook', () => {
  const rewrite = async (path: string, change: (text: string) => string): Promise<Buffer> => {
    const parts = [...unzip(await twoSheets())].map(([name, content]): [string, Buffer] => [
      name,
      name === path ? Buffer.from(change(content.toString())) : content,
    ]);
    return Buffer.concat(zipStored(parts));
  };

  test('one part is one sheet, however often it is named', async () => {
    const again = (text: string): string => text.replace(/<sheet [^>]*>/, '$&$&');
    const file = await rewrite('xl/workbook.xml', again);
    await expect(read(file)).rejects.toThrow('a sheet that stands twice');

    const aliased = await rewrite('xl/_rels/workbook.xml.rels', (text) =>
      text.replaceAll('sheet2.xml', 'sheet1.xml'),
    );
    await expect(read(aliased)).rejects.toThrow('a sheet that stands twice');
    const sameId = await rewrite('xl/_rels/workbook.xml.rels', (text) =>
      text.replace(/<Relationship [^>]*>/, '$&$&'),
    );
    await expect(read(sameId)).rejects.toThrow('a relation that stands twice');
  });

  test.each(['hidden', 'veryHidden'] as const)('one that is %s refuses the file', async (state) => {
    const book = new exceljs.Workbook();
    book.addWorksheet('Liste').addRow(['N°', 'Nom et prénom']);
    book.addWorksheet('Ancien', { state }).addRow(['N°', 'Nom et prénom']);
    const file = Buffer.from(await book.xlsx.writeBuffer());
    await expect(read(file)).rejects.toMatchObject({
      code: 'list-damaged',
      message: 'spreadsheet: a hidden sheet: show it, or take it out',
    });
  });

  test('more than a hundred sheets are no list', async () => {
    const file = await rewrite('xl/workbook.xml', (text) =>
      text.replace(/<sheet [^>]*>/, (sheet) => sheet.repeat(100)),
    );
    await expect(read(file)).rejects.toThrow('over 100 sheets');
  });

  test('a sheet has a heading of its own, or the same again', async () => {
    const more = ['2', 'Omar Trabelsi', '', '', ''];
    const file = await workbook(
      [TITLE, PERSONS, PERSON],
      [['Suite'], PERSONS, more],
      [BODIES, BODY],
    );
    const { entities, notes } = await readList(file);
    expect(notes).toEqual({});
    expect(entities.map(({ primary_name }) => primary_name)).toEqual([
      'Ali Ben Salah',
      'Omar Trabelsi',
      'Association El Khir',
    ]);
    expect(entities[2]).toMatchObject({
      identifiers: { tax_id: '1234567A' },
      schema: 'LegalEntity',
    });
  });

  test('a sheet without a heading refuses the file, unless it is but text', async () => {
    const headless = await workbook([TITLE, PERSONS, PERSON], [BODY]);
    await expect(read(headless)).rejects.toThrow('sheet 2, row 1: a row above any heading');
    const pairs = await workbook([TITLE, PERSONS, PERSON], [['El Khir', 'Tunis']]);
    await expect(read(pairs)).rejects.toThrow('sheet 2, row 1: a sheet without a heading');
    const text = await workbook([TITLE, PERSONS, PERSON], [['Les dates sont approximatives']]);
    expect(await readList(text)).toMatchObject({ notes: { 'sheet-without-table': 1 } });
  });
});

describe('shownNumber', () => {
  test.each([
    [1_234_567, '00000000', '01234567'],
    [0, '00000000', '00000000'],
    [123_456_789, '00000000', '123456789'],
    [1_234_567, '0000-0000', '0123-4567'],
    [1_234_567, '00 000 000', '01 234 567'],
    [1_234_567, '00\\.000\\.000', '01.234.567'],
    [1_234_567, '"CIN "00000000', 'CIN 01234567'],
    [1_234_567, '00000000;-00000000', '01234567'],
    [12, '##0000', '0012'],
    [1_234_567, '0', '1234567'],
    [1_234_567, 'General', '1234567'],
    [1_234_567, '#,##0', '1234567'],
    [1_234_567, '0.00', '1234567'],
    [0.5, '00000000', '0.5'],
    [-5, '00000000', '-5'],
    [1_234_567, '[>9]00;0', '1234567'],
    [1_234_567, undefined, '1234567'],
  ])('%d under %s is %s', (value, format, shown) => {
    expect(shownNumber(value, format)).toBe(shown);
  });
});

/** The national list as spreadsheet and as CSV: headings of three languages, what is refused. */
import exceljs from 'exceljs';
import { describe, expect, test } from 'vitest';
import { gathering } from '#slices/ingestion';
import type { ListEntity } from '#slices/lists';
import { nationalReader } from '../../../src/sources/national/reader.ts';
import { chunksOf } from '../chunks.ts';
import { countries } from '../countries.ts';

async function read(file: string | Uint8Array) {
  const entities: ListEntity[] = [];
  const list = await nationalReader(countries).read(chunksOf(file, 1_000), {
    sourceId: 'BCT_TN',
    sink: gathering(entities),
  });
  return { ...list, entities };
}

async function xlsx(rows: readonly (readonly unknown[])[]): Promise<Buffer> {
  const workbook = new exceljs.Workbook();
  const sheet = workbook.addWorksheet('Liste');
  for (const row of rows) sheet.addRow([...row]);
  return Buffer.from(await workbook.xlsx.writeBuffer());
}

const TITLE = ['Liste nationale, mise à jour : 12/03/2026'];
const FRENCH = [
  'N°',
  'Nom et prénom',
  'Alias',
  'Date de naissance',
  'Nationalité',
  'N° CIN',
  'Motif',
];

describe('a spreadsheet in French', () => {
  test('every cell goes where the format has a place for it', async () => {
    const file = await xlsx([
      TITLE,
      [],
      FRENCH,
      [
        1,
        'Mohamed Ben Ali',
        'Abou Salah; Le Borgne',
        new Date(Date.UTC(1980, 2, 12)),
        'Tunisienne',
        '01234567',
        'Décision 4',
      ],
    ]);
    const { entities, notes, releaseDate, skipped } = await read(file);
    expect({ notes, releaseDate, skipped }).toEqual({
      notes: {},
      releaseDate: '2026-03-12',
      skipped: [],
    });
    expect(entities).toEqual([
      {
        addresses: [],
        akas: ['Abou Salah', 'Le Borgne'],
        associations: [],
        categories: ['SAN'],
        citizenships: ['TN'],
        countries: [],
        dates_of_birth: ['1980-03-12'],
        first_seen_at: '2026-03-12',
        flattened_associated_sanctioned: [],
        ftm_id: expect.stringMatching(/^tn-[0-9a-f]{20}$/),
        identifiers: { national_id: '01234567' },
        last_seen_at: '2026-03-12',
        places_of_birth: [],
        primary_name: 'Mohamed Ben Ali',
        primary_name_folded: 'mohamed ben ali',
        properties: { reason: ['Décision 4'] },
        schema: 'Person',
        source_lists_hits: [{ added_at: '2026-03-12', list: 'BCT_TN', version: '2026-03-12' }],
      },
    ]);
  });

  test('the number in front is no identity: without the row above, the entry stays', async () => {
    const row = (rank: number, name: string) => [rank, name, '', '', '', '', ''];
    const both = await read(await xlsx([TITLE, FRENCH, row(1, 'Ali A'), row(2, 'Omar B')]));
    const one = await read(await xlsx([TITLE, FRENCH, row(1, 'Omar B')]));
    expect(one.entities[0]?.ftm_id).toBe(both.entities[1]?.ftm_id);
  });

  test('a formula makes its row one that is not trusted', async () => {
    const rows = Array.from({ length: 150 }, (_, index) => [index + 1, `Person Number${index}`]);
    const formula = { formula: '1+1', result: 'Ali' };
    const file = await xlsx([TITLE, FRENCH, ...rows, [151, formula]]);
    const { entities, skipped } = await read(file);
    expect(entities).toHaveLength(150);
    expect(skipped).toEqual(['row 153: column 2: a formula or an error']);
  });

  test('a row with more columns than are read is not trusted', async () => {
    const rows = Array.from({ length: 150 }, (_, index) => [index + 1, `Person Number${index}`]);
    const wide = [151, 'Person Wide', ...Array.from({ length: 98 }, () => null), 'far away'];
    const file = await xlsx([TITLE, FRENCH, ...rows, wide]);
    const { entities, skipped } = await read(file);
    expect(entities).toHaveLength(150);
    expect(skipped).toEqual(['row 153: expected at most 100 columns']);
  });

  test('an entry that stands twice is taken once', async () => {
    const rows = Array.from({ length: 150 }, (_, index) => [index + 1, `Person Number${index}`]);
    const { entities, skipped } = await read(
      await xlsx([TITLE, FRENCH, ...rows, [151, 'Person Number0']]),
    );
    expect(entities).toHaveLength(150);
    expect(skipped).toEqual(['row 153: the same entry as row 3']);
  });

  test('a cut or inflated file is refused before it is opened', async () => {
    const file = await xlsx([TITLE, FRENCH, [1, 'Ali', '', '', '', '', '']]);
    await expect(read(file.subarray(0, -30))).rejects.toMatchObject({ code: 'list-damaged' });
    const liar = Buffer.from(file);
    const directory = liar.indexOf(Buffer.from([0x50, 0x4b, 1, 2]));
    liar.writeUInt32LE(10, directory + 24);
    await expect(read(liar)).rejects.toMatchObject({ code: 'list-damaged' });
    const bomb = Buffer.from(file);
    bomb.writeUInt32LE(0x7fff_ffff, directory + 24);
    await expect(read(bomb)).rejects.toThrow('bytes unpacked');
  });
});

describe('CSV', () => {
  test('Arabic headings, Tunisian months, Arabic digits', async () => {
    const text = [
      'القائمة الوطنية - تحيين 05/01/2026',
      'الرقم;الاسم واللقب;تاريخ ومكان الولادة;الجنسية;رقم جواز السفر;ملاحظات',
      '١;محمد بن علي;12 جويلية 1979 بتونس;تونسية;A١٢٣;لا شيء',
      '',
    ].join('\r\n');
    const { entities, releaseDate } = await read(text);
    expect(releaseDate).toBe('2026-01-05');
    expect(entities[0]).toMatchObject({
      citizenships: ['TN'],
      dates_of_birth: ['1979-07-12'],
      identifiers: { passport: 'A123' },
      places_of_birth: ['بتونس'],
      primary_name: 'محمد بن علي',
      properties: { remarks: ['لا شيء'] },
      schema: 'Person',
    });
  });

  test('English headings, bodies and persons by their type, references as ids', async () => {
    const text = [
      'Reference,Name,Type,Date of birth,Listed on,Colour',
      'TN/1,Charity of the North,Legal entity,,2025-11-02,green',
      'TN/2,John Smith,Individual,about 1970,2025-10-01,',
      '',
    ].join('\n');
    const { entities, notes, releaseDate } = await read(`\ufeff${text}`);
    expect(releaseDate).toBe('2025-11-02');
    expect(notes).toEqual({ 'column-unknown': 1, 'date-unreadable': 1 });
    expect(entities.map(({ ftm_id, schema }) => [ftm_id, schema])).toEqual([
      ['tn-TN/1', 'LegalEntity'],
      ['tn-TN/2', 'Person'],
    ]);
    expect(entities[0]?.properties).toMatchObject({ colour: ['green'] });
    expect(entities[0]?.first_seen_at).toBe('2025-11-02');
  });

  test.each([
    ['a table of something else', 'product;price\nbread;1\n', 'list-foreign'],
    ['an empty file', '', 'list-foreign'],
    ['no date anywhere', 'Nom;Prénom\nBen Ali;Mohamed\n', 'list-damaged'],
    ['an old spreadsheet', Buffer.from('d0cf11e0a1b11ae1', 'hex'), 'list-foreign'],
    ['another encoding', Buffer.from('Nom;Pr\xe9nom\nBen Ali;Mohamed\n', 'latin1'), 'list-damaged'],
    ['a last row without a line end', 'Le 12/03/2026\nNom;Prénom\nBen Ali;Moha', 'list-damaged'],
    ['an open quote', 'Le 12/03/2026\nNom;Prénom\n"Ben Ali;Mohamed\n', 'list-damaged'],
  ])('%s is refused', async (_, file, code) => {
    await expect(read(file)).rejects.toMatchObject({ code });
  });
});

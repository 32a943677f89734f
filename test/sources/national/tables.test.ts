/** A national list of several tables: each row is read under its own heading, or not at all. */
import { describe, expect, test } from 'vitest';
import { gathering } from '#slices/ingestion';
import type { ListEntity } from '#slices/lists';
import { nationalReader } from '../../../src/sources/national/reader.ts';
import { chunksOf } from '../chunks.ts';
import { countries } from '../countries.ts';
import { type PlacedText, pdfFile } from './pdfFile.ts';

async function read(file: string | Uint8Array) {
  const entities: ListEntity[] = [];
  const list = await nationalReader(countries).read(chunksOf(file, 1_000), {
    sourceId: 'BCT_TN',
    sink: gathering(entities),
  });
  const told = entities.map(({ addresses, identifiers, primary_name, schema }) => ({
    addresses,
    identifiers,
    primary_name,
    schema,
  }));
  return { ...list, told };
}

const lines = (...rows: readonly string[]): string => `${rows.join('\n')}\n`;

const TITLE = 'Mise à jour : 12/03/2026';
const PERSONS = ['N°', 'Nom et prénom', 'Date de naissance', 'CIN', 'Adresse'];
const PERSON = ['1', 'Ali Ben Salah', '12/03/1980', '01234567', 'Tunis'];
const BODIES = ['N°', 'Dénomination', 'Matricule fiscal', 'Adresse', "Date d'inscription"];
const BODY = ['1', 'Association El Khir', '1234567A', 'Rue de Rome', '01/02/2020'];
const BOTH = [
  {
    addresses: ['Tunis'],
    identifiers: { national_id: '01234567' },
    primary_name: 'Ali Ben Salah',
    schema: 'Person',
  },
  {
    addresses: ['Rue de Rome'],
    identifiers: { tax_id: '1234567A' },
    primary_name: 'Association El Khir',
    schema: 'LegalEntity',
  },
];

describe('two tables in one CSV', () => {
  const persons = [TITLE, PERSONS.join(';'), PERSON.join(';')];

  test.each([
    ['right under each other', []],
    ['with an empty line between', [';;;;']],
    ['with a title between', [';;;;', 'II. Personnes morales;;;;']],
    ['with a title under the last row', ['II. Personnes morales;;;;']],
  ])('%s: each row has its own heading', async (_, between) => {
    const { skipped, told } = await read(
      lines(...persons, ...between, BODIES.join(';'), BODY.join(';')),
    );
    expect(skipped).toEqual([]);
    expect(told).toEqual(BOTH);
  });

  test.each([
    ['no column of names', 'N°;Sigle;Matricule fiscal;Adresse'],
    ['nothing but the number', 'N°;Sigle;Immatriculation;Siège'],
    ['one word that no row holds', 'Sigle;Immatriculation;Adresse'],
    ['fewer known than unknown', 'Dénomination;Adresse;Sigle;Forme;Objet'],
    ['only what rows say too', 'No;Entité;Sigle'],
  ])('a further heading that is not known (%s) refuses the file', async (_, heading) => {
    await expect(read(lines(...persons, heading, BODY.join(';')))).rejects.toThrow(
      'line 4: a heading that is not known',
    );
  });

  test('an unknown heading above the first known one refuses the file, too', async () => {
    const file = lines(TITLE, 'N°;Sigle;Matricule fiscal', '1;X;1', BODIES.join(';'));
    await expect(read(file)).rejects.toThrow('line 2: a heading that is not known');
    const rows = lines(TITLE, 'Rang;Sigle;Objet', '1;X;Y', BODIES.join(';'));
    await expect(read(rows)).rejects.toMatchObject({ code: 'list-damaged' });
  });

  test('a numbered row above any heading refuses the file', async () => {
    const file = lines(TITLE, 'Sigle;Objet;Siège', '1;El Khir;Tunis', BODIES.join(';'));
    await expect(read(file)).rejects.toThrow('line 3: a row above any heading');
    const arabic = lines(TITLE, 'تونس;الخير;١', BODIES.join(';'));
    await expect(read(arabic)).rejects.toThrow('line 2: a row above any heading');
    const letterhead = lines('République;Liste nationale;1', TITLE, BODIES.join(';'));
    expect(await read(letterhead)).toMatchObject({ releaseDate: '2026-03-12' });
  });

  test('words that are headings elsewhere stay values of a row', async () => {
    const { told } = await read(
      lines(TITLE, 'N°;Nom ou dénomination;Type;Alias', '1;El Khir;Entité;No', '2;Ali;Dit;Alias'),
    );
    expect(told.map(({ primary_name }) => primary_name)).toEqual(['El Khir', 'Ali']);
  });

  test('a lone name above a heading may be an entry or a title, and is told', async () => {
    const many = Array.from({ length: 150 }, (_, index) => `Person Number${index};Tunis`);
    const { skipped, told } = await read(
      lines(TITLE, 'Nom et prénom;Adresse', ...many, 'Entités;', 'Dénomination;Adresse', 'X;Y'),
    );
    expect(told).toHaveLength(151);
    expect(skipped).toEqual(['line 153: an entry, or the title of the next table']);
  });
});

describe('two tables in a PDF', () => {
  const X = [40, 90, 260, 420, 560];
  const row = (y: number, cells: readonly string[]): PlacedText[] =>
    cells.map((text, index) => ({ text, x: X[index] ?? 0, y }));
  const persons = [...row(540, PERSONS), ...row(520, PERSON)];
  const title = { text: TITLE, x: 250, y: 570 };
  const between = { text: 'Liste des personnes morales', x: 250, y: 460 };

  test.each([
    ['on one page', [[title, ...persons, ...row(440, BODIES), ...row(420, BODY)]]],
    ['with a title', [[title, ...persons, between, ...row(440, BODIES), ...row(420, BODY)]]],
    [
      'with a title on the next page',
      [
        [title, ...persons],
        [between, ...row(440, BODIES), ...row(420, BODY)],
      ],
    ],
  ])('%s: each row has its own heading', async (_, pages) => {
    const { skipped, told } = await read(pdfFile(pages));
    expect(skipped).toEqual([]);
    expect(told).toEqual(BOTH);
  });

  test('a lone line on top of a page that may be more of the last row is none', async () => {
    const more = { text: '1000 Tunis', x: 560, y: 540 };
    const pages = [
      [title, ...persons],
      [more, ...row(440, BODIES), ...row(420, BODY)],
    ];
    await expect(read(pdfFile(pages))).rejects.toThrow('2 of 3 records cannot be read');
  });

  test('a further heading that is not known refuses the file', async () => {
    const unknown = row(440, ['N°', 'Sigle', 'Matricule fiscal', 'Adresse']);
    const file = pdfFile([[title, ...persons, ...unknown, ...row(420, BODY)]]);
    await expect(read(file)).rejects.toThrow('page 1, line 4: a heading that is not known');
  });
});

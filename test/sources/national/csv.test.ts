/** The national list as CSV: which character parts cells, and rows whose cells have moved. */
import { describe, expect, test } from 'vitest';
import { gathering } from '#slices/ingestion';
import type { ListEntity } from '#slices/lists';
import { nationalReader } from '../../../src/sources/national/reader.ts';
import { chunksOf } from '../chunks.ts';
import { countries } from '../countries.ts';

async function read(...rows: readonly string[]) {
  const entities: ListEntity[] = [];
  const list = await nationalReader(countries).read(chunksOf(`${rows.join('\n')}\n`, 1_000), {
    sourceId: 'BCT_TN',
    sink: gathering(entities),
  });
  return { ...list, entities };
}

const TITLE = 'Mise à jour : 12/03/2026';
const HEADING = 'N°,Nom et prénom,Date de naissance,Adresse,CIN';
const MANY = Array.from({ length: 250 }, (_, index) => `${index},Person Number${index},,Tunis,`);

describe('rows of another number of cells', () => {
  test.each([
    ['more', '1,Ali Ben Salah,12/03/1980,12, rue de Rome, Tunis,01234567', 7],
    ['fewer', '1,Ali Ben Salah,01234567', 3],
  ])('%s cells than the heading: skipped and told', async (_, row, count) => {
    const { entities, skipped } = await read(TITLE, HEADING, ...MANY, row);
    expect(entities).toHaveLength(250);
    expect(skipped).toEqual([`line 253: expected 5 cells as in the heading, got ${count}`]);
  });

  test('empty cells behind the last column are those of a spreadsheet', async () => {
    const wide = '1,Ali Ben Salah,12/03/1980,Tunis,01234567,,,';
    const { entities, skipped } = await read(TITLE, `${HEADING},,,`, wide, '2,Omar B,,Sfax,');
    expect(skipped).toEqual([]);
    expect(entities.map(({ addresses }) => addresses)).toEqual([['Tunis'], ['Sfax']]);
  });

  test('their dates of listing date no list', async () => {
    const heading = "Nom et prénom;Date d'inscription";
    const rows = MANY.map((_, index) => `Person Number${index};01/02/2020`);
    const { releaseDate } = await read(heading, ...rows, 'Ali;12/03/2026;Tunis');
    expect(releaseDate).toBe('2020-02-01');
  });
});

describe('the delimiter', () => {
  const streets = Array.from(
    { length: 30 },
    (_, index) => `${index}, rue X, cité Y, appt 3, Tunis`,
  );

  test.each([';', '\t'])('%j, though the addresses hold more commas', async (delimiter) => {
    const rows = [
      ['N°', 'Nom et prénom', 'Adresse'],
      ...streets.map((street, index) => [`${index}`, `Person Number${index}`, street]),
    ];
    const { entities } = await read(TITLE, ...rows.map((row) => row.join(delimiter)));
    expect(entities.map(({ addresses }) => addresses)).toEqual(streets.map((street) => [street]));
  });

  test('the comma, though the addresses hold semicolons', async () => {
    const address = '"12; rue de Rome; Tunis; Tunisie; 1000; étage 2; appt 3"';
    const { entities } = await read(TITLE, HEADING, `1,Ali,,${address},`);
    expect(entities[0]?.addresses).toHaveLength(7);
  });
});

describe('what a row says twice, or unreadably', () => {
  test('names and references of a second column are kept', async () => {
    const { entities } = await read(
      TITLE,
      'Réf;Nom;Prénom;اللقب;الاسم;Identifiant',
      'A1;Ben Ali;Mohamed;بن علي;محمد;B7',
      'A2;;;الغربي;علي;',
      'A3;Trabelsi;Omar;الطرابلسي;;',
    );
    const told = entities.map(({ akas, ftm_id, primary_name, properties }) => [
      ftm_id,
      primary_name,
      akas,
      properties,
    ]);
    expect(told).toEqual([
      ['tn-A1', 'Mohamed Ben Ali', ['محمد بن علي'], { reference: ['B7'] }],
      ['tn-A2', 'علي الغربي', [], {}],
      ['tn-A3', 'Omar Trabelsi', [], { last_name: ['الطرابلسي'] }],
    ]);
  });

  test('dates that cannot be read are kept and counted', async () => {
    const { entities, notes } = await read(
      TITLE,
      "Nom et prénom;Date et lieu de naissance;Date d'inscription",
      'Ali;12/03/1980 ou 13/03/1980 à Tunis;bientôt',
      'Omar;31/02/1980 à Sfax;01/02/2020',
    );
    expect(notes).toEqual({ 'date-unreadable': 3 });
    expect(entities.map(({ dates_of_birth, properties }) => [dates_of_birth, properties])).toEqual([
      [
        [],
        {
          listed_on: ['bientôt'],
          unreadable_dates_of_birth: ['12/03/1980 ou 13/03/1980 à Tunis'],
        },
      ],
      [[], { listed_on: ['2020-02-01'], unreadable_dates_of_birth: ['31/02/1980 à Sfax'] }],
    ]);
  });

  test('a value under no heading is kept and counted', async () => {
    const { entities, notes } = await read(TITLE, 'Nom et prénom;;Adresse', 'Ali;5;Tunis');
    expect(notes).toEqual({ 'column-unknown': 1 });
    expect(entities[0]?.properties).toEqual({ unnamed_column: ['5'] });
  });
});

/** The national list as CSV: which character parts cells, and rows whose cells have moved. */
import { describe, expect, test } from 'vitest';
import { gathering, type ListEntity } from '#domain/lists';
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

/** The national list as a PDF: rows put together again, and rows that could be two. */
import { describe, expect, test } from 'vitest';
import { gathering } from '#slices/ingestion';
import type { ListEntity } from '#slices/lists';
import { nationalReader } from '../../../src/sources/national/reader.ts';
import { chunksOf } from '../chunks.ts';
import { countries } from '../countries.ts';
import { type PlacedText, pdfFile } from './pdfFile.ts';

async function read(pages: readonly (readonly PlacedText[])[]) {
  const entities: ListEntity[] = [];
  const list = await nationalReader(countries).read(chunksOf(pdfFile(pages)), {
    sourceId: 'BCT_TN',
    sink: gathering(entities),
  });
  return { ...list, entities };
}

const X = [40, 90, 300, 420, 540];
const row = (y: number, cells: readonly string[]): PlacedText[] =>
  cells.flatMap((text, index) => (text === '' ? [] : [{ text, x: X[index] ?? 0, y }]));

const HEADING = row(540, ['No', 'Nom et prénom', 'Date de naissance', 'Nationalité', 'Adresse']);
const TITLE = { text: 'Liste nationale du 12/03/2026', x: 250, y: 570 };
const MANY = Array.from({ length: 400 }, (_, index) => index + 1);

/** Pages of 20 entries, so that a skipped one stays within its bounds. */
function pagesOf(special: readonly PlacedText[]): PlacedText[][] {
  const pages: PlacedText[][] = [[TITLE, ...HEADING, ...special]];
  for (let start = 0; start < MANY.length; start += 20) {
    pages.push(
      MANY.slice(start, start + 20).flatMap((rank, index) =>
        row(520 - index * 24, [
          `${rank + 100}`,
          `Person Number${rank}`,
          '12/03/1980',
          'Tunisienne',
        ]),
      ),
    );
  }
  return pages;
}

describe('PDF', () => {
  test('lines under a numbered row belong to it, page numbers to nobody', async () => {
    const { entities, releaseDate, skipped } = await read([
      [
        TITLE,
        ...HEADING,
        ...row(520, [
          '1',
          'Mohamed Ben Ali Ben Salah',
          '12/03/1980',
          'Tunisienne',
          '12 rue de Rome',
        ]),
        ...row(508, ['', '', '', '', '1000 Tunis']),
        ...row(480, ['2', 'Omar Trabelsi', '1975', 'Tunisienne', '']),
        { text: '1 / 2', x: 400, y: 20 },
      ],
      [...HEADING, ...row(520, ['3', 'Ali Gharbi', '', '', ''])],
    ]);
    expect(skipped).toEqual([]);
    expect(releaseDate).toBe('2026-03-12');
    expect(entities.map((entity) => entity.primary_name)).toEqual([
      'Mohamed Ben Ali Ben Salah',
      'Omar Trabelsi',
      'Ali Gharbi',
    ]);
    expect(entities[0]?.addresses).toEqual(['12 rue de Rome 1000 Tunis']);
    expect(entities[1]?.dates_of_birth).toEqual(['1975']);
  });

  test('text that belongs to no column faults its row', async () => {
    const lost = { text: 'somewhere', x: 215, y: 520 };
    const { entities, skipped } = await read(
      pagesOf([...row(520, ['1', 'Ali Gharbi', '', 'Tunisienne']), lost]),
    );
    expect(entities).toHaveLength(400);
    expect(skipped).toEqual(['page 1, line 3: text that belongs to no column']);
  });

  test('a line between two rows faults both of them', async () => {
    const { entities, skipped } = await read(
      pagesOf([
        ...row(520, ['1', 'Ali Gharbi', '1975', 'Tunisienne']),
        ...row(480, ['', 'Ben Salah', '', '']),
        ...row(468, ['2', 'Omar Trabelsi', '1976', 'Tunisienne']),
      ]),
    );
    expect(entities).toHaveLength(400);
    expect(skipped).toHaveLength(3);
  });

  test('Arabic comes in logical order', async () => {
    const { entities } = await read([
      [
        { text: '12/03/2026', x: 300, y: 570 },
        { text: 'الجنسية', x: 100, y: 540 },
        { text: 'الاسم واللقب', x: 300, y: 540 },
        { text: 'الرقم', x: 500, y: 540 },
        { text: 'تونسية', x: 105, y: 520 },
        { text: 'محمد بن علي', x: 305, y: 520 },
        { text: '1', x: 510, y: 520 },
      ],
    ]);
    expect(entities[0]).toMatchObject({ citizenships: ['TN'], primary_name: 'محمد بن علي' });
  });

  test('a damaged PDF is refused', async () => {
    const file = Buffer.from('%PDF-1.4\nnothing else');
    await expect(
      nationalReader(countries).read(chunksOf(file), {
        sourceId: 'BCT_TN',
        sink: gathering([]),
      }),
    ).rejects.toMatchObject({ code: 'list-damaged' });
  });

  test('headings that stand as close as words do are two where both are known', async () => {
    const x = [20, 60, 240, 330, 420];
    const line = (y: number, cells: readonly string[]): PlacedText[] =>
      cells.map((text, index) => ({ text, x: x[index] ?? 0, y }));
    const { entities, notes } = await read([
      [
        TITLE,
        ...line(540, ['N°', 'Nom et prénom', 'Date de naissance', 'CIN', 'Adresse']),
        ...line(520, ['1', 'Ali Ben Salah', '23/03/1980', '02234573', 'Rue de Rome, Tunis']),
        ...line(500, ['2', 'Omar Trabelsi', '24/04/1981', '03234573', 'Rue de Sfax, Tunis']),
      ],
    ]);
    expect(
      entities.map(({ dates_of_birth, identifiers }) => [dates_of_birth, identifiers]),
    ).toEqual([
      [['1980-03-23'], { national_id: '02234573' }],
      [['1981-04-24'], { national_id: '03234573' }],
    ]);
    expect(notes).toEqual({});
  });
});

/** The UK Sanctions List as CSV, damaged in every way: each is told with its line and column. */
import { describe, expect, test } from 'vitest';
import { readWholeList } from '#slices/ingestion';
import { ukReader } from '../../../src/sources/uk/reader.ts';
import { chunksOf } from '../chunks.ts';
import { countries } from '../countries.ts';
import { DESIGNATION_COLUMNS, designationRow, designationsCsv } from './ukFiles.ts';

const read = (content: string | Uint8Array, chunkBytes?: number) =>
  readWholeList(ukReader(countries), chunksOf(content, chunkBytes), { sourceId: 'HMT_OFSI' });

describe('a file that is none', () => {
  const row = designationRow({ 'Name 6': 'VELMOR', 'OFSI Group ID': '7', 'Unique ID': 'AFG0001' });
  const other = designationRow({ 'Name 6': 'ORVAND', 'Unique ID': 'AFG0002' });
  const rows = [row, other];
  const good = designationsCsv(rows);

  test.each<[string, string | Uint8Array, RegExp]>([
    [
      'a row that was cut',
      designationsCsv([row, '01/02/2026,AFG0002,,,OR']),
      /^line 4: expected 58 columns, got 5: it ends in column Name 6$/,
    ],
    [
      'a row that goes on',
      designationsCsv([row, `${other},x`]),
      /^line 4: expected 58 columns, got 59: it goes on after column Hull/,
    ],
    ['a last line that was cut', good.slice(0, -2), /^line 4: cut within a line/],
    [
      'a quote within a cell',
      good.replace('VELMOR', 'VEL"MOR'),
      /^line 3: column Name 6: invalid opening quote/,
    ],
    [
      'a letter behind a quote',
      good.replace('VELMOR', '"VEL"MOR'),
      /^line 3: column Name 6: invalid closing quote/,
    ],
    [
      'a quote that never closes',
      good.replace('ORVAND', '"ORVAND'),
      /^line 4: column Name 6: quote not closed/,
    ],
    [
      'windows-1252',
      Buffer.from(good.replace('ORVAND', 'ORV\u00c9ND'), 'latin1'),
      /^line 4: bytes that are not UTF-8/,
    ],
    [
      'UTF-8 that turns into something else',
      Buffer.concat([Buffer.from(good.replace('VELMOR', 'طارق')), Buffer.of(0xe9, 0x0a)]),
      /^line 5: bytes that are not UTF-8/,
    ],
    ['UTF-16', Buffer.from(`\ufeff${good}`, 'utf16le'), /^line 1: a character that no text holds/],
    ['a zero byte', good.replace('ORVAND', 'OR\0AND'), /^line \d: a character that no text holds/],
    [
      'no line of column names',
      ['Report Date: 02-Oct-2026', row, ''].join('\n'),
      /^line 2: columns missing: Unique ID, OFSI Group ID, Designation Type, /,
    ],
    [
      'nothing behind the first line',
      'Report Date: 02-Oct-2026\n',
      /^line 2: no line of column names/,
    ],
    [
      'another publisher’s columns',
      'Report Date: 02-Oct-2026\nname,id\nA,1\n',
      /^line 2: columns missing: Unique ID, /,
    ],
    [
      'a column that matters missing',
      good.replace('OFSI Group ID', 'Group'),
      /^line 2: columns missing: OFSI Group ID$/,
    ],
    [
      'a column twice',
      good.replace('Alias strength', 'Title'),
      /^line 2: column Title: the name comes twice/,
    ],
    [
      'a column under two names',
      good.replace('Alias strength', '"Individual, Entity, Ship"'),
      /^line 2: column Designation Type: Designation Type comes twice/,
    ],
    [
      'the column names twice',
      designationsCsv([row, DESIGNATION_COLUMNS, other]),
      /^line 4: column Unique ID: expected a reference/,
    ],
    ['the file twice', `${good}${good}`, /^line 5: expected 58 columns, got 1: it ends in column/],
    ['no rows', designationsCsv([]), /^line 3: expected a row/],
    [
      'a row without an id',
      designationsCsv([row, designationRow({ 'Name 6': 'A' })]),
      /^line 4: column Unique ID: expected a reference/,
    ],
    [
      'one of no kind',
      designationsCsv([designationRow({ 'Designation Type': '', 'Unique ID': 'A1' })]),
      /^line 3: target A1: expected an individual/,
    ],
    [
      'two groups of one designation',
      designationsCsv([row, row.replace(',7,', ',8,')]),
      /^line 4: column OFSI Group ID: AFG0001 had 7 before, got 8/,
    ],
    [
      'a group that is gone in a later row',
      designationsCsv([row, row.replace(',7,', ',,')]),
      /^line 4: column OFSI Group ID: AFG0001 had 7 before, got none/,
    ],
    [
      'two kinds of one designation',
      designationsCsv([row, row.replace('Individual', 'Ship')]),
      /^line 4: target 7 was of another kind before/,
    ],
    ['one without a name', designationsCsv([row.replace('VELMOR', '')]), /^target 7 has no name/],
    [
      'no day',
      designationsCsv(rows, { first: 'Report Date: 31-Feb-2026' }),
      /^line 1: Report Date/,
    ],
  ])('%s is damage, with its place', async (_what, content, place) => {
    for (const chunkBytes of [7, 64 * 1024]) {
      const error = await read(content, chunkBytes).catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: 'list-damaged', message: expect.stringMatching(place) });
    }
  });

  test.each([
    ['without its first line', good.slice(good.indexOf('\n') + 1)],
    ['whose first line is another’s', `Generated: 02-Oct-2026\n${good}`],
  ])('%s is foreign', async (_what, content) => {
    await expect(read(content)).rejects.toMatchObject({
      code: 'list-foreign',
      message: expect.stringMatching(/UK-Sanctions-List\.csv, whose first line is Report Date/),
    });
  });
});

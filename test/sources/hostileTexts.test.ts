/**
 * Texts that a stranger would write to keep a reader busy: 64 KiB of what patterns look for, again
 * and again, without ever being it. Each is read at once; that no pattern goes over a text more
 * than so often is held by test/houseRules.test.ts, and this holds the loops around them.
 */
import { describe, expect, test } from 'vitest';
import { numberedParts, readCountryCell } from '../../src/sources/countryCells.ts';
import { documentNumbers, identifierType } from '../../src/sources/documentNumbers.ts';
import { identifierMap } from '../../src/sources/entityParts.ts';
import { imoNumber } from '../../src/sources/imoNumber.ts';
import { dateWithin, readDate } from '../../src/sources/national/dates.ts';
import { mapRow } from '../../src/sources/national/map.ts';
import { CELL_CHARACTERS_MAX } from '../../src/sources/national/table.ts';
import { parseOfacDate } from '../../src/sources/ofac/dates.ts';
import { readRemarks } from '../../src/sources/ofac/remarks.ts';
import { dayFirstDate, isoPartialDate, wordedDate } from '../../src/sources/partialDates.ts';
import { Properties } from '../../src/sources/properties.ts';
import { namesInNote, namesOf } from '../../src/sources/publishedNames.ts';
import { readRelations, unReferences } from '../../src/sources/remarkRelations.ts';
import { splitTrimmed, trimEnds } from '../../src/sources/trimEnds.ts';
import { countries } from './countries.ts';

const CHARS = 64 * 1024;

const REPEATED = [
  ...[' ', '\t', '\n', '\u00a0', ',', ';', ' ; ', '. ', '.,', '(', ')', '()', ') (', '-', ' - '],
  ...[
    '1',
    '1 ',
    '12/',
    'A1',
    'A1-',
    '(1) ',
    '1) ',
    '12 March ',
    '1970 to ',
    'to ',
    'IMO ',
    'IMO No',
  ],
  ...[
    'and ',
    ', and ',
    'or ',
    'a. ',
    'A',
    'é',
    'م',
    'wholly ',
    'owned by ',
    'brother of ',
    'QDi.001 ',
  ],
  ...[
    "n.k.a. '",
    "n.k.a. 'x",
    'Linked To: ',
    '(Linked To: ',
    'Gender: ',
    'original script: ',
    'since ',
  ],
  ...[
    'UN Ref ',
    'issued on ',
    'passport no ',
    'citizen of ',
    'formerly ',
    ' citizenship',
    'et ',
    '/ ',
  ],
];
const TEXTS = REPEATED.flatMap((piece) => {
  const many = piece.repeat(Math.floor(CHARS / piece.length) - 2);
  return [many, `x${many}(`];
});

const ROLES = [
  'name',
  'alias',
  'birth',
  'birthDate',
  'nationality',
  'address',
  'passport',
] as const;

const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  dateWithin,
  dayFirstDate,
  documentNumbers,
  identifierType,
  imoNumber,
  isoPartialDate,
  'mapRow of the national list': (text) => {
    const cell = text.slice(0, CELL_CHARACTERS_MAX);
    return mapRow([`A${cell}`, cell, cell, cell, cell, cell, cell], {
      countries,
      headings: ROLES,
      note: () => {},
      releaseDate: '2026-01-01',
      roles: ROLES,
      sourceId: 'BCT_TN',
    });
  },
  namesInNote,
  namesOf,
  numberedParts,
  parseOfacDate,
  readCountryCell: (text) => readCountryCell(text, countries),
  readDate,
  readRelations,
  readRemarks,
  splitTrimmed: (text) => splitTrimmed(text, /[,;]|\s-\s/),
  trimEnds: (text) => trimEnds(text, ',;.'),
  unReferences,
  wordedDate,
};

describe('64 KiB of one thing', () => {
  test.each(Object.entries(READERS))('%s reads it', (_, read) => {
    for (const text of TEXTS) expect(() => read(text)).not.toThrow();
  });
});

describe('many of one kind', () => {
  const values = Array.from({ length: 20_000 }, (_, index) => `value ${index}`);

  test('properties hold each value once, however many they are', () => {
    const properties = new Properties();
    for (const value of [...values, ...values]) properties.add('remarks', value);
    expect(properties.sorted().remarks).toHaveLength(values.length);
  });

  test('identifiers of one type are numbered, and none is lost', () => {
    const pairs = values.map((value) => ['Passport', value] as const);
    const map = identifierMap([...pairs, ['Passport (2)', 'another'], ['Passport (3)', 'a third']]);
    expect(Object.keys(map)).toHaveLength(values.length + 2);
    expect(new Set(Object.values(map)).size).toBe(values.length + 2);
  });
});

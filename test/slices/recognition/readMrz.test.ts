/** Zones: ICAO's published specimens, generated ones beside npm's `mrz`, substitutions. */
import { parse } from 'mrz';
import { describe, expect, test } from 'vitest';
import { checkDigit, type MrzFormat, readMrz } from '../../../src/slices/recognition/index.ts';
import { makeMrz, seeded } from './mrzLines.ts';

const TODAY = { today: '2026-11-26' };
const RUNS = Number(process.env.FUZZ_RUNS ?? 1_000);

/** The state of a person of no state. */
const NOWHERE = 'X'.repeat(3);

/** Facts of ICAO 9303 parts 4 to 7 (and part 11 for the long number), and of the French cards. */
const SPECIMENS: readonly (readonly [string, MrzFormat, readonly string[], object])[] = [
  [
    'passport',
    'TD3',
    [
      'P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<',
      'L898902C36UTO7408122F1204159ZE184226B<<<<<10',
    ],
    {
      dob: '1974-08-12',
      documentNumber: 'L898902C3',
      expiresOn: '2012-04-15',
      gender: 'F',
      optional: 'ZE184226B',
    },
  ],
  [
    'card of size 1',
    'TD1',
    [
      'I<UTOD231458907<<<<<<<<<<<<<<<',
      '7408122F1204159UTO<<<<<<<<<<<6',
      'ERIKSSON<<ANNA<MARIA<<<<<<<<<<',
    ],
    { documentNumber: 'D23145890', nationality: 'UTO' },
  ],
  [
    'card of size 1 with a long number',
    'TD1',
    [
      'I<UTOD23145890<AB112234566<<<<',
      '3407127M9507122UTO<<<<<<<<<<<2',
      'STEVENSON<<PETER<JOHN<<<<<<<<<',
    ],
    { documentNumber: 'D23145890AB11223456', optional: '', surname: 'STEVENSON' },
  ],
  [
    'card of size 2',
    'TD2',
    ['I<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<', 'D231458907UTO7408122F1204159<<<<<<<6'],
    { documentNumber: 'D23145890', givenNames: 'ANNA MARIA' },
  ],
  [
    'visa A',
    'MRV-A',
    [
      'V<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<',
      `L8988901C4${NOWHERE}4009078F96121096ZE184226B<<<<<<`,
    ],
    {
      dob: '1940-09-07',
      documentNumber: 'L8988901C',
      nationality: NOWHERE,
      optional: '6ZE184226B',
    },
  ],
  [
    'visa B',
    'MRV-B',
    ['V<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<', `L8988901C4${NOWHERE}4009078F9612109<<<<<<<<`],
    { documentNumber: 'L8988901C', optional: '' },
  ],
  [
    'French card',
    'FR-ID',
    ['IDFRABERTHIER<<<<<<<<<<<<<<<<<<<<<<<', '8806923102858CORINNE<<<<<<<6512068F6'],
    {
      dob: '1965-12-06',
      documentNumber: '880692310285',
      givenNames: 'CORINNE',
      surname: 'BERTHIER',
    },
  ],
  [
    'French licence',
    'FR-DL',
    ['D1FRA13AA000026181231MARTIN<<9'],
    { documentNumber: '13AA00002', expiresOn: '2018-12-31', surname: 'MARTIN' },
  ],
];

const linesOf = (name: string): readonly string[] =>
  SPECIMENS.find(([one]) => one === name)?.[2] ?? [];

describe('specimens', () => {
  test.each(SPECIMENS)(
    '%s is read whole, and all of its digits hold',
    (_, format, lines, fields) => {
      const read = readMrz(lines, TODAY);
      expect(read).toMatchObject({ fields, format, isValid: true, repaired: [] });
      expect(Object.values(read?.digits ?? {})).not.toContain(false);
    },
  );

  test('a visa has no composite digit, a French card none for an expiry', () => {
    expect(readMrz(linesOf('visa A'), TODAY)?.digits.composite).toBeNull();
    expect(readMrz(linesOf('French card'), TODAY)?.digits).toMatchObject({
      expiry: null,
      optional: null,
    });
  });

  test('lines of another length, number or beginning are no zone', () => {
    const [first = '', second = ''] = linesOf('passport');
    expect(readMrz([first, second.slice(1)], TODAY)).toBeUndefined();
    expect(readMrz([first], TODAY)).toBeUndefined();
    expect(readMrz([first.replace('P', 'Q'), second], TODAY)).toBeUndefined();
    expect(readMrz([first.toLowerCase(), second], TODAY)).toBeUndefined();
  });
});

describe('generated zones', () => {
  test.each(['TD1', 'TD2', 'TD3'] as const)("%s is read as npm's mrz reads it", (format) => {
    const next = seeded(9303);
    for (let run = 0; run < RUNS; run++) {
      const made = makeMrz(format, next);
      const ours = readMrz(made.lines, TODAY);
      const theirs = parse([...made.lines]);
      expect(ours, made.lines.join('\n')).toMatchObject({ format, isValid: true });
      expect(theirs.valid, made.lines.join('\n')).toBe(true);
      const { documentNumber, firstName, lastName, nationality } = theirs.fields;
      expect(ours?.fields).toMatchObject({
        dob: made.dob,
        documentNumber,
        expiresOn: made.expiresOn,
        givenNames: firstName,
        nationality,
        surname: lastName,
      });
    }
  });

  test.each(['MRV-A', 'MRV-B'] as const)('%s is read as it was written', (format) => {
    const next = seeded(9303);
    for (let run = 0; run < RUNS; run++) {
      const { dob, expiresOn, givenNames, lines, nationality, number, surname } = makeMrz(
        format,
        next,
      );
      expect(readMrz(lines, TODAY)).toMatchObject({
        fields: { dob, documentNumber: number, expiresOn, givenNames, nationality, surname },
        format,
        isValid: true,
      });
    }
  });
});

describe('what digits prove', () => {
  test('104 of 1,332 single substitutions leave a digit as it is, fillers for K among them', () => {
    const units = '<0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';
    const blind: string[] = [];
    for (const from of units) {
      for (const to of units) {
        if (from !== to && checkDigit(from) === checkDigit(to)) blind.push(from + to);
      }
    }
    expect(blind).toHaveLength(104);
    expect(blind).toEqual(expect.arrayContaining(['<K', 'K<', '6G', 'G6']));
  });

  test('every substitution that changes a digit is found', () => {
    const [first = '', second = ''] = linesOf('passport');
    const units = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ<';
    for (let at = 0; at < 9; at++) {
      for (const unit of units) {
        const number = second.slice(0, at) + unit + second.slice(at + 1, 9);
        const read = readMrz([first, number + second.slice(9)], TODAY);
        expect(read?.digits.number).toBe(String(checkDigit(number)) === second[9]);
      }
    }
  });

  test('a name has none: another name is as valid', () => {
    const lines = ['P<UTOERIKSON<<ANNE<MARIA<<<<<<<<<<<<<<<<<<<<', linesOf('passport')[1] ?? ''];
    expect(readMrz(lines, TODAY)).toMatchObject({ isValid: true });
  });
});

describe('dates', () => {
  const born = (text: string) => {
    const over = `${text}${checkDigit(text)}`;
    return readMrz(
      ['V<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<', `L8988901C4${NOWHERE}${over}F9612109<<<<<<<<`],
      TODAY,
    );
  };

  test.each([
    ['261126', '2026-11-26'],
    ['261127', '1926-11-27'],
    ['060101', '2006-01-01'],
    ['000229', '2000-02-29'],
    ['74<<<<', '1974'],
    ['7408<<', '1974-08'],
    [`74${'X'.repeat(4)}`, '1974'],
  ])('%s is the birth %s', (text, date) => {
    expect(born(text)?.fields.dob).toBe(date);
  });

  test.each(['740230', '741301', '740000', '74<<12'])(
    '%s is no date, and no valid zone',
    (text) => {
      expect(born(text)).toMatchObject({ isValid: false });
      expect(born(text)?.fields.dob).toBeUndefined();
    },
  );
});

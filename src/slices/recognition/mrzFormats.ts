/**
 * Where things stand in a machine-readable zone: ICAO 9303 parts 4 to 7 (passports, cards of two
 * sizes, visas), and the two French formats that are none of ICAO's. Positions count from 0, ends
 * are not included.
 */

/** Formats that are read. */
export const MRZ_FORMATS = ['TD1', 'TD2', 'TD3', 'MRV-A', 'MRV-B', 'FR-ID', 'FR-DL'] as const;
/** One of MRZ_FORMATS. */
export type MrzFormat = (typeof MRZ_FORMATS)[number];

/** Line, first position, end. */
export type Span = readonly [line: number, start: number, end: number];

/** What a check digit is for. */
export const MRZ_DIGITS = ['number', 'dob', 'expiry', 'optional', 'composite'] as const;
/** One of MRZ_DIGITS. */
export type MrzDigit = (typeof MRZ_DIGITS)[number];

/** A check digit, and what it is computed over. */
export interface DigitRule {
  readonly at: Span;
  readonly over: readonly Span[];
}

/** One format. */
export interface MrzLayout {
  readonly format: MrzFormat;
  readonly width: number;
  /** First letters of documents that have it. */
  readonly begins: RegExp;
  /**
   * What each position of each line may hold. a: letter or filler; n: digit or filler; d: check
   * digit; s: M, F, X or filler; x: any.
   */
  readonly classes: readonly string[];
  readonly code: Span;
  readonly issuer: Span;
  readonly number: Span;
  /** Where a number over nine characters goes on, its check digit behind it. */
  readonly numberGoesOn?: Span;
  readonly nationality?: Span;
  readonly dob?: Span;
  readonly sex?: Span;
  readonly expiry?: Span;
  readonly optional: readonly Span[];
  /** Surname and given names in one field, or each in its own. */
  readonly names: readonly [Span] | readonly [Span, Span];
  readonly digits: Partial<Readonly<Record<MrzDigit, DigitRule>>>;
}

const run = (letter: string, count: number): string => letter.repeat(count);
const NAME_CODES = (width: number): string => run('a', width);

/** The second line that passports, larger cards and visas share, up to the optional data. */
const SECOND = {
  classes: `${run('x', 9)}daaa${run('n', 6)}ds${run('n', 6)}d`,
  digits: {
    dob: { at: [1, 19, 20], over: [[1, 13, 19]] },
    expiry: { at: [1, 27, 28], over: [[1, 21, 27]] },
    number: { at: [1, 9, 10], over: [[1, 0, 9]] },
  },
  dob: [1, 13, 19],
  expiry: [1, 21, 27],
  nationality: [1, 10, 13],
  number: [1, 0, 9],
  sex: [1, 20, 21],
} as const satisfies Partial<Record<keyof MrzLayout, unknown>>;

const twoLines = (width: number) => ({
  ...SECOND,
  code: [0, 0, 2] as const,
  issuer: [0, 2, 5] as const,
  names: [[0, 5, width]] as const,
  width,
});

const withSecond = (width: number, end: string): readonly string[] => [
  NAME_CODES(width),
  `${SECOND.classes}${end}`,
];

const TD1: MrzLayout = {
  begins: /^[ACI]/,
  classes: [
    `aaaaa${run('x', 9)}d${run('x', 15)}`,
    `${run('n', 6)}ds${run('n', 6)}daaa${run('x', 11)}d`,
    NAME_CODES(30),
  ],
  code: [0, 0, 2],
  digits: {
    composite: {
      at: [1, 29, 30],
      over: [
        [0, 5, 30],
        [1, 0, 7],
        [1, 8, 15],
        [1, 18, 29],
      ],
    },
    dob: { at: [1, 6, 7], over: [[1, 0, 6]] },
    expiry: { at: [1, 14, 15], over: [[1, 8, 14]] },
    number: { at: [0, 14, 15], over: [[0, 5, 14]] },
  },
  dob: [1, 0, 6],
  expiry: [1, 8, 14],
  format: 'TD1',
  issuer: [0, 2, 5],
  names: [[2, 0, 30]],
  nationality: [1, 15, 18],
  number: [0, 5, 14],
  numberGoesOn: [0, 15, 30],
  optional: [
    [0, 15, 30],
    [1, 18, 29],
  ],
  sex: [1, 7, 8],
  width: 30,
};

const TD2: MrzLayout = {
  ...twoLines(36),
  begins: /^[ACI]/,
  classes: withSecond(36, `${run('x', 7)}d`),
  digits: {
    ...SECOND.digits,
    composite: {
      at: [1, 35, 36],
      over: [
        [1, 0, 10],
        [1, 13, 20],
        [1, 21, 35],
      ],
    },
  },
  format: 'TD2',
  numberGoesOn: [1, 28, 35],
  optional: [[1, 28, 35]],
};

const TD3: MrzLayout = {
  ...twoLines(44),
  begins: /^P/,
  classes: withSecond(44, `${run('x', 14)}dd`),
  digits: {
    ...SECOND.digits,
    composite: {
      at: [1, 43, 44],
      over: [
        [1, 0, 10],
        [1, 13, 20],
        [1, 21, 43],
      ],
    },
    optional: { at: [1, 42, 43], over: [[1, 28, 42]] },
  },
  format: 'TD3',
  optional: [[1, 28, 42]],
};

/** Visas have no composite digit. */
const MRV_A: MrzLayout = {
  ...twoLines(44),
  begins: /^V/,
  classes: withSecond(44, run('x', 16)),
  format: 'MRV-A',
  optional: [[1, 28, 44]],
};

const MRV_B: MrzLayout = {
  ...twoLines(36),
  begins: /^V/,
  classes: withSecond(36, run('x', 8)),
  format: 'MRV-B',
  optional: [[1, 28, 36]],
};

/** The French card of before 2021: twelve digits, and no date of expiry. */
const FR_ID: MrzLayout = {
  begins: /^IDFRA/,
  classes: [
    `${run('a', 30)}${run('x', 6)}`,
    `${run('n', 4)}${run('x', 3)}${run('n', 5)}d${run('a', 14)}${run('n', 6)}dsd`,
  ],
  code: [0, 0, 2],
  digits: {
    composite: {
      at: [1, 35, 36],
      over: [
        [0, 0, 36],
        [1, 0, 35],
      ],
    },
    dob: { at: [1, 33, 34], over: [[1, 27, 33]] },
    number: { at: [1, 12, 13], over: [[1, 0, 12]] },
  },
  dob: [1, 27, 33],
  format: 'FR-ID',
  issuer: [0, 2, 5],
  names: [
    [0, 5, 30],
    [1, 13, 27],
  ],
  number: [1, 0, 12],
  optional: [[0, 30, 36]],
  sex: [1, 34, 35],
  width: 36,
};

/** The French licence: one line, with the surname alone. */
const FR_DL: MrzLayout = {
  begins: /^D[1-9]FRA/,
  classes: [`axaaa${run('x', 9)}d${run('n', 6)}${run('a', 8)}d`],
  code: [0, 0, 2],
  digits: {
    composite: { at: [0, 29, 30], over: [[0, 0, 29]] },
    number: { at: [0, 14, 15], over: [[0, 0, 14]] },
  },
  expiry: [0, 15, 21],
  format: 'FR-DL',
  issuer: [0, 2, 5],
  names: [[0, 21, 29]],
  number: [0, 5, 14],
  optional: [],
  width: 30,
};

/** The French card stands before TD2, of whose size it is. */
export const MRZ_LAYOUTS: readonly MrzLayout[] = [TD1, FR_ID, TD2, TD3, MRV_A, MRV_B, FR_DL];

/** The layout of lines; undefined where there is none of their number, length and beginning. */
export const layoutOf = (lines: readonly string[]): MrzLayout | undefined =>
  MRZ_LAYOUTS.find(
    ({ begins, classes, width }) =>
      lines.length === classes.length &&
      lines.every((line) => line.length === width) &&
      begins.test(lines[0] ?? ''),
  );

/** The text at some places, put together. */
export const textAt = (lines: readonly string[], ...spans: readonly Span[]): string =>
  spans.map(([line, start, end]) => (lines[line] ?? '').slice(start, end)).join('');

const WEIGHTS = [7, 3, 1] as const;
const CODE_A = 65;
const CODE_0 = 48;

/** ICAO 9303-3, 4.9: weights 7, 3, 1; A to Z are 10 to 35, the filler is 0; modulo 10. */
export function checkDigit(text: string): number {
  let sum = 0;
  for (let place = 0; place < text.length; place++) {
    const code = text.charCodeAt(place);
    sum += unitValue(code) * (WEIGHTS[place % WEIGHTS.length] ?? 0);
  }
  return sum % 10;
}

const unitValue = (code: number): number => {
  if (code >= CODE_A) return code - CODE_A + 10;
  return code >= CODE_0 && code < CODE_0 + 10 ? code - CODE_0 : 0;
};

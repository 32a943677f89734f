/**
 * The Unicode data of the fold: which characters are part of words, decimal digits, marks and
 * one-character romanisations. It is read from config/tables, not from the host's ICU, so that
 * every host folds alike; only String.prototype.normalize and toLowerCase are the host's.
 */
import romanisationTable from '../../config/tables/romanisation.json' with { type: 'json' };
import classesTable from '../../config/tables/unicodeClasses.json' with { type: 'json' };

/**
 * Unicode version of the tables. Folding depends on it, so a re-ranker's version fixes it
 * (rerankers.ts).
 */
export const UNICODE_VERSION: string = classesTable.unicode;

const BMP_SIZE = 0x10000;
const WORD = 0x80;
const DIGIT = 0x40;
const MARK = 0x20;

/**
 * Marks that only decorate a letter. Vowel signs of the Indic scripts are marks too, but carry
 * sound, and stay.
 */
const DECORATING_MARKS: readonly (readonly [number, number])[] = [
  [0x0300, 0x036f],
  [0x0483, 0x0489],
  [0x0591, 0x05c7],
  [0x0610, 0x061a],
  [0x064b, 0x065f],
  [0x0670, 0x0670],
  [0x06d6, 0x06dc],
  [0x06df, 0x06e8],
  [0x06ea, 0x06ed],
  [0x08ca, 0x08ff],
  [0x1ab0, 0x1aff],
  [0x1dc0, 0x1dff],
  [0x20d0, 0x20ff],
  [0xfe00, 0xfe0f],
  [0xfe20, 0xfe2f],
];

/** One byte per character of the basic plane: WORD, DIGIT with its value, MARK. */
const classes = new Uint8Array(BMP_SIZE);
const astralWordRanges: number[] = [];
const astralDigitZeros: number[] = [];
const romanised = new Map<number, string>();

function fillClasses(): void {
  for (let index = 0; index < classesTable.word.length; index += 2) {
    const start = classesTable.word[index] ?? 0;
    const end = classesTable.word[index + 1] ?? start;
    if (start >= BMP_SIZE) astralWordRanges.push(start, end);
    else classes.fill(WORD, start, end + 1);
  }
  for (const zero of classesTable.digitZero) {
    if (zero >= BMP_SIZE) astralDigitZeros.push(zero);
    else for (let value = 0; value < 10; value++) classes[zero + value] = WORD | DIGIT | value;
  }
  for (const [start, end] of DECORATING_MARKS) classes.fill(MARK, start, end + 1);
}

function fillRomanised(): void {
  for (const [start, joined] of romanisationTable.runs) {
    if (typeof start !== 'number' || typeof joined !== 'string') continue;
    const values = joined.split(',');
    for (let offset = 0; offset < values.length; offset++) {
      const value = values[offset];
      if (value !== undefined && value !== '') romanised.set(start + offset, value);
    }
  }
}

fillClasses();
fillRomanised();

/**
 * Whether a code point is a letter, a number or a sounding mark; anything else separates tokens.
 */
export function isWordCharacter(codePoint: number): boolean {
  if (codePoint < BMP_SIZE) return ((classes[codePoint] ?? 0) & WORD) !== 0;
  for (let index = 0; index < astralWordRanges.length; index += 2) {
    if (codePoint < (astralWordRanges[index] ?? 0)) return false;
    if (codePoint <= (astralWordRanges[index + 1] ?? 0)) return true;
  }
  return false;
}

/** 0..9 for a decimal digit of any script, else -1. */
export function digitValue(codePoint: number): number {
  if (codePoint < BMP_SIZE) {
    const bits = classes[codePoint] ?? 0;
    return (bits & DIGIT) === 0 ? -1 : bits & 0x0f;
  }
  const zero = astralDigitZeros.find((start) => codePoint >= start && codePoint < start + 10);
  return zero === undefined ? -1 : codePoint - zero;
}

/** Whether a code point is a mark that folding drops; vowel signs of Indic scripts are not. */
export function isDecoratingMark(codePoint: number): boolean {
  return codePoint < BMP_SIZE && ((classes[codePoint] ?? 0) & MARK) !== 0;
}

/** ASCII letters for one code point; undefined where the table has none. */
export function romaniseCharacter(codePoint: number): string | undefined {
  return romanised.get(codePoint);
}

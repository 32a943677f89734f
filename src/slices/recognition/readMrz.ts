/**
 * Reads a machine-readable zone as it stands, and says which of its check digits hold. A digit
 * proves little: one substitution in thirteen leaves it as it is, and names have none at all, so
 * that nothing is decided by digits alone (compareDocument.ts).
 */
import { birthDate, expiryDate } from './mrzDates.ts';
import {
  checkDigit,
  type DigitRule,
  layoutOf,
  MRZ_DIGITS,
  type MrzDigit,
  type MrzFormat,
  type MrzLayout,
  type Span,
  textAt,
} from './mrzFormats.ts';

/** What a zone says. A date may be a year, or a year and a month, where no more is known. */
export interface MrzFields {
  readonly documentCode: string;
  /** Three letters, or what ICAO has for them: `D` is Germany. */
  readonly issuingState: string;
  readonly documentNumber: string;
  readonly surname: string;
  readonly givenNames: string;
  readonly nationality?: string;
  readonly dob?: string;
  readonly expiresOn?: string;
  /** X: not specified. */
  readonly gender?: 'F' | 'M' | 'X';
  readonly optional: string;
}

/** A character that was put right. */
export interface MrzRepair {
  /** From 0. */
  readonly line: number;
  readonly column: number;
  readonly from: string;
  readonly to: string;
}

/** A zone as it was read. */
export interface MrzReading {
  readonly format: MrzFormat;
  readonly lines: readonly string[];
  /** All digits hold, every character may stand where it does, and the dates are dates. */
  readonly isValid: boolean;
  readonly fields: MrzFields;
  /** Null: the format has none, or the document leaves it out. */
  readonly digits: Readonly<Record<MrzDigit, boolean | null>>;
  readonly repaired: readonly MrzRepair[];
  /** The names fill their field: they may go on. */
  readonly isNameTruncated: boolean;
}

/** For the century of a birth. */
export interface MrzOptions {
  /** YYYY-MM-DD */
  readonly today: string;
}

const MRZ_TEXT = /^[A-Z0-9<]+$/;
const IN_CLASS: Readonly<Record<string, RegExp>> = {
  a: /[A-Z<]/,
  d: /[0-9<]/,
  n: /[0-9<]/,
  s: /[MFX<]/,
  x: /[A-Z0-9<]/,
};

/** Undefined for lines of no format. */
export function readMrz(lines: readonly string[], options: MrzOptions): MrzReading | undefined {
  const layout = layoutOf(lines);
  if (layout === undefined || !lines.every((line) => MRZ_TEXT.test(line))) return undefined;
  const digits = Object.fromEntries(
    MRZ_DIGITS.map((digit) => [digit, digitHolds(lines, layout, digit)]),
  ) as Record<MrzDigit, boolean | null>;
  const fields = fieldsOf(lines, layout, options);
  const isDated =
    (layout.dob === undefined || fields.dob !== undefined) &&
    (layout.expiry === undefined || fields.expiresOn !== undefined);
  return {
    digits,
    fields,
    format: layout.format,
    isNameTruncated: layout.names.some((span) => !textAt(lines, span).endsWith('<')),
    isValid:
      isDated &&
      fields.surname !== '' &&
      fields.documentNumber !== '' &&
      Object.values(digits).every((holds) => holds !== false) &&
      misplaced(lines, layout).length === 0,
    lines,
    repaired: [],
  };
}

/** Places whose character may not stand there: line and column. */
export const misplaced = (
  lines: readonly string[],
  { classes }: MrzLayout,
): readonly (readonly [number, number])[] =>
  classes.flatMap((ofLine, line) =>
    [...ofLine].flatMap((name, column) =>
      IN_CLASS[name]?.test(lines[line]?.[column] ?? '') === true ? [] : [[line, column] as const],
    ),
  );

function digitHolds(lines: readonly string[], layout: MrzLayout, name: MrzDigit): boolean | null {
  const rule = layout.digits[name];
  if (rule === undefined) return null;
  if (name === 'number') {
    const long = longNumber(lines, layout);
    if (long !== undefined) return long.isRight;
  }
  const given = textAt(lines, rule.at);
  // Left out where there is nothing to check (ICAO 9303-4, 4.2.2).
  if (name === 'optional' && given === '<')
    return isFiller(textAt(lines, ...rule.over)) ? null : false;
  return holds(lines, rule);
}

const holds = (lines: readonly string[], { at, over }: DigitRule): boolean =>
  textAt(lines, at) === String(checkDigit(textAt(lines, ...over)));

const isFiller = (text: string): boolean => /^<*$/.test(text);

/**
 * A number over nine characters has a filler for its digit, and goes on in the optional data up to
 * a filler; the digit stands last (ICAO 9303-5, note j). States differ on whether the filler
 * counts: both are taken.
 */
function longNumber(
  lines: readonly string[],
  { digits, number, numberGoesOn }: MrzLayout,
): { readonly number: string; readonly isRight: boolean; readonly rest: string } | undefined {
  if (numberGoesOn === undefined || digits.number === undefined) return undefined;
  if (textAt(lines, digits.number.at) !== '<') return undefined;
  const optional = textAt(lines, numberGoesOn);
  const end = optional.indexOf('<');
  const more = end === -1 ? optional : optional.slice(0, end);
  if (more.length < 2) return undefined;
  const start = textAt(lines, number);
  const tail = more.slice(0, -1);
  const isRight = [`${start}${tail}`, `${start}<${tail}`].some(
    (text) => String(checkDigit(text)) === more.at(-1),
  );
  return { isRight, number: start + tail, rest: optional.slice(more.length) };
}

function fieldsOf(lines: readonly string[], layout: MrzLayout, { today }: MrzOptions): MrzFields {
  const long = longNumber(lines, layout);
  const bare = (span: Span): string => textAt(lines, span).replaceAll('<', '');
  const { dob, expiry, nationality, sex } = layout;
  const born = dob && birthDate(textAt(lines, dob), today);
  const expiresOn = expiry && expiryDate(textAt(lines, expiry));
  const optional = layout.optional.map((span) =>
    long !== undefined &&
    layout.numberGoesOn !== undefined &&
    span.join() === layout.numberGoesOn.join()
      ? long.rest
      : textAt(lines, span),
  );
  return {
    ...namesOf(lines, layout),
    documentCode: bare(layout.code),
    documentNumber: long?.number.replaceAll('<', '') ?? bare(layout.number),
    issuingState: bare(layout.issuer),
    optional: spaced(optional.join('<')),
    ...(nationality !== undefined && { nationality: bare(nationality) }),
    ...(born !== undefined && { dob: born }),
    ...(expiresOn !== undefined && { expiresOn }),
    ...(sex !== undefined && { gender: genderOf(textAt(lines, sex)) }),
  };
}

const genderOf = (text: string): 'F' | 'M' | 'X' => (text === 'M' || text === 'F' ? text : 'X');

const spaced = (text: string): string => text.replace(/<+/g, ' ').trim();

function namesOf(
  lines: readonly string[],
  { names }: MrzLayout,
): Pick<MrzFields, 'givenNames' | 'surname'> {
  const [first, second] = names;
  const text = textAt(lines, first);
  if (second !== undefined)
    return { givenNames: spaced(textAt(lines, second)), surname: spaced(text) };
  const gap = text.indexOf('<<');
  if (gap === -1) return { givenNames: '', surname: spaced(text) };
  return { givenNames: spaced(text.slice(gap)), surname: spaced(text.slice(0, gap)) };
}

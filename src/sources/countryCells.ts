/**
 * A publisher's cell of countries or nationalities, which may hold several, numbered or in a
 * sentence: `(1) Afghan (2) Pakistani`, `Syrian, Turkish`, `Iranian citizenship`, `Mali (since
 * 2009)`. A cell is taken apart only where every part of it is known, so that a name that holds a
 * comma is never cut.
 */
import type { CountryLookup } from '#slices/lists';
import { trimEnd, trimEnds } from './trimEnds.ts';

export interface CountryCell {
  /** Alpha-2, in the cell's order. */
  readonly codes: readonly string[];
  /** Names that the table does not know, as written. */
  readonly unknown: readonly string[];
  /** Given up, withdrawn or of a state that is no more, as written: no nationality of today. */
  readonly former: readonly string[];
}

/** `(1)`, `1)`, `a)`, `(1)-(5)`, `(1) to (6)`: the first and, of several, the last. */
const MARK = /(?<![^\s,;.)])\(?(\d{1,2}|[a-h])\)(?:\s*(?:-|to)\s*\(?(\d{1,2})\))?\s*/gi;
/** Between two marks: `sections (1) and (2)` is no list. */
const CONJUNCTION = /^(?:and|or|to|&)$/i;
const FORMER =
  /\b(?:former|formerly|previously|withdrawn|revoked|renounced|relinquished|deprived|until)\b/i;
/**
 * Before text that is wholly about the past: `Turkish. Former Iraqi`, `Russian (previously
 * Ukrainian)`.
 */
const FORMER_BETWEEN = /(?:[.;] ?|, ?| and )(?=(?:former|formerly|previously) )/i;
const FORMERLY = /^(?:former|formerly|previously) (?:known as )?/i;
const FORMER_INSIDE = /^([^()]+) \(((?:former|formerly|previously) [^()]+)\)$/i;
const NONE = new RegExp(
  '^(?:unknown|not known|na|n/a|none|none identified|undetermined|unspecified|stateless|' +
    'citizen|-+)$',
  'i',
);
// These four are for texts with single spaces.
const BEFORE =
  /^(?:also )?(?:believed to hold|possibly|probably|reportedly|in|or|citizen of|national of) /i;
const AFTER = new RegExp(
  ' (?:(?:citizenship|citizen|national|nationality|nationalities|passport|border region)s?$|' +
    'by birth$|(?:as (?:at|of)|since|from) .*)',
  'is',
);
/** `unknown (possibly Iraqi)` */
const UNKNOWN_BUT = /^(?:unknown|not known|undetermined|unspecified) \(([^()]+)\)$/i;
const PARENTHESIS = / ?\([^()]*\)?\.?$/;
const BETWEEN = / ?[,;/] ?(?:and |or )?|\. | (?:and|or|&) /i;
/** Countries of one cell. */
const PARTS_MAX = 16;

export function readCountryCell(cell: string, lookup: CountryLookup): CountryCell {
  const codes = new Set<string>();
  const unknown: string[] = [];
  const former: string[] = [];
  for (const part of numberedParts(cell).flatMap((one) => formerApart(one, lookup))) {
    const found = readPart(part, lookup);
    if (found) for (const code of found) codes.add(code);
    else if (FORMER.test(part)) former.push(part);
    else unknown.push(part);
  }
  return { codes: [...codes], unknown, former };
}

/**
 * `(1) Kuwait (2) Pakistan` as two; a text without such marks as one. Marks count from one or from
 * `a` upwards, so that `(21)` of a telephone number is none.
 */
export function numberedParts(text: string): string[] {
  const marks = marksOf(text);
  const isList = marks[0]?.start === 0 || marks.length > 1;
  if (!isList) return tidyParts([text]);
  const parts = [text.slice(0, marks[0]?.start)];
  for (const [index, { end }] of marks.entries()) {
    parts.push(text.slice(end, marks[index + 1]?.start));
  }
  if (parts.slice(1, -1).some((part) => CONJUNCTION.test(part.trim()))) return tidyParts([text]);
  return tidyParts(parts);
}

const tidyParts = (parts: readonly string[]): string[] =>
  parts.map((part) => trimEnds(part, ',;')).filter((part) => part !== '');

function marksOf(text: string): { readonly start: number; readonly end: number }[] {
  const marks: { start: number; end: number }[] = [];
  let last = 0;
  for (const match of text.matchAll(MARK)) {
    const [mark, first = '', through] = match;
    const isLetter = /\D/.test(first);
    const value = isLetter ? first.toLowerCase().charCodeAt(0) - 0x60 : Number(first);
    // Publishers mix the two: `(1) Germany (b) Algeria`.
    if (value !== last + 1) continue;
    last = Math.max(value, Number(through ?? 0));
    marks.push({ end: match.index + mark.length, start: match.index });
  }
  return marks;
}

/** `Myanmar (formerly Burma)` is one country under its former name, too. */
function formerApart(part: string, lookup: CountryLookup): string[] {
  if (!FORMER.test(part) || lookup(part) !== undefined) return [part];
  const [, outer, inner] = FORMER_INSIDE.exec(part) ?? [];
  if (outer === undefined || inner === undefined) return part.split(FORMER_BETWEEN);
  const code = lookup(outer);
  const isSame = code !== undefined && code === lookup(inner.replace(FORMERLY, ''));
  return isSame ? [outer] : [outer, inner];
}

/**
 * Countries of a part. Empty for one that says that there is none; undefined for an unknown one.
 */
function readPart(part: string, lookup: CountryLookup): readonly string[] | undefined {
  const spaced = part.replace(/\s+/g, ' ').trim();
  const whole = readOne(spaced, lookup);
  if (whole) return whole;
  if (FORMER.test(spaced)) return undefined;
  const pieces = spaced.split(BETWEEN);
  if (pieces.length > PARTS_MAX) return undefined;
  const codes: string[] = [];
  for (const piece of pieces) {
    const found = readOne(piece, lookup);
    if (!found) return undefined;
    codes.push(...found);
  }
  return codes;
}

/** Removes the words around a name, one after another, until it is known. */
function readOne(text: string, lookup: CountryLookup): readonly string[] | undefined {
  let rest = text.trim();
  for (let turn = 0; turn < 4; turn++) {
    if (NONE.test(rest)) return [];
    const code = lookup(rest) ?? lookup(trimEnd(rest, '.,'));
    if (code) return [code];
    if (FORMER.test(rest)) return undefined;
    const [, said = ''] = UNKNOWN_BUT.exec(rest) ?? [];
    // Not of `unknown (as at 2019)`.
    if (/\p{Lu}/u.test(said)) {
      rest = said;
      continue;
    }
    const shorter = [PARENTHESIS, AFTER, BEFORE]
      .map((around) => rest.replace(around, ''))
      .find((candidate) => candidate !== rest);
    if (shorter === undefined) return undefined;
    rest = shorter;
  }
  return undefined;
}

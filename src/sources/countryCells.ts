/**
 * A publisher's cell of countries or nationalities, which may hold several, numbered or in a
 * sentence: `(1) Afghan (2) Pakistani`, `Syrian, Turkish`, `Iranian citizenship`, `Mali (since
 * 2009)`. A cell is taken apart only where every part of it is known, so that a name that holds a
 * comma is never cut.
 */
import type { CountryLookup } from '#domain/lists';
import { trimEnd, trimEnds } from './trimEnds.ts';

export interface CountryCell {
  /** Alpha-2, in the cell's order. */
  readonly codes: readonly string[];
  /** What the table does not know, as written. */
  readonly unknown: readonly string[];
  /** Given up, withdrawn or of a state that is no more, as written: no nationality of today. */
  readonly former: readonly string[];
}

/** `(1)`, `1)`, `a)`, `(1)-(5)`, `(1) to (6)`. */
const MARK = /(?<![^\s,;.])\(?(?:\d{1,2}|[a-h])\)(?:\s*(?:-|to)\s*\(?\d{1,2}\))?\s*/g;
const FORMER = /\b(?:former|withdrawn|revoked|renounced|until)\b/i;
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
const PARENTHESIS = / ?\([^()]*\)?\.?$/;
const BETWEEN = / ?[,;/] ?(?:and |or )?|\. | (?:and|or|&) /i;
/** Countries of one cell. */
const PARTS_MAX = 16;

export function readCountryCell(cell: string, lookup: CountryLookup): CountryCell {
  const codes = new Set<string>();
  const unknown: string[] = [];
  const former: string[] = [];
  for (const part of numberedParts(cell)) {
    const found = readPart(part, lookup);
    if (found) for (const code of found) codes.add(code);
    else if (FORMER.test(part)) former.push(part);
    else unknown.push(part);
  }
  return { codes: [...codes], unknown, former };
}

/** `(1) Kuwait (2) Pakistan` as two; a text without such marks as one. */
export function numberedParts(text: string): string[] {
  const marks = [...text.matchAll(MARK)];
  const isList = marks[0]?.index === 0 || marks.length > 1;
  const parts = isList ? text.split(MARK) : [text];
  return parts.map((part) => trimEnds(part, ',;')).filter((part) => part !== '');
}

/** Empty for a cell that says that there is none; undefined for what is not known. */
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

/** Takes off what stands around a name, one thing after another, until it is known. */
function readOne(text: string, lookup: CountryLookup): readonly string[] | undefined {
  let rest = text.trim();
  for (let turn = 0; turn < 4; turn++) {
    if (NONE.test(rest)) return [];
    const code = lookup(rest) ?? lookup(trimEnd(rest, '.,'));
    if (code) return [code];
    if (FORMER.test(rest)) return undefined;
    const shorter = [PARENTHESIS, AFTER, BEFORE]
      .map((around) => rest.replace(around, ''))
      .find((candidate) => candidate !== rest);
    if (shorter === undefined) return undefined;
    rest = shorter;
  }
  return undefined;
}

/**
 * Levenshtein ratio of two folded names: 1 minus the distance divided by the longer length (interface.md 4.8, rule 2).
 *
 * Bit-parallel (Myers 1999, in Hyyrö's form): one side is laid out as bit sets and a column of the table
 * is one word, so a name of up to 32 characters costs a dozen operations per character of the other
 * side. Longer names take the plain two-row table, which is rare. Checked against fast-levenshtein.
 */
import { NAME_UNITS_MAX } from './jaroWinkler.ts';

const WORD_BITS = 32;
const peq = new Int32Array(0x10000);
const row = new Uint16Array(NAME_UNITS_MAX + 1);

/** Part of a buffer that holds a name. */
export interface UnitSpan {
  readonly units: Uint16Array;
  readonly start: number;
  readonly end: number;
}

/** `pattern` has 1..32 units. */
function distanceInWord(pattern: UnitSpan, text: UnitSpan): number {
  const length = pattern.end - pattern.start;
  for (let at = 0; at < length; at++) {
    const unit = pattern.units[pattern.start + at] ?? 0;
    peq[unit] = (peq[unit] ?? 0) | (1 << at);
  }
  let positive = -1;
  let negative = 0;
  let score = length;
  const top = 1 << (length - 1);
  for (let at = text.start; at < text.end; at++) {
    const equal = peq[text.units[at] ?? 0] ?? 0;
    const vertical = equal | negative;
    const diagonal = (((equal & positive) + positive) ^ positive) | equal;
    let up = negative | ~(diagonal | positive);
    let down = positive & diagonal;
    if ((up & top) !== 0) score += 1;
    if ((down & top) !== 0) score -= 1;
    up = (up << 1) | 1;
    down <<= 1;
    positive = down | ~(vertical | up);
    negative = up & vertical;
  }
  for (let at = 0; at < length; at++) peq[pattern.units[pattern.start + at] ?? 0] = 0;
  return score;
}

function distanceInRows(a: UnitSpan, b: UnitSpan): number {
  const width = b.end - b.start;
  for (let column = 0; column <= width; column++) row[column] = column;
  for (let at = a.start; at < a.end; at++) {
    const unit = a.units[at] ?? 0;
    let diagonal = row[0] ?? 0;
    let left = diagonal + 1;
    row[0] = left;
    for (let column = 1; column <= width; column++) {
      const above = row[column] ?? 0;
      const same = unit === b.units[b.start + column - 1] ? 0 : 1;
      left = Math.min(diagonal + same, above + 1, left + 1);
      diagonal = above;
      row[column] = left;
    }
  }
  return row[width] ?? 0;
}

/** Least number of single-character edits that turn one name into the other. */
export function levenshteinDistance(a: UnitSpan, b: UnitSpan): number {
  const lengthA = a.end - a.start;
  const lengthB = b.end - b.start;
  if (lengthA === 0 || lengthB === 0) return Math.max(lengthA, lengthB);
  if (lengthA <= WORD_BITS) return distanceInWord(a, b);
  return lengthB <= WORD_BITS ? distanceInWord(b, a) : distanceInRows(a, b);
}

/** 1 for equal names (two empty ones too), 0 for names that share nothing. */
export function levenshteinRatio(a: UnitSpan, b: UnitSpan): number {
  const longer = Math.max(a.end - a.start, b.end - b.start);
  return longer === 0 ? 1 : 1 - levenshteinDistance(a, b) / longer;
}

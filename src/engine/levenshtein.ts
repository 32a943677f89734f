/**
 * Levenshtein ratio of two folded names: 1 minus the distance divided by the longer length
 * (interface.md 4.8, rule 2).
 *
 * Bit-parallel (Myers 1999, in Hyyrö's form): one side is laid out as bit sets and a column of the
 * table is one word, so a name of up to 32 characters costs a dozen operations per character of the
 * other side. Longer names go in blocks of 32. Checked against fast-levenshtein.
 */
import assert from 'node:assert/strict';
import { NAME_UNITS_MAX } from './jaroWinkler.ts';

const WORD_BITS = 32;
const peq = new Int32Array(0x10000);
/** Per column: whether the block above ends one higher or one lower than the column before. */
const carryUp = new Uint8Array(NAME_UNITS_MAX);
const carryDown = new Uint8Array(NAME_UNITS_MAX);

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

/**
 * The same in blocks of 32 rows for longer names: one pass over the text per block, with what the
 * block above hands down at each column kept as two bits.
 */
function distanceInBlocks(pattern: UnitSpan, text: UnitSpan): number {
  const length = pattern.end - pattern.start;
  const width = text.end - text.start;
  carryUp.fill(1, 0, width);
  carryDown.fill(0, 0, width);
  let score = length;
  for (let block = 0; block < length; block += WORD_BITS) {
    const rows = Math.min(WORD_BITS, length - block);
    setBlock(pattern, block, rows);
    score = blockPass(text, 1 << (rows - 1), score, block + rows === length);
    clearBlock(pattern, block, rows);
  }
  return score;
}

function setBlock(pattern: UnitSpan, block: number, rows: number): void {
  for (let row = 0; row < rows; row++) {
    const unit = pattern.units[pattern.start + block + row] ?? 0;
    peq[unit] = (peq[unit] ?? 0) | (1 << row);
  }
}

function clearBlock(pattern: UnitSpan, block: number, rows: number): void {
  for (let row = 0; row < rows; row++) peq[pattern.units[pattern.start + block + row] ?? 0] = 0;
}

/** Returns the score moved along the last row, if this block holds it. */
function blockPass(text: UnitSpan, top: number, before: number, last: boolean): number {
  let positive = -1;
  let negative = 0;
  let score = before;
  for (let at = text.start, column = 0; at < text.end; at++, column++) {
    const carriedUp = carryUp[column] ?? 0;
    const carriedDown = carryDown[column] ?? 0;
    const equal = (peq[text.units[at] ?? 0] ?? 0) | 0;
    const vertical = equal | negative;
    const entering = equal | carriedDown;
    const diagonal = (((entering & positive) + positive) ^ positive) | entering;
    let up = negative | ~(diagonal | positive);
    let down = positive & diagonal;
    carryUp[column] = (up & top) === 0 ? 0 : 1;
    carryDown[column] = (down & top) === 0 ? 0 : 1;
    if (last) score += (carryUp[column] ?? 0) - (carryDown[column] ?? 0);
    up = (up << 1) | carriedUp;
    down = (down << 1) | carriedDown;
    positive = down | ~(vertical | up);
    negative = up & vertical;
  }
  return score;
}

/** Least number of single-character edits that turn one name into the other. */
export function levenshteinDistance(a: UnitSpan, b: UnitSpan): number {
  const lengthA = a.end - a.start;
  const lengthB = b.end - b.start;
  if (lengthA === 0 || lengthB === 0) return Math.max(lengthA, lengthB);
  assert(Math.max(lengthA, lengthB) <= NAME_UNITS_MAX, 'a name is capped when it is folded');
  if (lengthA <= WORD_BITS) return distanceInWord(a, b);
  return lengthB <= WORD_BITS ? distanceInWord(b, a) : distanceInBlocks(a, b);
}

/** 1 for equal names (two empty ones too), 0 for names that share nothing. */
export function levenshteinRatio(a: UnitSpan, b: UnitSpan): number {
  const longer = Math.max(a.end - a.start, b.end - b.start);
  return longer === 0 ? 1 : 1 - levenshteinDistance(a, b) / longer;
}

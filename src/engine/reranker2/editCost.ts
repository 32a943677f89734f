/**
 * How far two words are apart, in twentieths of an edit: what people and transliterators confuse
 * costs less than any other edit. All integers, so that every machine gives the same.
 */
import { DOUBLED, SWAPPED, WORD_LETTERS_MAX } from '../native/wordScratch.ts';

/** Cost of one whole edit. */
export const EDIT = 20;
/** More than any two words can cost. */
export const TOO_FAR = 99_999;

const FIRST_LETTER = 6;
/** Cost of a first letter that stands further back: one slip, at the head. */
export const MOVED_HEAD: number = EDIT + FIRST_LETTER;
/** Letters that sound apart at the head of a word cost FIRST_LETTER on top above this. */
const FIRST_LETTER_FREE = 8;
const CODES = 64;
/** Letters of a word that are compared. */
const LETTERS_MAX = WORD_LETTERS_MAX;
/** Codes of characters beyond a-z and 0-9 start here; several share one. */
const FOREIGN = 37;
const FOREIGN_CODES = CODES - FOREIGN;

/** Pairs of letters that are confused, by sound or by key, and what a change costs. */
const CONFUSED: Readonly<Record<string, number>> = {
  ei: 7,
  ou: 7,
  ae: 9,
  iy: 3,
  ij: 6,
  jy: 6,
  uw: 8,
  ck: 4,
  kq: 4,
  cq: 6,
  sz: 5,
  cs: 9,
  vw: 5,
  bv: 9,
  fv: 8,
  bp: 12,
  dt: 12,
  gk: 13,
  gj: 8,
  kx: 12,
  mn: 14,
  sx: 10,
  fp: 14,
  jz: 12,
  gh: 12,
  hk: 14,
  o0: 4,
  i1: 4,
  l1: 4,
  e3: 4,
  s5: 4,
  g9: 6,
  a4: 5,
  b8: 6,
  t7: 8,
};
const VOWELS = 'aeiouy';
const VOWEL_CHANGED = 10;
/** Letters that are left out, or put in, more easily than others. */
const OFTEN_DROPPED: Readonly<Record<string, number>> = {
  a: 13,
  e: 13,
  i: 13,
  o: 13,
  u: 13,
  h: 8,
  y: 12,
};

/** What it costs to change one letter code into another: rows of 64. */
export const CHANGED: Uint8Array = new Uint8Array(CODES * CODES).fill(EDIT);
/** What a letter code more or less costs. */
export const DROPPED: Uint8Array = new Uint8Array(CODES).fill(EDIT);

/** A letter or digit as 1..36; other characters as 37..63. */
export function letterCode(unit: number): number {
  if (unit >= 97 && unit <= 122) return unit - 96;
  if (unit >= 48 && unit <= 57) return unit - 21;
  return FOREIGN + (unit % FOREIGN_CODES);
}

function setChanged(one: string, other: string, cost: number): void {
  const a = letterCode(one.charCodeAt(0));
  const b = letterCode(other.charCodeAt(0));
  CHANGED[a * CODES + b] = cost;
  CHANGED[b * CODES + a] = cost;
}

for (const one of VOWELS) for (const other of VOWELS) setChanged(one, other, VOWEL_CHANGED);
for (const [pair, cost] of Object.entries(CONFUSED)) setChanged(pair, pair.charAt(1), cost);
for (let code = 0; code < CODES; code++) CHANGED[code * CODES + code] = 0;
for (const [letter, cost] of Object.entries(OFTEN_DROPPED)) {
  DROPPED[letterCode(letter.charCodeAt(0))] = cost;
}

/** The codes of a word's letters, as many as are compared. */
export function codesOf(text: string): Uint8Array {
  const codes = new Uint8Array(Math.min(text.length, LETTERS_MAX));
  for (let at = 0; at < codes.length; at++) codes[at] = letterCode(text.charCodeAt(at));
  return codes;
}

let beforeLast = new Int32Array(LETTERS_MAX + 1);
let last = new Int32Array(LETTERS_MAX + 1);
let row = new Int32Array(LETTERS_MAX + 1);

/**
 * Least cost of turning one word into the other (optimal string alignment: no stretch is edited
 * twice); TOO_FAR where it is over `most`.
 */
export function editCost(a: Uint8Array, b: Uint8Array, most: number): number {
  const width = b.length;
  last[0] = 0;
  let before = 0;
  for (let j = 1; j <= width; j++) {
    const code = b[j - 1] as number;
    last[j] = (last[j - 1] as number) + (code === before ? DOUBLED : (DROPPED[code] as number));
    before = code;
  }
  let above = 0;
  let leastAbove = 0;
  for (let i = 1; i <= a.length; i++) {
    const code = a[i - 1] as number;
    const least = fillRow(b, code, above);
    // Two letters that changed places pass over one row.
    if (least > most && leastAbove > most) return TOO_FAR;
    leastAbove = least;
    above = code;
    const free = beforeLast;
    beforeLast = last;
    last = row;
    row = free;
  }
  const cost = last[width] as number;
  return cost > most ? TOO_FAR : cost;
}

/** Fills the row of the next letter of the first word; returns its least cost. */
function fillRow(b: Uint8Array, code: number, above: number): number {
  const gone = code === above ? DOUBLED : (DROPPED[code] as number);
  const changes = code * CODES;
  let left = (last[0] as number) + gone;
  row[0] = left;
  let least = left;
  let before = 0;
  for (let j = 1; j <= b.length; j++) {
    const other = b[j - 1] as number;
    let cost = (last[j - 1] as number) + (CHANGED[changes + other] as number);
    const without = (last[j] as number) + gone;
    if (without < cost) cost = without;
    const added = left + (other === before ? DOUBLED : (DROPPED[other] as number));
    if (added < cost) cost = added;
    if (above === other && before === code && other !== code && j > 1) {
      const swapped = (beforeLast[j - 2] as number) + SWAPPED;
      if (swapped < cost) cost = swapped;
    }
    row[j] = cost;
    if (cost < least) least = cost;
    left = cost;
    before = other;
  }
  return least;
}

/** What differing first letters cost on top: people rarely mistake them. */
export function headCost(a: Uint8Array, b: Uint8Array): number {
  const one = a[0] ?? 0;
  const other = b[0] ?? 0;
  if (one === other || (CHANGED[one * CODES + other] as number) <= FIRST_LETTER_FREE) return 0;
  return a.length > 1 && one === b[1] && a[1] === other ? 0 : FIRST_LETTER;
}

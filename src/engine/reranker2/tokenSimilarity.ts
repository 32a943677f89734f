/** How alike two words are, in thousandths, and why. */
import { EDIT, editCost, headCost, MOVED_HEAD, TOO_FAR } from './editCost.ts';
import type { NameToken } from './nameToken.ts';
import { PART } from './wordFacts.ts';

/** Two words are the same. */
export const SAME = 1000;
/** Below this, words are different. */
export const ALIKE_MIN = 450;

/** Why two words stand for each other; the order is part of the version. */
export const REASON = {
  same: 0,
  typo: 1,
  transliteration: 2,
  spelling: 3,
  initial: 4,
  nickname: 5,
  shortened: 6,
  joined: 7,
  acronym: 8,
} as const;

const SPELLING = 970;
const INITIAL = 600;
const NICKNAME = 660;
/** A word that is cut short, or written without some of its letters, in a company's name. */
const CUT = 720;
const SQUEEZED = 600;
const GENERIC_MORE = 160;
const GENERIC_WEIGHT = 0.75;
const SHORTENED_LETTERS_MIN = 3;
const SHORTENED_BY_MIN = 2;
/** Shortened words are looked for where the words are not alike otherwise. */
const ALIKE_ENOUGH = 850;
/** A share of the similarity is left where only one word is a title or particle. */
const PART_SHARE = 0.6;
/** A word this much like a title or particle is one with a slip. */
const SLIPPED = 650;
/** The share of a word that may be edited, as edits per letter: 11 twentieths. */
const COST_PER_LETTER = 11;
const SOUND_COST = 5;
const SAME_SOUND_COST = 4;
const SOUND_WORTH_LOOKING = 6;

/** Letters of a word whose first one may have moved. */
const MOVED_LETTERS_MIN = 4;

/** Result of the last `similarity`: REASON. */
let reason: number = REASON.same;

/** Why the words of the last `similarity` stand for each other. */
export function lastReason(): number {
  return reason;
}

/**
 * Thousandths by letters and sound alone, 0 where the words are different; a caller that asks for
 * more than ALIKE_MIN may get 0 for less than that.
 */
export function spelledAlike(a: NameToken, b: NameToken, least = ALIKE_MIN): number {
  const longest = Math.max(a.codes.length, b.codes.length);
  const asked = Math.ceil(((SAME + 1 - least) * EDIT * longest) / SAME);
  const most = Math.min(asked, longest * COST_PER_LETTER);
  const spelt = editCost(a.codes, b.codes, most);
  return alikeByCosts(a, b, spelt, spelt === 0 ? 0 : editCost(a.sounds, b.sounds, most));
}

/** The same from what the letters and the sounds cost, where a caller knows that already. */
export function alikeByCosts(a: NameToken, b: NameToken, spelt: number, heard: number): number {
  const longest = Math.max(a.codes.length, b.codes.length);
  const most = longest * COST_PER_LETTER;
  let cost = spelt > most ? TOO_FAR : spelt;
  reason = REASON.typo;
  if (cost > SOUND_WORTH_LOOKING && heard <= most) {
    const sound = heard === 0 ? SAME_SOUND_COST : heard + SOUND_COST;
    if (sound < cost) {
      cost = sound;
      reason = REASON.transliteration;
    }
  }
  if (cost >= TOO_FAR) return 0;
  cost += headCost(a.codes, b.codes);
  const alike = SAME - Math.floor((SAME * cost) / (EDIT * longest));
  return alike < ALIKE_MIN ? 0 : alike;
}

function isIn(short: Uint8Array, long: Uint8Array): boolean {
  let at = 0;
  for (let place = 0; place < long.length && at < short.length; place++) {
    if (short[at] === long[place]) at += 1;
  }
  return at === short.length;
}

function begins(short: Uint8Array, long: Uint8Array): boolean {
  for (let at = 0; at < short.length; at++) if (short[at] !== long[at]) return false;
  return true;
}

/** Thousandths where one word is short for the other by its letters, else 0. */
function shortened(a: NameToken, b: NameToken, isPerson: boolean): number {
  const [short, long] = a.codes.length < b.codes.length ? [a, b] : [b, a];
  const letters = short.codes.length;
  if (letters < SHORTENED_LETTERS_MIN || long.codes.length < letters + SHORTENED_BY_MIN) return 0;
  if (short.codes[0] !== long.codes[0]) return 0;
  const isCut = begins(short.codes, long.codes);
  if (isPerson) return isCut ? 600 + Math.floor((120 * letters) / long.codes.length) : 0;
  const isGeneric = long.weight < GENERIC_WEIGHT || (long.parts & PART.descriptor) !== 0;
  if (!isCut && !(isGeneric && isIn(short.codes, long.codes))) return 0;
  return (isCut ? CUT : SQUEEZED) + (isGeneric ? GENERIC_MORE : 0);
}

/** Thousandths where one word is the other with its first letter further back, else 0. */
function movedHead({ codes: a }: NameToken, { codes: b }: NameToken): number {
  const letters = a.length;
  if (letters !== b.length || letters < MOVED_LETTERS_MIN) return 0;
  if (!(a[1] === b[0] && isMoved(a, b)) && !(b[1] === a[0] && isMoved(b, a))) return 0;
  return SAME - Math.floor((SAME * MOVED_HEAD) / (EDIT * letters));
}

/** Whether a word is `from` with its first letter behind others. */
function isMoved(from: Uint8Array, to: Uint8Array): boolean {
  let at = 1;
  for (let place = 0; place < to.length; place++) {
    if (at < from.length && to[place] === from[at]) at += 1;
    else if (at - 1 !== place || to[place] !== from[0]) return false;
  }
  return true;
}

const UNSHORTENED = PART.number | PART.stop | PART.particle | PART.title;
const UNEVEN = PART.particle | PART.title;

function isInitial(token: NameToken): boolean {
  return token.codes.length === 1 && (token.parts & PART.number) === 0;
}

/**
 * Thousandths of likeness of two words of names of one kind; `lastReason` tells why. What is under
 * `least` need not be told apart.
 */
export function similarity(a: NameToken, b: NameToken, isPerson: boolean, least?: number): number {
  const alike = alikeAtSight(a, b);
  return alike >= 0 ? alike : alikeInPart(a, b, isPerson, spelledAlike(a, b, least));
}

/** The same where the last call was for what these words are by their letters alone. */
export function similarityBy(
  a: NameToken,
  b: NameToken,
  isPerson: boolean,
  spelled: number,
): number {
  const byLetters = reason;
  const alike = alikeAtSight(a, b);
  if (alike >= 0) return alike;
  reason = byLetters;
  return alikeInPart(a, b, isPerson, spelled);
}

/** Likeness that no letter has to be compared for; below 0: they have to be. */
function alikeAtSight(a: NameToken, b: NameToken): number {
  reason = REASON.same;
  if (a.text === b.text) {
    return ((a.parts ^ b.parts) & UNEVEN) === 0 ? SAME : SAME * PART_SHARE;
  }
  const parts = a.parts | b.parts;
  if ((parts & (PART.number | PART.suffix)) !== 0) return 0;
  if (isInitial(a) !== isInitial(b)) {
    if (a.codes[0] !== b.codes[0] || (parts & UNSHORTENED) !== 0) return 0;
    reason = REASON.initial;
    return INITIAL;
  }
  if (a.spelling === 0 || a.spelling !== b.spelling) return -1;
  reason = REASON.spelling;
  return SPELLING;
}

function alikeInPart(a: NameToken, b: NameToken, isPerson: boolean, spelled: number): number {
  let alike = spelled;
  if (alike < ALIKE_ENOUGH && a.codes[0] !== b.codes[0]) {
    const moved = movedHead(a, b);
    if (moved > alike) {
      alike = moved;
      reason = REASON.typo;
    }
  }
  if (alike < ALIKE_ENOUGH && isPerson && a.nicknames?.has(b.text) === true) {
    alike = Math.max(alike, NICKNAME);
    reason = REASON.nickname;
  } else if (alike < ALIKE_ENOUGH && ((a.parts | b.parts) & UNSHORTENED) === 0) {
    const cut = shortened(a, b, isPerson);
    if (cut > alike) {
      alike = cut;
      reason = REASON.shortened;
    }
  }
  const isEven = ((a.parts ^ b.parts) & UNEVEN) === 0;
  return isEven || alike >= SLIPPED ? alike : Math.floor(alike * PART_SHARE);
}

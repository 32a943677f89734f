/** When words may be written as one, and when they are an acronym: what alignment and bound ask. */
import type { NameToken } from './nameToken.ts';
import { PART } from './wordFacts.ts';

/** A word with a partner this good is not sought among joined ones, as one word or as parts. */
export const SETTLED = 980;
/** The same for one of the parts, which has to be better than this. */
export const SETTLED_PARTS = 950;
/** What is left of the likeness of words that are written as one. */
export const JOINED_COST = 0.98;
/** Likeness of an acronym to the words that it stands for. */
export const ACRONYM = 820;
/** The same in names of persons. */
export const PERSON_ACRONYM = 620;
/** Letters of an acronym. */
const ACRONYM_MAX = 6;
const SPELT_VOWELS = 'aeiouy';
const NO_ACRONYM = PART.number | PART.stop | PART.particle | PART.title;

/**
 * Whether `parts` words of `letters` letters in all, between these first and last ones, may be the
 * word of `own` letters: only one of about their length that begins or ends as they do.
 */
export function mayBeOne(
  parts: number,
  letters: number,
  first: number,
  last: number,
  own: number,
  ownFirst: number,
  ownLast: number,
): boolean {
  if (own < parts + 2) return false;
  if (letters > own ? (letters - own) * 4 > letters : (own - letters) * 4 > own) return false;
  return first === ownFirst || last === ownLast;
}

/** Whether a word may be the first letters of others. */
export function isAcronym(token: NameToken, isPerson: boolean): boolean {
  const letters = token.codes.length;
  if (letters < (isPerson ? 2 : 3) || letters > ACRONYM_MAX) return false;
  if ((token.parts & NO_ACRONYM) !== 0) return false;
  return !isPerson || (letters <= 3 && !hasVowel(token.text));
}

function hasVowel(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (SPELT_VOWELS.includes(text.charAt(at))) return true;
  return false;
}

/** How many words from `from` on have the letters of the acronym; 0: they do not. */
export function initialsAt(token: NameToken, words: readonly NameToken[], from: number): number {
  let letter = 0;
  let at = from;
  while (at < words.length && letter < token.codes.length) {
    const word = words[at] as NameToken;
    if (word.codes[0] === token.codes[letter] && word.codes.length > 1) letter += 1;
    else if ((word.parts & PART.stop) === 0 || letter === 0) return 0;
    at += 1;
  }
  return letter === token.codes.length ? at - from : 0;
}

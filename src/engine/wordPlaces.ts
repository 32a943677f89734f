/**
 * Where words of a list stand in a text: as they are, but for slips of the keyboard, written as
 * one, or broken in two by the end of a line.
 */
import type { NearWords } from './nearWords.ts';
import { isLegalWord, type TextWord } from './spotWords.ts';

/** Letters of each half of two words that were written as one. */
const HALF_UNITS_MIN = 2;

/** A word of a text, and whether any list has it. */
export interface SpotWord extends TextWord {
  /** As it is written it is a word of a list: rather another spelling than a slip. */
  readonly isKnown: boolean;
}

/** How a word of a text is a word of the list. */
export interface Standing {
  /** The last of its words: two that were broken in one are one. */
  readonly end: number;
  readonly as: 'it' | 'slip' | 'broken' | 'half';
  /** The other one of two that were written as one: a name has both or neither. */
  readonly partner?: number;
  /** Written with it without a blank: a legal form. */
  readonly legal?: { readonly before?: string; readonly behind?: string };
  /** Letters that are otherwise. */
  readonly slips?: number;
  /** As it is written it is a word of the list: another spelling rather than a slip. */
  readonly isKnown?: boolean;
}

/** By token of the list, the places of the words that are it. */
export type Places = Map<number, Map<number, Standing>>;

/** The places of the words of a list. */
export function placesOf(words: readonly SpotWord[], list: NearWords): Places {
  const places: Places = new Map();
  const note = (token: number, place: number, standing: Standing): void => {
    const known = places.get(token) ?? new Map<number, Standing>();
    const before = known.get(place);
    // Where the legal form is a word of the list, too, it may be either.
    if (before === undefined) known.set(place, standing);
    else if (standing.legal && before.partner !== undefined) {
      known.set(place, { ...before, legal: standing.legal });
    }
    places.set(token, known);
  };
  for (const [place, { isKnown, isLegal, tokens }] of words.entries()) {
    for (const token of tokens) {
      const exact = list.exact(token);
      if (exact >= 0) note(exact, place, { as: 'it', end: place });
      // A legal form is no slip in another word.
      if (isLegal) continue;
      for (const [near, count] of list.near(token)) {
        note(near, place, { as: 'slip', end: place, isKnown, slips: count });
      }
      noteHalves(list, token, { isKnown, place }, note);
    }
    const next = words[place + 1]?.tokens[0];
    const joined = next === undefined ? -1 : list.exact(`${tokens[0] ?? ''}${next}`);
    if (joined >= 0) note(joined, place, { as: 'broken', end: place + 1 });
  }
  return places;
}

/** Each two words that are this one together, whether or not it is one itself. */
function noteHalves(
  list: NearWords,
  word: string,
  { isKnown, place }: { readonly isKnown: boolean; readonly place: number },
  note: (token: number, place: number, standing: Standing) => void,
): void {
  for (let at = HALF_UNITS_MIN; at <= word.length - HALF_UNITS_MIN; at++) {
    const [start, rest] = [word.slice(0, at), word.slice(at)];
    const first = list.exact(start);
    const second = list.exact(rest);
    if (first >= 0 && second >= 0) {
      note(first, place, { as: 'half', end: place, partner: second });
      note(second, place, { as: 'half', end: place, partner: first });
    }
    if (isKnown) continue;
    if (first >= 0 && isLegalWord(rest)) {
      note(first, place, { as: 'half', end: place, legal: { behind: rest } });
    }
    if (second >= 0 && isLegalWord(start)) {
      note(second, place, { as: 'half', end: place, legal: { before: start } });
    }
  }
}

/**
 * Legal forms in words, at the start or the end of a company's name. Folding shortens those at the
 * end that are spelt as the table has them; here they may also stand in front, and each word may
 * have a slip.
 */

import nameWords from '../../../config/tables/nameWords.json' with { type: 'json' };
import words from '../../../config/tables/reranker2Words.json' with { type: 'json' };
import { codesOf, EDIT, editCost } from './editCost.ts';
import { isKnownOfEntities, legalKind } from './wordFacts.ts';

/** Letters from which a word may have a slip. */
const SLIP_LETTERS_MIN = 6;
/** Letters that a name has at least where a legal form is stuck to its end. */
const STEM_LETTERS_MIN = 4;
const STUCK = ['gmbh', 'limited', 'corp', 'plc', 'llc', 'ltd', 'inc', 'jsc', 'ag', 'sa'];

interface Word {
  readonly text: string;
  readonly codes: Uint8Array;
}

interface Phrase {
  readonly words: readonly Word[];
  readonly form: string;
}

const PHRASES: readonly Phrase[] = [
  ...Object.entries(nameWords.legalForms),
  ...Object.entries(words.legalPhrases).flatMap(([form, phrases]) =>
    phrases.map((phrase) => [phrase, form] as const),
  ),
]
  .map(([phrase, form]) => ({ form, words: phrase.split(' ').map(wordOf) }))
  .filter(
    (phrase) =>
      phrase.words.some(({ text }) => text.length > 8) ||
      (phrase.words.length > 1 && phrase.words.some(({ text }) => text.length > 3)),
  )
  .sort((a, b) => b.words.length - a.words.length);
const BY_LETTER = Map.groupBy(PHRASES, ({ words: [first] }) => first?.text.charAt(0) ?? '');

function wordOf(text: string): Word {
  return { codes: codesOf(text), text };
}

function isWord(own: string, word: Word): boolean {
  const { text } = word;
  if (own === text) return true;
  if (own.length < SLIP_LETTERS_MIN && text.length < SLIP_LETTERS_MIN) return false;
  if (own.charAt(0) !== text.charAt(0) || Math.abs(own.length - text.length) > 1) return false;
  return editCost(codesOf(own), word.codes, EDIT) <= EDIT;
}

function phraseAt(name: readonly string[], at: number): Phrase | undefined {
  return BY_LETTER.get(name[at]?.charAt(0) ?? '')?.find((phrase) =>
    phrase.words.every((word, place) => isWord(name[at + place] ?? '', word)),
  );
}

/** Whether no phrase begins with this word and no legal form is stuck to it. */
export function isShortAlone(word: string): boolean {
  const phrases = BY_LETTER.get(word.charAt(0)) ?? [];
  const begins = phrases.some(({ words: [first] }) => first !== undefined && isWord(word, first));
  return !begins && unstuck(word).length === 1;
}

/** A word that a legal form is stuck to, as two. */
function unstuck(word: string): readonly string[] {
  if (isKnownOfEntities(word)) return [word];
  const form = STUCK.find((end) => word.endsWith(end));
  const stem = form === undefined ? '' : word.slice(0, -form.length);
  return form !== undefined && stem.length >= STEM_LETTERS_MIN && isKnownOfEntities(stem)
    ? [stem, form]
    : [word];
}

/** The words of a company's name with its legal forms short. */
export function withShortForms(name: readonly string[]): string[] {
  const out: string[] = [];
  for (let at = 0; at < name.length; ) {
    const phrase = phraseAt(name, at);
    const isWhole = phrase !== undefined && phrase.words.length === name.length;
    if (phrase !== undefined && !isWhole) {
      out.push(...phrase.form.split(' ').filter((word) => legalKind(word) !== undefined));
      at += phrase.words.length;
    } else {
      out.push(...unstuck(name[at] ?? ''));
      at += 1;
    }
  }
  return out;
}

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

interface Phrase {
  readonly words: readonly string[];
  readonly form: string;
}

const PHRASES: readonly Phrase[] = [
  ...Object.entries(nameWords.legalForms),
  ...Object.entries(words.legalPhrases).flatMap(([form, phrases]) =>
    phrases.map((phrase) => [phrase, form] as const),
  ),
]
  .map(([phrase, form]) => ({ form, words: phrase.split(' ') }))
  .filter(
    (phrase) =>
      phrase.words.some(({ length }) => length > 8) ||
      (phrase.words.length > 1 && phrase.words.some(({ length }) => length > 3)),
  )
  .sort((a, b) => b.words.length - a.words.length);
const FIRST_LETTERS = new Set(PHRASES.map((phrase) => phrase.words[0]?.charAt(0)));

function isWord(own: string, word: string): boolean {
  if (own === word) return true;
  if (own.length < SLIP_LETTERS_MIN && word.length < SLIP_LETTERS_MIN) return false;
  if (own.charAt(0) !== word.charAt(0) || Math.abs(own.length - word.length) > 1) return false;
  return editCost(codesOf(own), codesOf(word), EDIT) <= EDIT;
}

function phraseAt(name: readonly string[], at: number): Phrase | undefined {
  if (!FIRST_LETTERS.has(name[at]?.charAt(0))) return undefined;
  return PHRASES.find((phrase) =>
    phrase.words.every((word, place) => isWord(name[at + place] ?? '', word)),
  );
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

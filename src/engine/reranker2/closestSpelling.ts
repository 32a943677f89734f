/**
 * A name in another script, spelt as it comes closest to a name in Latin letters: each word has its
 * own best spelling, of all that are known for it. The sixteen spellings of a whole name that are
 * searched for cannot have every spelling of each word together; once an entry is found, its name
 * says which are worth comparing. Which one is taken follows from both names alone.
 */
import { wordChoices } from '../readings/scriptNames.ts';
import { RecentMemo } from '../recentMemo.ts';
import { type NameToken, nameToken } from './nameToken.ts';
import { type PreparedName, prepareWords } from './preparedName.ts';
import { isSpelt } from './speltWords.ts';
import { SAME, spelledAlike } from './tokenSimilarity.ts';
import type { NameKind } from './wordFacts.ts';

/** Names of a query that are spelt so. */
const NAMES_MAX = 4;
/** Spellings of words that are kept, up to twice as many of each kind: lists repeat their words. */
const WORDS_KEPT = 4_096;

const keptWords: Readonly<Record<NameKind, RecentMemo<NameToken>>> = {
  entity: new RecentMemo(WORDS_KEPT, (word) => nameToken(word, 'entity')),
  person: new RecentMemo(WORDS_KEPT, (word) => nameToken(word, 'person')),
  vessel: new RecentMemo(WORDS_KEPT, (word) => nameToken(word, 'vessel')),
};

/** Spells names towards others. */
export class ClosestSpelling {
  readonly #words: readonly (readonly (readonly string[])[])[];

  /** @param names folded names; those without another script are left out */
  constructor(names: readonly string[]) {
    this.#words = names.filter(isSpelt).slice(0, NAMES_MAX).map(wordChoices);
  }

  /** No name is spelt. */
  get isEmpty(): boolean {
    return this.#words.length === 0;
  }

  /** Each of the names as it comes closest to `other`. */
  towards(other: PreparedName): PreparedName[] {
    const { kind, tokens } = other;
    const make = (word: string) => keptWords[kind].get(word);
    return this.#words.map((words) => {
      const texts = words.map((choices) => this.#closest(choices, tokens, kind));
      return prepareWords(texts.join(' ').split(' '), kind, make);
    });
  }

  #closest(choices: readonly string[], others: readonly NameToken[], kind: NameKind): string {
    let best = choices[0] ?? '';
    let most = -1;
    for (const text of choices) {
      const alike = this.#alike(text, others, kind);
      if (alike > most) [best, most] = [text, alike];
      if (most === SAME) break;
    }
    return best;
  }

  /** How like each word of the text the others are, by its letters. */
  #alike(text: string, others: readonly NameToken[], kind: NameKind): number {
    let sum = 0;
    let letters = 0;
    for (const word of text.split(' ')) {
      const own = keptWords[kind].get(word);
      let best = 0;
      for (const other of others) {
        const alike = own.text === other.text ? SAME : spelledAlike(own, other);
        if (alike > best) best = alike;
      }
      sum += best * own.codes.length;
      letters += own.codes.length;
    }
    return letters === 0 ? 0 : sum / letters;
  }
}

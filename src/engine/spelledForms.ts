/**
 * An Arabic name as numbers of tokens → its Latin spellings as numbers of tokens: the result of
 * arabicSpellings, without writing the names out. Spellings of a single word are cached by its
 * number. Only names with joined words are looked up by their texts.
 */
import {
  joinsWords,
  rankSpellings,
  SPELT_WORDS_MAX,
  spellingChoices,
  wordSpellings,
} from './arabicVariants.ts';
import type { TokenTable } from './tokenTable.ts';

/** Spellings of a word, best first, and the tokens of those that were asked for. */
interface SpeltWord {
  readonly length: number;
  readonly spellings: readonly string[];
  /** Tokens by rank; a spelling may have several. */
  readonly tokens: (readonly number[] | undefined)[];
}

function speltWord(spellings: readonly string[]): SpeltWord {
  return { length: spellings.length, spellings, tokens: spellings.map(() => undefined) };
}

/** Spells Arabic names while one index is built; token numbers are those of `tokens`. */
export class SpelledForms {
  readonly #tokens: TokenTable;
  /** Tokens by spelling. */
  readonly #known = new Map<string, readonly number[]>();
  /** Words by token number; null for words that may be joined to others. */
  readonly #words: (SpeltWord | null | undefined)[] = [];

  constructor(tokens: TokenTable) {
    this.#tokens = tokens;
  }

  /** The first `most` distinct spellings of a name. */
  spell(name: Uint32Array, most: number): Uint32Array[] {
    const words = this.#wordsOf(name);
    const forms: Uint32Array[] = [];
    rankSpellings(words, most, (ranks) => {
      const form = this.#formOf(words, ranks);
      if (!forms.some((other) => areEqual(other, form))) forms.push(form);
      return forms.length;
    });
    return forms.slice(0, most);
  }

  #wordsOf(name: Uint32Array): SpeltWord[] {
    const words: SpeltWord[] = [];
    const count = Math.min(name.length, SPELT_WORDS_MAX);
    for (let at = 0; at < count; at++) {
      const word = this.#wordOf(name[at] as number);
      if (word === null) return this.#joinedWords(name);
      if (word.length > 0) words.push(word);
    }
    return words;
  }

  #wordOf(token: number): SpeltWord | null {
    let word = this.#words[token];
    if (word === undefined) {
      const text = this.#tokens.text(token);
      word = joinsWords(text) ? null : speltWord(wordSpellings(text));
      this.#words[token] = word;
    }
    return word;
  }

  #joinedWords(name: Uint32Array): SpeltWord[] {
    const texts = Array.from(name, (token) => this.#tokens.text(token));
    return spellingChoices(texts).map(speltWord);
  }

  #formOf(words: readonly SpeltWord[], ranks: readonly number[]): Uint32Array {
    let count = 0;
    for (let at = 0; at < words.length; at++) count += this.#part(words, ranks, at).length;
    const form = new Uint32Array(count);
    let to = 0;
    for (let at = 0; at < words.length; at++) {
      for (const token of this.#part(words, ranks, at)) form[to++] = token;
    }
    return form;
  }

  /** Tokens of a word's spelling of the given rank. */
  #part(words: readonly SpeltWord[], ranks: readonly number[], at: number): readonly number[] {
    const word = words[at] as SpeltWord;
    const rank = ranks[at] as number;
    const known = word.tokens[rank];
    if (known !== undefined) return known;
    const tokens = this.#tokensOf(word.spellings[rank] ?? '');
    word.tokens[rank] = tokens;
    return tokens;
  }

  #tokensOf(spelling: string): readonly number[] {
    const known = this.#known.get(spelling);
    if (known !== undefined) return known;
    const tokens = spelling.split(' ').map((text) => this.#tokens.intern(text));
    this.#known.set(spelling, tokens);
    return tokens;
  }
}

function areEqual(one: Uint32Array, other: Uint32Array): boolean {
  if (one.length !== other.length) return false;
  for (let at = 0; at < one.length; at++) if (one[at] !== other[at]) return false;
  return true;
}

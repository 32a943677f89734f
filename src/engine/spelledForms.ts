/**
 * An Arabic name as numbers of tokens → its Latin spellings as the same: what arabicSpellings makes
 * of it, without writing the names out.
 */
import { rankSpellings, spellingChoices } from './arabicVariants.ts';
import type { TokenTable } from './tokenTable.ts';

/** Of one index in the making. */
export class SpelledForms {
  readonly #tokens: TokenTable;
  /** Tokens of a word's spelling, which may be several; as many as the list has spellings. */
  readonly #known = new Map<string, readonly number[]>();

  constructor(tokens: TokenTable) {
    this.#tokens = tokens;
  }

  /** The first `most` spellings, different ones. */
  spell(name: Uint32Array, most: number): Uint32Array[] {
    const words = Array.from(name, (token) => this.#tokens.text(token));
    const choices = spellingChoices(words);
    const forms: Uint32Array[] = [];
    rankSpellings(choices, most, (ranks) => {
      const form = this.#formOf(choices, ranks);
      if (!forms.some((other) => areEqual(other, form))) forms.push(form);
      return forms.length;
    });
    return forms.slice(0, most);
  }

  #formOf(choices: readonly (readonly string[])[], ranks: readonly number[]): Uint32Array {
    const form: number[] = [];
    for (let word = 0; word < ranks.length; word++) {
      const spelling = choices[word]?.[ranks[word] ?? 0] ?? '';
      for (const token of this.#tokensOf(spelling)) form.push(token);
    }
    return Uint32Array.from(form);
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

/** The names of a query, prepared for each kind of entities that it may meet; once per query. */
import { type NameToken, nameToken } from './nameToken.ts';
import { type PreparedName, prepareWords } from './preparedName.ts';
import type { NameKind } from './wordFacts.ts';

/** Names of a query that are compared; the rest are spellings that differ little. */
const NAMES_MAX = 32;

/** One query's names, by kind. */
export class QueryNames {
  readonly #texts: readonly string[];
  readonly #prepared = new Map<NameKind, readonly PreparedName[]>();

  constructor(texts: readonly string[]) {
    this.#texts = texts.slice(0, NAMES_MAX);
  }

  /** The folded texts in the order of `of`. */
  get texts(): readonly string[] {
    return this.#texts;
  }

  of(kind: NameKind): readonly PreparedName[] {
    const known = this.#prepared.get(kind);
    if (known !== undefined) return known;
    const words = new Map<string, NameToken>();
    const word = (text: string): NameToken => {
      const before = words.get(text) ?? nameToken(text, kind);
      words.set(text, before);
      return before;
    };
    const made = this.#texts.map((text) => prepareWords(text.split(' '), kind, word));
    this.#prepared.set(kind, made);
    return made;
  }
}

/** The names of a query, prepared for each kind of entities that it may meet; once per query. */
import type { NormalizedQuery } from '../ports.ts';
import { type NameToken, nameToken } from './nameToken.ts';
import { type PreparedName, prepareWords } from './preparedName.ts';
import type { NameKind } from './wordFacts.ts';

/** Names of a query that are compared; the rest are spellings that differ little. */
const NAMES_MAX = 32;

/** One query's names, by kind. */
export class QueryNames {
  readonly #names: readonly string[];
  readonly #natural: readonly string[];
  readonly #prepared = new Map<NameKind, readonly PreparedName[]>();

  constructor({ names, natural = [] }: Pick<NormalizedQuery, 'names' | 'natural'>) {
    this.#names = names;
    this.#natural = natural;
  }

  /** Only a person's name has another order behind a comma. */
  of(kind: NameKind): readonly PreparedName[] {
    const known = this.#prepared.get(kind);
    if (known !== undefined) return known;
    const texts = kind === 'person' ? [...this.#natural, ...this.#names] : this.#names;
    const words = new Map<string, NameToken>();
    const word = (text: string): NameToken => {
      const before = words.get(text) ?? nameToken(text, kind);
      words.set(text, before);
      return before;
    };
    const made = texts.slice(0, NAMES_MAX).map((text) => prepareWords(text.split(' '), kind, word));
    this.#prepared.set(kind, made);
    return made;
  }
}

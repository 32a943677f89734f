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
  readonly #spelt: readonly string[];
  readonly #prepared = new Map<NameKind, readonly PreparedName[]>();

  constructor({
    names,
    natural = [],
    spelt = [],
  }: Pick<NormalizedQuery, 'names' | 'natural' | 'spelt'>) {
    this.#names = names;
    this.#natural = natural;
    this.#spelt = spelt;
  }

  /** Only a person's name has another order behind a comma. */
  of(kind: NameKind): readonly PreparedName[] {
    const known = this.#prepared.get(kind);
    if (known !== undefined) return known;
    const written = kind === 'person' ? [...this.#natural, ...this.#names] : this.#names;
    const texts = [...written, ...this.#spelt];
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

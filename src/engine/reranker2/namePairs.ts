/**
 * Scores one name of a query against one name of an entity, both prepared. One instance per thread,
 * as it keeps scratch; the last pair's alignment can be read until the next one.
 */
import { Alignment } from './alignment.ts';
import { Features } from './features.ts';
import type { Model } from './model.ts';
import { MostReader } from './mostTerms.ts';
import type { PreparedName } from './preparedName.ts';
import type { WordRow } from './wordColumns.ts';
import type { NameKind } from './wordFacts.ts';

/** z of names that have no word in common. */
export const NOTHING_Z = -20;

/** The scorer of pairs of names of one kind. */
export class NamePairs {
  readonly alignment = new Alignment();
  readonly features = new Features();
  /** z before the shift, and as thresholds see it. */
  raw = NOTHING_Z;
  shifted = NOTHING_Z;
  readonly #most = new MostReader();
  readonly #model: Model;

  constructor(model: Model) {
    this.#model = model;
  }

  /**
   * The most that z, as thresholds see it, can be for a pair of names of this kind; NOTHING_Z where
   * no word may stand for another. Their words are compared before (WordMemo.fill).
   */
  most(kind: NameKind, query: WordRow, entry: WordRow): number {
    const most = this.#most;
    const isAny = most.read(query, entry, this.alignment.memos[kind], kind === 'person');
    if (!isAny) return NOTHING_Z;
    if (!most.isFlawed) return this.#model.most(kind, most.all);
    return Math.max(
      this.#model.most(kind, most.plain),
      this.#model.most(kind, most.all, most.flaws),
    );
  }

  /** Scores a pair; the members have the outcome. */
  score(query: PreparedName, entry: PreparedName): void {
    this.alignment.align(query, entry);
    if (this.alignment.count === 0) {
      this.features.clear();
      this.raw = NOTHING_Z;
      this.shifted = NOTHING_Z;
      return;
    }
    this.features.read(query, entry, this.alignment);
    this.raw = this.#model.raw(query.kind, this.features.values);
    this.shifted = this.#model.shifted(query.kind, this.raw, this.features.bits);
  }
}

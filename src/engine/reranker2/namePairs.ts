/**
 * Scores one name of a query against one name of an entity, both prepared. One instance per thread,
 * as it keeps scratch; the last pair's alignment can be read until the next one.
 */
import { Alignment } from './alignment.ts';
import { Features } from './features.ts';
import type { Model } from './model.ts';
import { MostReader } from './mostTerms.ts';
import type { PreparedName } from './preparedName.ts';

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
   * Scores a pair; the members have the outcome. Returns false, without one, where z as thresholds
   * see it cannot be over `least`.
   */
  score(query: PreparedName, entry: PreparedName, least = Number.NEGATIVE_INFINITY): boolean {
    this.alignment.search(query, entry);
    if (least > NOTHING_Z) {
      if (this.alignment.foundCount === 0) return false;
      const most = this.#most.read(query, entry, this.alignment);
      if (this.#model.most(query.kind, most) < least) return false;
    }
    this.alignment.settle(query, entry);
    if (this.alignment.count === 0) {
      this.features.clear();
      this.raw = NOTHING_Z;
      this.shifted = NOTHING_Z;
      return true;
    }
    this.features.read(query, entry, this.alignment);
    this.raw = this.#model.raw(query.kind, this.features.values);
    this.shifted = this.#model.shifted(query.kind, this.raw, this.features.bits);
    return true;
  }
}

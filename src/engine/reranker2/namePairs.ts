/**
 * Scores one name of a query against one name of an entity, both prepared. One instance per thread,
 * as it keeps scratch; the last pair's alignment can be read until the next one.
 */
import { type Aligned, Alignment } from './alignment.ts';
import { Features, termIn } from './features.ts';
import type { Model } from './model.ts';
import { MostReader } from './mostTerms.ts';
import type { PreparedName } from './preparedName.ts';
import { REASON, SAME } from './tokenSimilarity.ts';
import type { WordRow } from './wordColumns.ts';
import type { NameKind } from './wordFacts.ts';

/** z of names that have no word in common. */
export const NOTHING_Z = -20;

/** What a name with words written as one says less than the name itself, at least. */
const SAME_NAME_LEAD = 0.01;

/** What a name says for itself: the most that any spelling of it can say. */
interface SameName {
  readonly raw: number;
  readonly bits: number;
}

/** The scorer of pairs of names of one kind. */
export class NamePairs {
  readonly alignment = new Alignment();
  readonly features = new Features();
  /** What the terms add up to. */
  terms = NOTHING_Z;
  /** z before the shift, and as thresholds see it. */
  raw = NOTHING_Z;
  shifted = NOTHING_Z;
  /** Bits of information in the words that both names have. */
  bits = 0;
  readonly #sameNames = new WeakMap<PreparedName, SameName>();
  readonly #sameFeatures = new Features();
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
      this.terms = NOTHING_Z;
      this.raw = NOTHING_Z;
      this.shifted = NOTHING_Z;
      this.bits = 0;
      return;
    }
    this.features.read(query, entry, this.alignment);
    this.terms = this.#model.raw(query.kind, this.features.values);
    this.raw = this.terms;
    this.bits = this.features.bits;
    if (termIn(this.features.values, 'joined') > 0) this.#boundBySame(query);
    this.shifted = this.#model.shifted(query.kind, this.raw, this.bits);
  }

  /**
   * Words written as one speak for a match, as they make up for their edits, and are as rare as the
   * one word: `Abd al-Rahman` must not say more for `Abdul Rahman` than `Abdul Rahman` does.
   */
  #boundBySame(query: PreparedName): void {
    const same = this.#sameName(query);
    this.raw = Math.min(this.raw, same.raw - SAME_NAME_LEAD);
    this.bits = Math.min(this.bits, same.bits);
  }

  #sameName(name: PreparedName): SameName {
    const known = this.#sameNames.get(name);
    if (known !== undefined) return known;
    const features = this.#sameFeatures;
    features.read(name, name, withItself(name, this.alignment));
    const made = { bits: features.bits, raw: this.#model.raw(name.kind, features.values) };
    this.#sameNames.set(name, made);
    return made;
  }
}

/** Each word of a name stands for itself. */
function withItself({ tokens }: PreparedName, { memos }: Alignment): Aligned {
  const taken = (1 << tokens.length) - 1;
  const links = tokens.map((_, at) => ({
    alike: SAME,
    entry: at,
    entryCount: 1,
    query: at,
    queryCount: 1,
    reason: REASON.same,
    value: 0,
  }));
  return { count: links.length, entryTaken: taken, links, memos, queryTaken: taken };
}

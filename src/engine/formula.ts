/**
 * Re-ranker 1.0.0: the formula of the interface (weights × components × boost), refined for absent
 * attributes (decisions 2.2, 2.4, 2.6). Arithmetic only; the component scores come from the kernels
 * (native/).
 *
 * `rescale`: an absent component is left out and the other weights are scaled to sum to 1. A date
 * that agrees only in part counts with half its weight above and below the line. `zero`: the
 * formula to the letter. The effective weight of a component is the factor of its score, so that
 * directScore = Σ effective weight × score can be checked by hand from the evidence.
 */
import { roundScore } from '#platform/roundScore';
import type { CommonWords } from './commonWords.ts';
import type { ComponentWeights, ScorerSettings } from './ports.ts';
import { CATEGORY_BIT } from './ports.ts';
import { ratioMost, winklerMost } from './signature.ts';

const DOB_PARTIAL = 0.5;
/**
 * Share of its score that a query of common words alone keeps (re-ranker 1.1): with it no candidate
 * is over any threshold that ships, and their order stays.
 */
const COMMON_SHARE = 0.5;
/** Bisection steps of jaroRequired. */
const HALVINGS = 30;

/**
 * Component scores of an entity (0..1) that are known before its names are compared; NaN: absent.
 */
export interface Attributes {
  phonetic: number;
  dob: number;
  nationality: number;
  /** The query has variants. */
  alias: boolean;
}

/**
 * The formula with one query's settings, ready for the loop. All scores are 0..1; the boost is
 * applied by the caller.
 */
export class Formula {
  readonly weights: ComponentWeights;
  readonly #rescale: boolean;
  /** Boost by category bits. */
  readonly #boosts = new Float64Array(32);
  readonly boostMax: number;
  readonly #common: CommonWords | undefined;

  /** @param common given where the query has common words alone */
  constructor(settings: ScorerSettings, common?: CommonWords) {
    this.#common = common;
    this.weights = settings.weights;
    this.#rescale = settings.missingAttributes === 'rescale';
    for (let bits = 0; bits < 32; bits++) this.#boosts[bits] = boostOf(bits, settings.boosts);
    this.boostMax = Math.max(...this.#boosts);
  }

  /** Largest boost among the categories (CATEGORY_BIT); 1.0 where there is none. */
  boost(categories: number): number {
    return this.#boosts[categories & 31] ?? 1;
  }

  /**
   * The divisor: with `rescale` the sum of the weights of the present components. A query of common
   * words alone has a greater one: of one word unless the date of birth is the same, of several
   * also unless `name`, its nameScore, says that the words are. Without `name` the words are taken
   * as the same, so the kernels' bounds miss nothing.
   */
  weightSum(attributes: Attributes, name = 1): number {
    const sum = this.#presentSum(attributes);
    return this.lowers(attributes, name) ? sum / COMMON_SHARE : sum;
  }

  /** Whether an entity keeps only COMMON_SHARE of its score. */
  lowers({ dob }: Attributes, name: number): boolean {
    return this.#common !== undefined && dob !== 1 && (this.#common === 'one' || name < 1);
  }

  #presentSum(attributes: Attributes): number {
    if (!this.#rescale) return 1;
    const weights = this.weights;
    let sum = weights.name;
    if (!Number.isNaN(attributes.phonetic)) sum += weights.phonetic;
    if (attributes.dob === DOB_PARTIAL) sum += weights.dob / 2;
    else if (!Number.isNaN(attributes.dob)) sum += weights.dob;
    if (!Number.isNaN(attributes.nationality)) sum += weights.nationality;
    if (attributes.alias) sum += weights.alias;
    return sum > 0 ? sum : 1;
  }

  /** Weighted points of the attributes, before the names are compared and before the division. */
  attributePoints(attributes: Attributes): number {
    const weights = this.weights;
    let points = 0;
    if (attributes.phonetic > 0) points += weights.phonetic * attributes.phonetic;
    if (attributes.dob > 0) points += weights.dob * attributes.dob;
    if (attributes.nationality > 0) points += weights.nationality * attributes.nationality;
    return points;
  }

  /** Points that the names of an entity with these attributes must add to reach `direct`. */
  #pointsRequired(attributes: Attributes, direct: number): number {
    return direct * this.weightSum(attributes) - this.attributePoints(attributes);
  }

  /**
   * Least nameScore with which an entity of these attributes can reach `direct`, granting it an
   * alias score of `aliasMost`. Above 1 it cannot reach it; at or below 0 it reaches it with any
   * name.
   */
  nameRequired(attributes: Attributes, direct: number, aliasMost = 1): number {
    const granted = attributes.alias ? this.weights.alias * aliasMost : 0;
    const missing = this.#pointsRequired(attributes, direct) - granted;
    if (this.weights.name <= 0) return missing > 0 ? 2 : 0;
    return missing / this.weights.name;
  }

  /**
   * Least Jaro similarity that some name of such an entity must have in common letters alone; above
   * 1 it cannot reach `direct`. Letters that allow a Jaro of j allow a Levenshtein ratio of at most
   * (3j - 1) / 2, so an alias score is granted only as far as the letters allow.
   */
  jaroRequired(attributes: Attributes, direct: number): number {
    const required = this.#pointsRequired(attributes, direct);
    const most = (jaro: number) =>
      this.weights.name * winklerMost(jaro) +
      (attributes.alias ? this.weights.alias * ratioMost(jaro) : 0);
    if (most(1) < required) return 2;
    let low = 0;
    let high = 1;
    for (let step = 0; step < HALVINGS; step++) {
      const middle = (low + high) / 2;
      if (most(middle) < required) low = middle;
      else high = middle;
    }
    return low;
  }

  /** directScore, rounded to 9 decimals; `alias` is 0 where absent. */
  direct(attributes: Attributes, name: number, alias: number): number {
    const points =
      this.weights.name * name +
      this.attributePoints(attributes) +
      (attributes.alias ? this.weights.alias * alias : 0);
    return roundScore(points / this.weightSum(attributes, name));
  }

  /** Factor of each component score, rounded; 0 for an absent one. `name` is the nameScore. */
  effectiveWeights(attributes: Attributes, name = 1): ComponentWeights {
    const sum = this.weightSum(attributes, name);
    const weights = this.weights;
    const share = (weight: number, present: boolean) => (present ? roundScore(weight / sum) : 0);
    return {
      name: share(weights.name, true),
      phonetic: share(weights.phonetic, !Number.isNaN(attributes.phonetic)),
      dob: share(weights.dob, !Number.isNaN(attributes.dob)),
      nationality: share(weights.nationality, !Number.isNaN(attributes.nationality)),
      alias: share(weights.alias, attributes.alias),
    };
  }
}

function boostOf(categories: number, boosts: ScorerSettings['boosts']): number {
  let best = -1;
  if ((categories & CATEGORY_BIT.SAN) !== 0) best = Math.max(best, boosts.SAN);
  if ((categories & CATEGORY_BIT.PEP) !== 0) best = Math.max(best, boosts.PEP);
  if ((categories & CATEGORY_BIT.RCA) !== 0) best = Math.max(best, boosts.RCA);
  if ((categories & CATEGORY_BIT.SI) !== 0) best = Math.max(best, boosts.SI);
  if ((categories & CATEGORY_BIT.DI) !== 0) best = Math.max(best, boosts.DI);
  return best < 0 ? 1 : best;
}

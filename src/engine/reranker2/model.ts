/**
 * The model of re-ranker 2: terms → z → a score between 0 and 1. z is the sum of the terms, each
 * times its weight: every summand is a line of the explanation. The weights, the shifts and the
 * attributes' evidence are data (config/tables/reranker2Model.json, made by
 * scripts/trainReranker2.ts); their digest stands beside the version in the evidence.
 */
import { createHash } from 'node:crypto';
import { canonicalJson } from '#platform/canonicalJson';
import { roundScore } from '#platform/roundScore';
import data from '../../../config/tables/reranker2Model.json' with { type: 'json' };
import { editsTerm, largestEditTerm, TERM_NAMES, type Term } from './features.ts';
import type { LeastFlaws, MostTerms } from './mostTerms.ts';
import type { NameKind } from './wordFacts.ts';

/** Weights of one kind of names, with what they start from and are shifted by. */
export interface KindModel {
  readonly bias: number;
  readonly weights: Readonly<Partial<Record<Term, number>>>;
  /** What is taken from z, so that the line of review is where its share of clean names is. */
  readonly shift: number;
  /** How z is stretched from that line on to those of a hit and of a match; absent: it is not. */
  readonly stretch?: { readonly hit: number; readonly match: number };
}

/** A model as it is stored. */
export interface ModelData {
  readonly person: KindModel;
  readonly entity: KindModel;
}

/** Information, in bits, under which a match says nothing, and how z may rise above it. */
const INFORMATION_MIN = { entity: 8.5, person: 11.5, vessel: 8.5 } as const;
const Z_PER_BIT = 1.5;
const Z_MOST = 40;
/**
 * z of the scores .60, .85 and .92, where a batch clears, a review begins and a match begins. Each
 * has its share of clean names, so each has a place of its own in z before the shift; between them
 * z runs straight, and beyond them as it was.
 */
export const LINE_Z = { hit: 0.405465108, review: 1.734601055, match: 2.442347035 } as const;
const EXP_PARTS = 10;
const EXP_TERMS = 8;

/** Sums are in another order than z itself: bounds are raised by more than that can be. */
const BOUND_SLACK = 1e-6;

/** What speaks for a match: its weight by term, and the sum of those whose terms are at most 1. */
interface MostWeights {
  readonly coverage: number;
  readonly information: number;
  readonly joined: number;
  readonly spaceless: number;
  readonly vessel: number;
  readonly rest: number;
}

function mostOf({ weights }: KindModel): MostWeights {
  const { coverage = 0, information = 0, joined = 0, ...more } = weights;
  const { spaceless = 0, vessel = 0, ...others } = more;
  const raised = (weight: number) => Math.max(0, weight);
  return {
    coverage: raised(coverage),
    information: raised(information),
    joined: raised(joined),
    spaceless: raised(spaceless),
    vessel: raised(vessel),
    rest: Object.values(others).reduce((sum, weight) => sum + raised(weight), 0),
  };
}

/** What the least of these flaws takes from z. */
function leastOf(
  { edits: ofAll = 0, largestEdit = 0, nickname = 0, shortened = 0 }: KindModel['weights'],
  flaws: LeastFlaws,
): number {
  const { edits } = flaws;
  const edited = largestEdit * largestEditTerm(edits) + ofAll * editsTerm(edits);
  return Math.max(
    Number.isFinite(edits) ? Math.min(0, edited) : Number.NEGATIVE_INFINITY,
    flaws.nickname ? Math.min(0, nickname) : Number.NEGATIVE_INFINITY,
    flaws.shortened ? Math.min(0, shortened) : Number.NEGATIVE_INFINITY,
  );
}

/** The most that z can be where the words that both names have tell so many bits. */
export function zByBits(kind: NameKind, bits: number): number {
  return (bits - INFORMATION_MIN[kind]) * Z_PER_BIT;
}

/** z from how far it is under the line of review: stretched as far as the line of a hit. */
function below(under: number, stretch: number): number {
  const hit = LINE_Z.hit - LINE_Z.review;
  const least = hit / stretch;
  return LINE_Z.review + (under > least ? under * stretch : under + hit - least);
}

/** A model with its weights in the order of the terms. */
export class Model {
  readonly #weights: { readonly person: Float64Array; readonly entity: Float64Array };
  readonly #most: { readonly person: MostWeights; readonly entity: MostWeights };
  readonly #data: ModelData;

  constructor(model: ModelData) {
    this.#data = model;
    const inOrder = ({ weights }: KindModel) =>
      Float64Array.from(TERM_NAMES, (term) => weights[term] ?? 0);
    this.#weights = { entity: inOrder(model.entity), person: inOrder(model.person) };
    this.#most = { entity: mostOf(model.entity), person: mostOf(model.person) };
  }

  #of(kind: NameKind): KindModel {
    return kind === 'person' ? this.#data.person : this.#data.entity;
  }

  /** What z starts from. */
  biasOf(kind: NameKind): number {
    return this.#of(kind).bias;
  }

  /** What the terms add up to for names of this kind, before any shift. */
  raw(kind: NameKind, values: Float64Array): number {
    const weights = kind === 'person' ? this.#weights.person : this.#weights.entity;
    let z = this.#of(kind).bias;
    for (let at = 0; at < weights.length; at++) {
      z += (weights[at] as number) * (values[at] as number);
    }
    return z;
  }

  /**
   * z as thresholds see it: shifted, and no higher than the information of the words that both
   * names have allows. Common words alone never reach 0, a score of a half.
   */
  shifted(kind: NameKind, raw: number, bits: number): number {
    return Math.min(this.calibrated(kind, raw), zByBits(kind, bits));
  }

  /** z with each line at its share of clean names: shifted, and stretched between the lines. */
  calibrated(kind: NameKind, raw: number): number {
    const { shift, stretch } = this.#of(kind);
    const z = raw - shift;
    if (stretch === undefined) return z;
    const over = z - LINE_Z.review;
    if (over < 0) return below(over, stretch.hit);
    const matched = LINE_Z.match - LINE_Z.review;
    const most = matched / stretch.match;
    return LINE_Z.review + (over < most ? over * stretch.match : over + matched - most);
  }

  /**
   * z as thresholds see it, at most, where the terms are no further for a match than these, and
   * some word has one of these flaws at least.
   */
  most(kind: NameKind, terms: MostTerms, flaws?: LeastFlaws): number {
    const { bias, weights } = this.#of(kind);
    const most = this.#most[kind === 'person' ? 'person' : 'entity'];
    const z =
      bias +
      most.rest +
      most.coverage * terms.coverage +
      most.information * terms.information +
      most.joined * terms.joined +
      most.spaceless * terms.spaceless +
      (kind === 'vessel' ? most.vessel : 0) +
      Math.min(0, weights.conflict ?? 0) * terms.conflict +
      (flaws === undefined ? 0 : leastOf(weights, flaws));
    return this.shifted(kind, z, terms.bits) + BOUND_SLACK;
  }

  /** Each term's share of z, for the explanation; those of 0 are left out. */
  terms(
    kind: NameKind,
    values: Float64Array,
  ): readonly { readonly term: Term; readonly z: number }[] {
    const { weights } = this.#of(kind);
    return TERM_NAMES.flatMap((term, at) => {
      const z = (weights[term] ?? 0) * (values[at] as number);
      return z === 0 ? [] : [{ term, z: roundScore(z) }];
    });
  }
}

/** Scores are rounded to 9 decimals; the host's logarithm may be off in its last digits. */
const SCORE_SLACK = 1e-9;
const Z_SLACK = 1e-6;

/** A z under every z whose score is at least this: a bound, no part of any score. */
export function zUnder(score: number): number {
  const lowered = score - SCORE_SLACK;
  if (lowered <= 0) return Number.NEGATIVE_INFINITY;
  return lowered >= 1 ? Z_MOST : Math.log(lowered / (1 - lowered)) - Z_SLACK;
}

/** The model that ships. */
export const MODEL = new Model(data);
/** SHA-256 of the model and its shifts as canonical JSON, in hex. */
export const MODEL_DIGEST: string = createHash('sha256').update(canonicalJson(data)).digest('hex');
/** What z is shifted by, by kind of names. */
export const MODEL_SHIFTS = { entity: data.entity.shift, person: data.person.shift } as const;

/**
 * e to the power -x for x of 0..Z_MOST by + × ÷ alone, as the host's own exponential may change
 * with its version: the series at x / 1024, squared ten times.
 */
function negativeExponential(x: number): number {
  const part = -x / (1 << EXP_PARTS);
  let term = 1;
  let sum = 1;
  for (let at = 1; at <= EXP_TERMS; at++) {
    term = (term * part) / at;
    sum += term;
  }
  for (let turn = 0; turn < EXP_PARTS; turn++) sum *= sum;
  return sum;
}

/** The score of a z: 1 / (1 + e^-z), rounded to 9 decimals. */
export function scoreOf(z: number): number {
  const size = z < 0 ? -z : z;
  const small = negativeExponential(Math.min(size, Z_MOST));
  return roundScore(z < 0 ? small / (1 + small) : 1 / (1 + small));
}

/**
 * Fits a model of re-ranker 2 to labelled pairs, in rounds: the best candidates of names that no
 * list has are pairs of two parties, and which they are depends on the model before. Nothing is
 * drawn at random here: the same pairs give the same model.
 */
import { TERM_NAMES, TERMS, WEIGHT_LEAST } from '../../src/engine/reranker2/features.ts';
import { type KindModel, Model, type ModelData } from '../../src/engine/reranker2/model.ts';
import { rerankerTwo } from '../../src/engine/reranker2/reranker.ts';
import { byName, type ListRun } from './listRun.ts';
import { fitSigned, type Sample } from './logistic.ts';
import { type PairFigures, pairFigures } from './pairFigures.ts';
import { PairScorer, type PairTerms } from './pairScores.ts';
import type { Pair } from './trainingPairs.ts';

/** Share of the loss that the labelled pairs have. */
const TUNING_SHARE = 0.3;
const FOLDS = 8;
/** Candidates of a searched name that become pairs. */
const SEARCHED_BEST = 4;
const ROUNDS = 2;

/** Good enough to find the best forms of pairs with, before there is a model. */
const PLAIN: KindModel = {
  bias: -6,
  shift: 0,
  weights: { conflict: -2, coverage: 8, information: 3, largestEdit: -4, oneWord: -2 },
};

/** A pair as the model sees it. */
export interface Labelled {
  readonly terms: PairTerms;
  readonly isSame: boolean;
  readonly sort: string;
}

const signs = TERM_NAMES.map((term) => TERMS[term]);

function labelled(model: ModelData, pairs: readonly Pair[]): Labelled[] {
  const scorer = new PairScorer(new Model(model));
  return pairs.map((pair) => ({ isSame: pair.isSame, sort: pair.sort, terms: scorer.terms(pair) }));
}

function kindModel(
  made: readonly Labelled[],
  tuned: readonly Labelled[],
  isPerson: boolean,
): KindModel {
  const of = (all: readonly Labelled[]) =>
    all.filter(({ terms }) => (terms.kind === 'person') === isPerson);
  const [mine, theirs] = [of(made), of(tuned)];
  const count = (TUNING_SHARE / (1 - TUNING_SHARE)) * (mine.length / Math.max(1, theirs.length));
  const all = [...mine, ...theirs];
  const sample: Sample = {
    counts: all.map((_, at) => (at < mine.length ? 1 : count)),
    labels: all.map(({ isSame }) => isSame),
    rows: all.map(({ terms }) => terms.values),
  };
  const { bias, weights } = fitSigned(sample, signs);
  const rounded = TERM_NAMES.flatMap((term, at) => {
    const least = WEIGHT_LEAST[term] ?? Number.NEGATIVE_INFINITY;
    const weight = Math.max(least, Math.round((weights[at] ?? 0) * 1e4) / 1e4);
    return weight === 0 ? [] : [[term, weight] as const];
  });
  return { bias: Math.round(bias * 1e4) / 1e4, shift: 0, weights: Object.fromEntries(rounded) };
}

function fitted(made: readonly Labelled[], tuned: readonly Labelled[]): ModelData {
  return { entity: kindModel(made, tuned, false), person: kindModel(made, tuned, true) };
}

/** The best candidates of names that no list has: pairs of two parties, as searches meet them. */
function searchedPairs(
  run: ListRun,
  model: ModelData,
  names: readonly (readonly [string, Pair['schema']])[],
): Pair[] {
  const rerank = rerankerTwo(new Model(model));
  return names.flatMap(([a, schema]) =>
    run
      .search(rerank, byName(a, schema === 'Other' ? {} : { schema }))
      .slice(0, SEARCHED_BEST)
      .map(({ matchedName }) => ({ a, b: matchedName, isSame: false, schema, sort: 'searched' })),
  );
}

function outOfFold(
  made: readonly Labelled[],
  tuned: readonly Labelled[],
  families: readonly string[],
) {
  const names = [...new Set(families)].sort();
  const foldOf = new Map(names.map((name, at) => [name, (at * 5) % FOLDS]));
  const scored = Array.from({ length: FOLDS }, (_, fold) => {
    const isIn = (at: number) => foldOf.get(families[at] ?? '') === fold;
    const others = tuned.filter((_, at) => !isIn(at));
    const model = new Model(fitted(made, others));
    return tuned
      .filter((_, at) => isIn(at))
      .map(({ isSame, terms }) => {
        const raw = model.raw(terms.kind, terms.values);
        return { isSame, score: model.shifted(terms.kind, raw, terms.bits) };
      });
  }).flat();
  return pairFigures(scored);
}

/** A labelled pair with its family of names, which one fold holds out together. */
export type TuningPair = Pair & { readonly family: string };

/** What a model is fitted to. */
export interface Training {
  readonly pairs: readonly Pair[];
  readonly tuning: readonly TuningPair[];
  /** Searched in `run`: names that no list has. */
  readonly searched: readonly (readonly [string, Pair['schema']])[];
  readonly run: ListRun;
}

/** A model without shifts, and how it was come by. */
export interface Trained {
  readonly model: ModelData;
  readonly made: readonly Labelled[];
  /** Of models that were fitted without the pair's family. */
  readonly outOfFold: PairFigures;
}

/** Fits a model; `tell` hears of each round. */
export function trained(
  { pairs, run, searched, tuning }: Training,
  tell: (round: number, trained: Trained) => void = () => undefined,
): Trained {
  const families = tuning.map(({ family }) => family);
  let last: Trained | undefined;
  let model: ModelData = { entity: PLAIN, person: PLAIN };
  for (let round = 1; round <= ROUNDS; round++) {
    const made = labelled(model, [...pairs, ...searchedPairs(run, model, searched)]);
    const tuned = labelled(model, tuning);
    model = fitted(made, tuned);
    last = { made, model, outOfFold: outOfFold(made, tuned, families) };
    tell(round, last);
  }
  if (last === undefined) throw new Error('expected a round');
  return last;
}

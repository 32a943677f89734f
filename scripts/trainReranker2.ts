/**
 * Fits re-ranker 2's model and writes config/tables/reranker2Model.json. Run by hand when a table,
 * a term or the data changes (`TEST_DATA_DIR=… node scripts/trainReranker2.ts`); seeded, so that
 * the same data gives the same bytes. A new model is a new version, and ships only if it passes
 * `npm run gate`.
 *
 *   --dry    writes nothing
 */
import { writeFileSync } from 'node:fs';
import { roundScore } from '#platform/roundScore';
import { TERM_NAMES, TERMS, WEIGHT_LEAST } from '../src/engine/reranker2/features.ts';
import { type KindModel, Model, type ModelData } from '../src/engine/reranker2/model.ts';
import { rerankerTwo } from '../src/engine/reranker2/reranker.ts';
import { cleanNames } from './reranker2/cleanNames.ts';
import { allLists, byName, ListRun } from './reranker2/listRun.ts';
import { fitSigned, type Sample } from './reranker2/logistic.ts';
import { pairFigures } from './reranker2/pairFigures.ts';
import { PairScorer, type PairTerms } from './reranker2/pairScores.ts';
import { looksAlike, type Pair, trainingPairs, tuningPairs } from './reranker2/trainingPairs.ts';

const OUT = new URL('../config/tables/reranker2Model.json', import.meta.url);
const SEED = 20_261_123;
/** Share of the loss that the labelled pairs have. */
const TUNING_SHARE = 0.3;
const FOLDS = 8;
/** Clean names whose best candidates are pairs of two parties. */
const SEARCHED = 700;
const SEARCHED_BEST = 4;
/** Clean names of each source that the shifts are fixed on. */
const SHIFTED_ON = 5_000;
const REVIEW_Z = Math.log(0.85 / 0.15);

/** Good enough to find the best forms of pairs with, before there is a model. */
const PLAIN: KindModel = {
  bias: -6,
  shift: 0,
  weights: { conflict: -2, coverage: 8, information: 3, largestEdit: -4, oneWord: -2 },
};

interface Labelled {
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

/**
 * Shift at which the given share of clean names has a candidate over the line of review. Names of
 * known people that differ from the one they find by spelling alone are taken for that person.
 */
function shiftOf(
  run: ListRun,
  model: ModelData,
  names: readonly string[],
  by: { readonly schema: 'Person' | 'Company'; readonly share: number; readonly areKnown: boolean },
) {
  const rerank = rerankerTwo(new Model(model));
  const { areKnown, schema, share } = by;
  const words = (name: string) => name.trim().split(/[\s-]+/).length;
  const scores = names.flatMap((name) => {
    const best = run.search(rerank, byName(name, { schema }))[0];
    if (best === undefined) return [0];
    const isListed = words(name) === words(best.matchedName) && looksAlike(name, best.matchedName);
    return areKnown && isListed ? [] : [best.directScore];
  });
  const ranked = scores.sort((a, b) => b - a);
  const cut = ranked[Math.floor(share * scores.length)] ?? 0.5;
  const shift = Math.round((Math.log(cut / (1 - cut)) - REVIEW_Z) * 100) / 100;
  console.log(
    `shift ${shift} of ${scores.length}, ${names.length - scores.length} taken as listed`,
  );
  return shift;
}

function report(made: readonly Labelled[], model: ModelData): void {
  const sorts = Map.groupBy(made, ({ isSame, sort }) => `${sort} ${isSame ? 'same' : 'other'}`);
  const scorer = new Model(model);
  for (const [sort, pairs] of sorts) {
    const right = pairs.filter(
      ({ isSame, terms }) => scorer.raw(terms.kind, terms.values) >= 0 === isSame,
    );
    console.log(`  ${sort}: ${pairs.length}, right ${(right.length / pairs.length).toFixed(3)}`);
  }
}

const tuning = tuningPairs();
const families = tuning.map(({ family }) => family);
const pairs = await trainingPairs(SEED);
console.log(`${pairs.length} pairs, ${(performance.now() / 1e3).toFixed(0)} s`);
const clean = await cleanNames(SHIFTED_ON + SEARCHED, SEED);
const run = new ListRun(await allLists());
console.log(`${run.entities.length} entities, ${(performance.now() / 1e3).toFixed(0)} s`);
const first = (kind: keyof typeof clean, count: number) => clean[kind].slice(0, count);
const searched: (readonly [string, Pair['schema']])[] = [
  ...first('us', SEARCHED).map((name) => [name, 'Person'] as const),
  ...first('global', SEARCHED).map((name) => [name, 'Person'] as const),
  ...first('companies', 500).map((name) => [name, 'Company'] as const),
  ...(['korean', 'chinese', 'japanese', 'hebrew'] as const).flatMap((kind) =>
    first(kind, 60).map((name) => [name, 'Person'] as const),
  ),
];
let model: ModelData = { entity: PLAIN, person: PLAIN };
for (let round = 1; round <= 2; round++) {
  const negatives = searchedPairs(run, model, searched);
  const made = labelled(model, [...pairs, ...negatives]);
  const tuned = labelled(model, tuning);
  const figures = outOfFold(made, tuned, families);
  model = fitted(made, tuned);
  console.log(`round ${round}: ${made.length} pairs, ${(performance.now() / 1e3).toFixed(0)} s`);
  console.log('tuning pairs, out of fold:', figures);
  report(made, model);
}
const persons = [
  shiftOf(run, model, clean.us.slice(SEARCHED), {
    areKnown: false,
    schema: 'Person',
    share: 0.002,
  }),
  shiftOf(run, model, clean.global.slice(SEARCHED), {
    areKnown: true,
    schema: 'Person',
    share: 0.002,
  }),
];
const companies = clean.companies.slice(500);
model = {
  entity: {
    ...model.entity,
    shift: shiftOf(run, model, companies, { areKnown: true, schema: 'Company', share: 0.002 }),
  },
  person: { ...model.person, shift: Math.max(...persons) },
};
console.log('shifts', roundScore(model.person.shift), roundScore(model.entity.shift));
console.log(JSON.stringify(model));
if (!process.argv.includes('--dry')) writeFileSync(OUT, `${JSON.stringify(model)}\n`);

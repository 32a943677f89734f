/**
 * Re-ranker 2.0.0: finds entities as re-ranker 1 does, by their names alone, and scores them by
 * aligned words, a calibrated model and the attributes' evidence (docs/matching.md). directScore is
 * the calibrated score; the components of re-ranker 1 are reported beside it.
 */
import { roundScore } from '#platform/roundScore';
import { scoreDates, scoreMonthRange } from '../dateDistance.ts';
import { type Attributes, Formula } from '../formula.ts';
import type { ScorerSettings } from '../ports.ts';
import type { PreparedQuery } from '../preparedQuery.ts';
import type { OpenList, Rerank, RerankAsk } from '../rerankAsk.ts';
import { ListScreener } from '../screenList.ts';
import { COLUMN } from '../topK.ts';
import { CandidatePool } from './candidatePool.ts';
import { EntityScorer } from './entityScorer.ts';
import { MODEL, type Model, scoreOf } from './model.ts';
import { QueryNames } from './queryNames.ts';

/** What retrieval ranks by: re-ranker 1's formula over names and sounds alone. */
const RETRIEVAL: Pick<ScorerSettings, 'weights' | 'missingAttributes' | 'phoneticNames'> = {
  missingAttributes: 'rescale',
  phoneticNames: 'all',
  weights: { alias: 0, dob: 0, name: 0.7, nationality: 0, phonetic: 0.3 },
};
/** Score by names and sounds from which retrieval misses no entity of a list that is swept. */
const RETRIEVED_MIN = 0.85;

/** A thread's own instance of re-ranker 2 with this model. */
export function rerankerTwo(model: Model = MODEL): Rerank {
  const reranker = new RerankerTwo(model);
  return (ask) => reranker.rerank(ask);
}

class RerankerTwo {
  readonly #screener = new ListScreener();
  readonly #pool = new CandidatePool();
  readonly #scorer: EntityScorer;

  constructor(model: Model) {
    this.#scorer = new EntityScorer(model);
  }

  rerank(ask: RerankAsk): void {
    const named = ask.query.withoutAttributes();
    const names = new QueryNames(ask.query.names.map(({ text }) => text));
    const retrieval = new Formula({ ...ask.settings, ...RETRIEVAL });
    const formula = new Formula(ask.settings);
    ask.lists.forEach((open, index) => {
      this.#retrieve(ask, open, { formula: retrieval, index, query: named });
      ask.watch?.begin();
      this.#scorer.open(open.list, this.#pool.entities(), { names, prepared: ask.query });
      for (let rank = 0; rank < this.#pool.count; rank++) {
        ask.deadline.check();
        this.#offer(ask, open, { formula, rank });
      }
      ask.watch?.end();
    });
  }

  #retrieve(
    ask: RerankAsk,
    { host, list, removed }: OpenList,
    by: { readonly formula: Formula; readonly index: number; readonly query: PreparedQuery },
  ): void {
    this.#pool.reset();
    host.open(ask.slot, removed);
    this.#screener.screen({
      ...by,
      best: this.#pool,
      deadline: ask.deadline,
      directScoreMin: RETRIEVED_MIN,
      exhaustive: ask.exhaustive ?? false,
      host,
      list,
      primaryOnly: ask.settings.phoneticNames === 'primary',
    });
    this.#pool.cut();
  }

  #offer(
    ask: RerankAsk,
    { list }: OpenList,
    { formula, rank }: { readonly rank: number; readonly formula: Formula },
  ): void {
    const row = this.#pool.row(rank);
    const { query: prepared } = ask;
    const entity = row[COLUMN.entity] as number;
    const { form, z } = this.#scorer.score(rank);
    const direct = scoreOf(z);
    const boost = formula.boost(list.entityCategories[entity] ?? 0);
    const attributes = attributesOf({ entity, list }, prepared, row);
    const weights = formula.effectiveWeights(attributes);
    row[COLUMN.name] = form < 0 ? -1 : (list.formName[form] ?? -1);
    row[COLUMN.finalScore] = roundScore(direct * boost);
    row[COLUMN.directScore] = direct;
    row[COLUMN.dobScore] = attributes.dob;
    row[COLUMN.nationalityScore] = attributes.nationality;
    row[COLUMN.boost] = boost;
    row[COLUMN.weightName] = weights.name;
    row[COLUMN.weightPhonetic] = weights.phonetic;
    row[COLUMN.weightDob] = weights.dob;
    row[COLUMN.weightNationality] = weights.nationality;
    row[COLUMN.weightAlias] = weights.alias;
    ask.best.offer(row);
  }
}

/** The components of re-ranker 1 that the search by names left out. */
function attributesOf(
  { entity, list }: { readonly entity: number; readonly list: OpenList['list'] },
  query: PreparedQuery,
  row: Float64Array,
): Attributes {
  let dob = Number.NaN;
  const { dob: own, dobRange } = query;
  const endDate = list.entityFirstDate[entity + 1] as number;
  for (let at = list.entityFirstDate[entity] as number; at < endDate; at++) {
    const from = list.dateFrom[at] as number;
    const to = list.dateTo[at] as number;
    const before = Number.isNaN(dob) ? 0 : dob;
    if (own !== undefined) dob = Math.max(before, scoreDates(own, from, to));
    if (dobRange !== undefined) dob = Math.max(before, scoreMonthRange(dobRange, from, to));
  }
  let nationality = Number.NaN;
  const endNation = list.entityFirstNation[entity + 1] as number;
  for (let at = list.entityFirstNation[entity] as number; at < endNation; at++) {
    if (query.nation === 0) break;
    const before = Number.isNaN(nationality) ? 0 : nationality;
    nationality = list.nationCode[at] === query.nation ? 1 : before;
  }
  const phonetic = row[COLUMN.phoneticScore] as number;
  return { alias: query.variants.length > 0, dob, nationality, phonetic };
}

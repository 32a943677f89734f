/**
 * Re-ranker 2.0.0: finds entities as re-ranker 1 does, by their names alone, and scores them by
 * aligned words, a calibrated model and the attributes' evidence (docs/matching.md). directScore is
 * the calibrated score. The components beside it are those of re-ranker 1.1.0 for that entity,
 * scored by its own code: effective weights × components is the score that 1.1.0 would have given.
 */
import { roundScore } from '#platform/roundScore';
import { Formula } from '../formula.ts';
import { NAMES_MAX } from '../limits.ts';
import type { Offers } from '../listAsk.ts';
import { isRemoved } from '../overlayFormat.ts';
import type { ScorerSettings } from '../ports.ts';
import { PreparedQuery } from '../preparedQuery.ts';
import type { OpenList, Rerank, RerankAsk } from '../rerankAsk.ts';
import { ListScreener } from '../screenList.ts';
import { sortWords } from '../tokenOrder.ts';
import { COLUMN } from '../topK.ts';
import { BestScores } from './bestScores.ts';
import { CandidatePool } from './candidatePool.ts';
import { type EntityScore, EntityScorer, identifiedBy } from './entityScorer.ts';
import { MODEL, type Model, scoreOf, zUnder } from './model.ts';
import { QueryNames } from './queryNames.ts';

/** What retrieval ranks by: re-ranker 1's formula over names and sounds alone. */
const RETRIEVAL: Pick<ScorerSettings, 'weights' | 'missingAttributes' | 'phoneticNames'> = {
  missingAttributes: 'rescale',
  phoneticNames: 'all',
  weights: { alias: 0, dob: 0, name: 0.7, nationality: 0, phonetic: 0.3 },
};
/** Score by names and sounds from which retrieval misses no entity of a list that is swept. */
const RETRIEVED_MIN = 0.85;

/** Entities whose names are prepared at a time. */
const READ_MAX = 512;
const NO_BOUND = Number.NEGATIVE_INFINITY;

/** A thread's own instance of re-ranker 2 with this model. */
export function rerankerTwo(model: Model = MODEL): Rerank {
  const reranker = new RerankerTwo(model);
  return (ask) => reranker.rerank(ask);
}

/** A scored entity, by its number in its list. */
interface Scored {
  readonly entity: number;
  readonly boost: number;
  readonly direct: number;
  readonly score: EntityScore;
}

/** A list of the call with its position there. */
type PlacedList = OpenList & { readonly index: number };

class RerankerTwo {
  readonly #screener = new ListScreener();
  readonly #pool = new CandidatePool();
  readonly #scorer: EntityScorer;

  constructor(model: Model) {
    this.#scorer = new EntityScorer(model);
  }

  rerank(ask: RerankAsk): void {
    const names = new QueryNames(ask.normalized);
    const sought = soughtBy(ask);
    ask.lists.forEach((open, index) => {
      const placed = { ...open, index };
      if (ask.exhaustive !== true) this.#retrieve(ask, placed, sought);
      ask.watch?.begin();
      this.#offer(ask, placed, this.#score(ask, placed, names));
      ask.watch?.end();
    });
  }

  /** Fills the pool. */
  #retrieve(ask: RerankAsk, open: PlacedList, query: PreparedQuery): void {
    this.#pool.reset();
    open.host.open(ask.slot, open.removed);
    this.#screener.screen({
      ...open,
      best: this.#pool,
      deadline: ask.deadline,
      directScoreMin: RETRIEVED_MIN,
      formula: new Formula({ ...ask.settings, ...RETRIEVAL }),
      primaryOnly: ask.settings.phoneticNames === 'primary',
      query,
    });
    this.#pool.cut();
  }

  /** The entities of the list that may be part of the answer. */
  #score(ask: RerankAsk, open: PlacedList, names: QueryNames): Scored[] {
    const { best, directScoreMin, normalized, query: prepared, settings } = ask;
    const { list } = open;
    const identified = identifiedBy(list, normalized.identifiers ?? []);
    const entities = this.#entities(ask, open, identified);
    const formula = new Formula(settings);
    const scores = new BestScores(settings.topN, directScoreMin);
    const required = (boost: number): number =>
      Math.max(
        settings.answerScoreMin ?? 0,
        ask.exhaustive === true ? 0 : Math.max(best.directRequired(boost), scores.required(boost)),
      );
    const scored: Scored[] = [];
    for (let from = 0; from < entities.length; from += READ_MAX) {
      const read = entities.slice(from, from + READ_MAX);
      this.#scorer.open(list, read, { identified, names, normalized, prepared });
      for (const [at, entity] of read.entries()) {
        ask.deadline.check();
        const boost = formula.boost(list.entityCategories[entity] ?? 0);
        const least = required(boost);
        const isBounded = ask.exhaustive !== true;
        const score = this.#scorer.score(at, isBounded ? zUnder(least) : NO_BOUND);
        const direct = score === undefined ? -1 : scoreOf(score.z);
        if (score === undefined || direct < least) continue;
        scored.push({ boost, direct, entity, score });
        scores.add(direct * boost);
      }
    }
    return scored.filter(({ boost, direct }) => direct >= required(boost));
  }

  /** Those of the pool, and those with an identifier of the query; or simply all. */
  #entities(
    { exhaustive, query: { schema } }: RerankAsk,
    { list, removed }: PlacedList,
    identified: ReadonlySet<number>,
  ): readonly number[] {
    const isSought = (entity: number): boolean =>
      !isRemoved(removed, entity) && (schema === 0 || list.entitySchema[entity] === schema);
    if (exhaustive === true) return [...list.entitySchema.keys()].filter(isSought);
    const sought = [...identified].filter(isSought);
    return sought.length === 0
      ? this.#pool.entities()
      : [...new Set([...sought, ...this.#pool.entities()])];
  }

  /** Has re-ranker 1.1 make the rows of these entities, and offers them with their own scores. */
  #offer(ask: RerankAsk, open: PlacedList, scored: readonly Scored[]): void {
    if (scored.length === 0) return;
    const byEntity = new Map(scored.map((one) => [one.entity, one]));
    open.host.open(ask.slot, open.removed);
    this.#screener.scoreThese(
      {
        ...open,
        best: rowsOf(ask, open, byEntity),
        deadline: ask.deadline,
        directScoreMin: ask.directScoreMin,
        formula: new Formula(ask.settings, ask.normalized.common_words),
        primaryOnly: ask.settings.phoneticNames === 'primary',
        query: ask.query,
        rules: 1,
      },
      Uint32Array.from(byEntity.keys()),
    );
  }
}

/** What the lists are searched for: the names alone, and those that are spelt for them. */
function soughtBy({ deadline, normalized, query }: RerankAsk): PreparedQuery {
  const { names, schema, spelt } = normalized;
  if (spelt === undefined) return query.withoutAttributes();
  const all = [...names, ...spelt].slice(0, NAMES_MAX);
  const sought = new PreparedQuery();
  const named = { names: all, variants: [], ...(schema !== undefined && { schema }) };
  sought.set(named, deadline, sortWords);
  return sought;
}

/** Takes rows of re-ranker 1.1 and offers them on with the scores of re-ranker 2. */
function rowsOf(
  { best }: RerankAsk,
  { list }: PlacedList,
  byEntity: ReadonlyMap<number, Scored>,
): Offers {
  return {
    directRequired: () => 0,
    offer: (row) => {
      const scored = byEntity.get(row[COLUMN.entity] as number);
      if (scored === undefined) return false;
      const { direct, score } = scored;
      row[COLUMN.name] = score.form < 0 ? -1 : (list.formName[score.form] ?? -1);
      row[COLUMN.directScore] = direct;
      row[COLUMN.finalScore] = roundScore(direct * (row[COLUMN.boost] as number));
      row[COLUMN.z] = score.z;
      row[COLUMN.bits] = score.bits;
      return best.offer(row);
    },
  };
}

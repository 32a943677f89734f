/**
 * Re-ranker 2.0.0: finds entities by the information that their names share with the query's
 * (candidateFinder.ts), and scores them by aligned words, a calibrated model and the attributes'
 * evidence (docs/matching.md). directScore is the calibrated score. The components beside it are
 * those of re-ranker 1.1.0 for that entity, scored by its own code: effective weights × components
 * is the score that 1.1.0 would have given.
 */
import { roundScore } from '#platform/roundScore';
import { Formula } from '../formula.ts';
import { NAMES_MAX } from '../limits.ts';
import type { Offers } from '../listAsk.ts';
import { isRemoved } from '../overlayFormat.ts';
import { PreparedQuery } from '../preparedQuery.ts';
import type { OpenList, Rerank, RerankAsk } from '../rerankAsk.ts';
import { ListScreener } from '../screenList.ts';
import { sortWords } from '../tokenOrder.ts';
import { COLUMN } from '../topK.ts';
import { BestScores } from './bestScores.ts';
import { type Candidates, findCandidates } from './candidateFinder.ts';
import { type EntityScore, EntityScorer, identifiedBy } from './entityScorer.ts';
import { MODEL, type Model, scoreOf, zUnder } from './model.ts';
import { QueryNames } from './queryNames.ts';

/** Entities whose words are compared at a time. */
const READ_MAX = 32;
/**
 * Entities that share less are looked at while some of the last ones were as near, in z, to what is
 * required.
 */
const NEAR_Z = 3;

/** In place of what is found: every entity is scored. */
const ALL: Candidates = { areRanked: false, entities: [] };

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
  readonly #scorer: EntityScorer;

  constructor(model: Model) {
    this.#scorer = new EntityScorer(model);
  }

  rerank(ask: RerankAsk): void {
    const names = new QueryNames(ask.normalized);
    const sought = soughtBy(ask);
    ask.lists.forEach((open, index) => {
      const placed = { ...open, index };
      const found = ask.exhaustive === true ? ALL : findCandidates(placed, ask.slot, sought);
      ask.watch?.begin();
      this.#offer(ask, placed, this.#score(ask, placed, names, found));
      ask.watch?.end();
    });
  }

  /** The entities of the list that may be part of the answer. */
  #score(ask: RerankAsk, open: PlacedList, names: QueryNames, found: Candidates): Scored[] {
    const { best, directScoreMin, normalized, query: prepared, settings } = ask;
    const { list } = open;
    const identified = identifiedBy(list, normalized.identifiers ?? []);
    const entities = entitiesOf(ask, open, identified, found.entities);
    const formula = new Formula(settings);
    const scores = new BestScores(settings.topN, directScoreMin);
    const required = (boost: number): number =>
      Math.max(
        settings.answerScoreMin ?? 0,
        ask.exhaustive === true ? 0 : Math.max(best.directRequired(boost), scores.required(boost)),
      );
    const scored: Scored[] = [];
    let areLikely = true;
    for (let from = 0; from < entities.length && areLikely; from += READ_MAX) {
      areLikely = !found.areRanked;
      const read = entities.slice(from, from + READ_MAX);
      this.#scorer.open(list, read, { identified, names, normalized, prepared });
      for (const [at, entity] of read.entries()) {
        ask.deadline.check();
        const boost = formula.boost(list.entityCategories[entity] ?? 0);
        const least = required(boost);
        const score = this.#scorer.score(at, ask.exhaustive === true ? undefined : zUnder(least));
        if (score !== undefined && score.z > zUnder(least) - NEAR_Z) areLikely = true;
        const direct = score === undefined ? -1 : scoreOf(score.z);
        if (score === undefined || direct < least) continue;
        scored.push({ boost, direct, entity, score });
        scores.add(direct * boost);
      }
    }
    return scored.filter(({ boost, direct }) => direct >= required(boost));
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

/** Those with an identifier of the query, and those that were found; or simply all. */
function entitiesOf(
  { exhaustive, query: { schema } }: RerankAsk,
  { list, removed }: PlacedList,
  identified: ReadonlySet<number>,
  found: readonly number[],
): readonly number[] {
  const isSought = (entity: number): boolean =>
    !isRemoved(removed, entity) && (schema === 0 || list.entitySchema[entity] === schema);
  if (exhaustive === true) return [...list.entitySchema.keys()].filter(isSought);
  const sought = [...identified].filter(isSought);
  return sought.length === 0 ? found : [...new Set([...sought, ...found])];
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

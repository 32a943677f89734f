/**
 * Screens one prepared query against one list: finds candidates, scores them, offers them to the
 * best so far. Used by every thread, with its own scratch.
 *
 * Order: what is most likely to score high comes first, because every later step skips what cannot
 * reach the last of the best 50. Steps 2 to 6 together hold every entity whose directScore can be
 * at or over `directScoreMin`, on lists up to SWEEP_FORMS_MAX forms; beyond, step 6 gives way to a
 * wider step 1.
 *   1 token votes          fills the 50, also below every threshold
 *   2 exact date of birth  directly, since a date weighs as much as half a name
 *   3 phonetic             every entity whose phoneticScore is 1
 *   4 no phonetic code     entities for which that component is absent
 *   5 year, nationality    entities that these attributes may carry over the line
 *   6 sweep                everything else: only the name is left to speak for it
 */
import { roundScore } from '#platform/roundScore';
import {
  aliasBound,
  aliasUnfoldScore,
  bestName,
  dobScore,
  findBestName,
  nationalityScore,
} from './componentScores.ts';
import type { Deadline } from './deadline.ts';
import { EntityMarks } from './entityMarks.ts';
import type { Attributes, Formula } from './formula.ts';
import { isRemoved } from './overlayFormat.ts';
import { searchPhonetic, searchPhoneticExhaustively } from './phoneticSearch.ts';
import type { PreparedQuery } from './preparedQuery.ts';
import { jaroRequired } from './signature.ts';
import { ENTITY_CODED, ENTITY_PRIMARY_CODED, type Snapshot } from './snapshotFormat.ts';
import { lowerBound } from './sortedPairs.ts';
import { mayReach, SWEEP_FORMS_MAX, sweepForms } from './sweep.ts';
import { TokenVotes, type VoteBudget } from './tokenVotes.ts';
import { COLUMN, ROW_LENGTH, type TopK } from './topK.ts';

/**
 * directScore that retrieval must not miss where the settings name none: the lowest default
 * threshold.
 */
export const DIRECT_SCORE_MIN = 0.7;
/** Requirements are lowered by this, so that rounding to 9 decimals never hides an entity. */
const SLACK = 1e-6;
const SWEPT: VoteBudget = { postings: 2_000, entities: 50, wide: false };
const UNSWEPT: VoteBudget = { postings: 60_000, entities: 1_000, wide: true };
const YEARS_MAX = 150;
/** Scores of an attribute that does not agree. */
const ABSENT_OR_NOT: readonly number[] = [Number.NaN, 0];

/** What one screening asks of one list. */
export interface ListAsk {
  readonly list: Snapshot;
  /** Entities that are no longer listed as they stand here (overlayFormat.ts). */
  readonly removed?: Uint8Array | undefined;
  /** Position in the call's indexes. */
  readonly index: number;
  readonly query: PreparedQuery;
  readonly formula: Formula;
  readonly primaryOnly: boolean;
  readonly directScoreMin: number;
  readonly best: TopK;
  readonly deadline: Deadline;
  /**
   * Every entity is scored and nothing skipped: the truth that tests and benches measure against.
   */
  readonly exhaustive?: boolean;
}

/** A thread's scratch and the steps; not re-entrant. */
export class ListScreener {
  readonly #scored = new EntityMarks();
  readonly #phonetic = new EntityMarks();
  readonly #votes = new TokenVotes();
  readonly #found: number[] = [];
  readonly #row = new Float64Array(ROW_LENGTH);
  readonly #attributes: Attributes = { phonetic: 0, dob: 0, nationality: 0, alias: false };

  screen(ask: ListAsk): void {
    const { list, query, deadline } = ask;
    const entities = list.entitySchema.length;
    deadline.check();
    this.#scored.reset(entities);
    this.#phonetic.reset(entities);
    this.#found.length = 0;
    const search = ask.exhaustive === true ? searchPhoneticExhaustively : searchPhonetic;
    search(list, query.names, {
      marks: this.#phonetic,
      found: this.#found,
      primaryOnly: ask.primaryOnly,
      deadline,
    });
    if (ask.exhaustive === true) {
      for (let entity = 0; entity < entities; entity++) this.#score(ask, entity, -1);
      return;
    }
    const swept = list.formEntity.length <= SWEEP_FORMS_MAX;
    const budget = swept ? SWEPT : UNSWEPT;
    const voted = this.#votes.collect(list, query, { budget, deadline });
    for (const entity of voted) this.#score(ask, entity, 0);
    const steps = [
      () => this.#scoreExactDates(ask),
      () => this.#scoreFound(ask),
      () => this.#scoreUncoded(ask),
      () => this.#scoreYears(ask),
      () => this.#scoreNation(ask),
      () => (swept ? this.#scoreSwept(ask) : undefined),
    ];
    for (const step of steps) {
      deadline.check();
      step();
    }
  }

  #scoreFound(ask: ListAsk): void {
    for (const entity of this.#found) this.#score(ask, entity, ask.directScoreMin);
  }

  /** directScore that still matters: at least `floor`, and enough to be kept among the best. */
  #directRequired(ask: ListAsk, floor: number, boost: number): number {
    return Math.max(floor, ask.best.directRequired(boost)) - SLACK;
  }

  /**
   * Scores an entity once and offers it. Skipped where it can neither reach `floor` nor the bar:
   * later steps only ask for more, so a skipped entity needs no second look. A negative floor skips
   * nothing.
   */
  #score(ask: ListAsk, entity: number, floor: number): void {
    const { list, query, formula, deadline } = ask;
    deadline.spend(1);
    if (query.schema !== 0 && list.entitySchema[entity] !== query.schema) return;
    if (!this.#scored.add(entity) || isRemoved(ask.removed, entity)) return;
    const attributes = this.#attributes;
    attributes.phonetic = this.#phoneticScore(ask, entity);
    attributes.dob = dobScore(query, list, entity);
    attributes.nationality = nationalityScore(query, list, entity);
    attributes.alias = query.variants.length > 0;
    const boost = formula.boost(list.entityCategories[entity] ?? 0);
    const direct = floor < 0 ? -1 : this.#directRequired(ask, floor, boost);
    let required = floor < 0 ? 0 : formula.nameRequired(attributes, direct);
    if (required > 1) return;
    const forms = (list.entityFirstForm[entity + 1] ?? 0) - (list.entityFirstForm[entity] ?? 0);
    deadline.spend(forms * query.names.length);
    if (required > 0 && attributes.alias) {
      const aliasMost = aliasBound(query, list, entity);
      required = formula.nameRequired(attributes, direct, aliasMost);
      if (required > 1) return;
    }
    findBestName(query, list, { entity, required });
    if (bestName.score < required && floor >= 0) return;
    deadline.spend(forms * query.variants.length);
    this.#offer(ask, entity, boost);
  }

  #phoneticScore(ask: ListAsk, entity: number): number {
    const flag = ask.primaryOnly ? ENTITY_PRIMARY_CODED : ENTITY_CODED;
    const coded = ((ask.list.entityFlags[entity] ?? 0) & flag) !== 0;
    if (!coded || !ask.query.isCoded) return Number.NaN;
    return this.#phonetic.has(entity) ? 1 : 0;
  }

  #offer(ask: ListAsk, entity: number, boost: number): void {
    const { list, query, formula } = ask;
    const attributes = this.#attributes;
    const name = roundScore(bestName.score);
    const alias = attributes.alias ? roundScore(aliasUnfoldScore(query, list, entity)) : 0;
    const direct = formula.direct(attributes, name, alias);
    const weights = formula.effectiveWeights(attributes);
    const row = this.#row;
    const first = list.formName[list.entityFirstForm[entity] ?? 0] ?? -1;
    row[COLUMN.index] = ask.index;
    row[COLUMN.entity] = entity;
    row[COLUMN.name] = bestName.form < 0 ? first : (list.formName[bestName.form] ?? first);
    row[COLUMN.finalScore] = roundScore(direct * boost);
    row[COLUMN.directScore] = direct;
    row[COLUMN.nameScore] = name;
    row[COLUMN.phoneticScore] = attributes.phonetic;
    row[COLUMN.dobScore] = attributes.dob;
    row[COLUMN.nationalityScore] = attributes.nationality;
    row[COLUMN.aliasUnfoldScore] = attributes.alias ? alias : Number.NaN;
    row[COLUMN.boost] = boost;
    row[COLUMN.weightName] = weights.name;
    row[COLUMN.weightPhonetic] = weights.phonetic;
    row[COLUMN.weightDob] = weights.dob;
    row[COLUMN.weightNationality] = weights.nationality;
    row[COLUMN.weightAlias] = weights.alias;
    ask.best.offer(row);
  }

  #scoreExactDates(ask: ListAsk): void {
    const { list, query } = ask;
    if (query.dob === undefined) return;
    let at = lowerBound(list.dateKey, query.dob);
    for (; at < list.dateKey.length && list.dateKey[at] === query.dob; at++) {
      this.#score(ask, list.dateEntity[at] ?? 0, ask.directScoreMin);
    }
  }

  #scoreUncoded(ask: ListAsk): void {
    for (const entity of ask.list.uncodedEntity) this.#score(ask, entity, ask.directScoreMin);
  }

  /**
   * Least of what `of` asks of entities without phonetic agreement, whose dates are absent or
   * disagree, and whose nationality is one of `nations`.
   */
  #leastOver(
    ask: ListAsk,
    nations: readonly number[],
    of: (attributes: Attributes, direct: number) => number,
  ): number {
    const phonetic = ask.query.isCoded ? 0 : Number.NaN;
    const alias = ask.query.variants.length > 0;
    const direct = this.#directRequired(ask, ask.directScoreMin, ask.formula.boostMax);
    let least = Number.POSITIVE_INFINITY;
    for (const dob of ABSENT_OR_NOT) {
      for (const nationality of nations) {
        least = Math.min(least, of({ phonetic, dob, nationality, alias }, direct));
      }
    }
    return least;
  }

  #scoreYears(ask: ListAsk): void {
    const { list, query } = ask;
    const spans: [number, number][] = [];
    if (query.dob !== undefined) spans.push([query.dob, query.dob]);
    if (query.dobRange !== undefined) spans.push([query.dobRange.from, query.dobRange.to]);
    for (const [from, to] of spans) {
      const first = Math.floor(from / 10_000);
      const last = Math.min(Math.floor(to / 10_000), first + YEARS_MAX);
      let at = lowerBound(list.yearKey, first);
      for (; at < list.yearKey.length && (list.yearKey[at] ?? 0) <= last; at++) {
        this.#score(ask, list.yearEntity[at] ?? 0, ask.directScoreMin);
      }
    }
  }

  #scoreNation(ask: ListAsk): void {
    const { list, query } = ask;
    if (query.nation === 0) return;
    const required = this.#leastOver(ask, [1], (attributes, direct) =>
      ask.formula.nameRequired(attributes, direct),
    );
    if (required > 1) return;
    const jaro = jaroRequired(required);
    let at = lowerBound(list.nationKey, query.nation);
    for (; at < list.nationKey.length && list.nationKey[at] === query.nation; at++) {
      const entity = list.nationEntity[at] ?? 0;
      ask.deadline.spend(query.names.length);
      if (mayReach(list, query, { entity, required, jaro }))
        this.#score(ask, entity, ask.directScoreMin);
    }
  }

  #scoreSwept(ask: ListAsk): void {
    const { list, formula, query } = ask;
    const jaro = this.#leastOver(ask, ABSENT_OR_NOT, (attributes, direct) =>
      query.areVariantsNames
        ? formula.jaroRequired(attributes, direct)
        : jaroRequired(formula.nameRequired(attributes, direct)),
    );
    sweepForms(list, query, {
      jaro,
      deadline: ask.deadline,
      found: (form) => this.#score(ask, list.formEntity[form] ?? 0, ask.directScoreMin),
    });
  }
}

/**
 * The exhaustive answer at a million entities: every entity is looked at, none by an index, and
 * only those are scored whose letters, date and nationality allow them to reach the line at all.
 * The bounds are never below a kernel's answer (test/engine/recall.test.ts holds the same functions
 * to scoring everything), so nothing over the line is missing. Some hundred times slower than the
 * engine.
 */
import type { NormalizedQuery, ScorerSettings } from '#engine';
import { roundScore } from '#platform/roundScore';
import {
  aliasBound,
  aliasUnfoldScore,
  bestName,
  dobScore,
  findBestName,
  nationalityScore,
} from '../src/engine/componentScores.ts';
import { Deadline } from '../src/engine/deadline.ts';
import { EntityMarks } from '../src/engine/entityMarks.ts';
import { type Attributes, Formula } from '../src/engine/formula.ts';
import { searchPhoneticExhaustively } from '../src/engine/phoneticSearch.ts';
import { PreparedQuery } from '../src/engine/preparedQuery.ts';
import {
  ENTITY_CODED,
  ENTITY_PRIMARY_CODED,
  openSnapshot,
  type Snapshot,
} from '../src/engine/snapshotFormat.ts';

/** An entity and what the re-ranker gives it. */
export interface Scored {
  readonly entity: number;
  readonly direct: number;
  readonly final: number;
}

/** Rounding to nine decimals must not hide an entity. */
const SLACK = 1e-6;

/** One list and one set of settings; a query at a time. */
export class Truth {
  readonly list: Snapshot;
  readonly #formula: Formula;
  readonly #primaryOnly: boolean;
  readonly #query = new PreparedQuery();
  readonly #phonetic = new EntityMarks();
  readonly #deadline = new Deadline();

  constructor(snapshot: SharedArrayBuffer, settings: ScorerSettings) {
    this.list = openSnapshot(snapshot);
    this.#formula = new Formula(settings);
    this.#primaryOnly = settings.phoneticNames === 'primary';
  }

  /** Before `overLine` and `scoreOf`. */
  ask(query: NormalizedQuery): void {
    this.#query.set(query);
    this.#phonetic.reset(this.list.entitySchema.length);
    searchPhoneticExhaustively(this.list, this.#query.names, {
      marks: this.#phonetic,
      found: [],
      primaryOnly: this.#primaryOnly,
      deadline: this.#deadline,
    });
  }

  /** All entities whose directScore reaches `line`: finalScore descending, then by id. */
  overLine(line: number): Scored[] {
    const found: Scored[] = [];
    for (let entity = 0; entity < this.list.entitySchema.length; entity++) {
      const scored = this.#score(entity, line);
      if (scored !== undefined && scored.direct >= line) found.push(scored);
    }
    return found.sort((a, b) => b.final - a.final || a.entity - b.entity);
  }

  /** One entity's scores; undefined where the query's schema leaves it out. */
  scoreOf(entity: number): Scored | undefined {
    return this.#score(entity, -1);
  }

  #score(entity: number, line: number): Scored | undefined {
    const { list } = this;
    const query = this.#query;
    if (query.schema !== 0 && list.entitySchema[entity] !== query.schema) return undefined;
    const attributes: Attributes = {
      phonetic: this.#phoneticScore(entity),
      dob: dobScore(query, list, entity),
      nationality: nationalityScore(query, list, entity),
      alias: query.variants.length > 0,
    };
    let required = line < 0 ? 0 : this.#formula.nameRequired(attributes, line - SLACK);
    if (required > 1) return undefined;
    if (required > 0 && attributes.alias) {
      const aliasMost = aliasBound(query, list, entity);
      required = this.#formula.nameRequired(attributes, line - SLACK, aliasMost);
      if (required > 1) return undefined;
    }
    findBestName(query, list, { entity, required });
    if (bestName.score < required && line >= 0) return undefined;
    const alias = attributes.alias ? roundScore(aliasUnfoldScore(query, list, entity)) : 0;
    const direct = this.#formula.direct(attributes, roundScore(bestName.score), alias);
    const boost = this.#formula.boost(list.entityCategories[entity] ?? 0);
    return { entity, direct, final: roundScore(direct * boost) };
  }

  #phoneticScore(entity: number): number {
    const flag = this.#primaryOnly ? ENTITY_PRIMARY_CODED : ENTITY_CODED;
    const isCoded = ((this.list.entityFlags[entity] ?? 0) & flag) !== 0;
    if (!isCoded || !this.#query.isCoded) return Number.NaN;
    return this.#phonetic.has(entity) ? 1 : 0;
  }
}

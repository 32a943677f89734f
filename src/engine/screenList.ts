/**
 * Screens one prepared query against one list: finds candidates, scores them, offers them to the
 * best so far. The kernels find and compare (native/); this file has the order of the steps,
 * re-ranker 1's formula and the answer.
 *
 * Order: likely high scores come first, because every later step skips what cannot reach the last
 * of the best 50. Steps 2 to 7 together find every entity whose directScore can be at or over
 * `directScoreMin`, on lists up to SWEEP_FORMS_MAX forms. Larger lists have no steps 2 and 5 to 7
 * but a wider step 3, which finds entities that may match by sound.
 *   1 whole names         the query's letters, in any order
 *   2 sound               every entity whose phoneticScore is 1: at once where a name has few of
 *                         them, so that later entities need no such check, else after step 4
 *   3 votes               shared tokens: fills the 50, also below every threshold
 *   4 exact date of birth directly, since a date weighs as much as half a name
 *   5 no phonetic code    entities for which that component is absent
 *   6 year, nationality   entities that these attributes may carry over the line
 *   7 sweep               all other entities: only the name is left to carry them
 *
 * An entity is "heard" where it matches by sound, that is where its phoneticScore is 1.
 */
import { roundScore } from '#platform/roundScore';
import { CLASSES, CLASSES_WITH_ALIAS } from './attributeClasses.ts';
import { SCHEMA_CODE } from './attributeCodes.ts';
import { datesNear } from './dateDistance.ts';
import type { Attributes } from './formula.ts';
import { LIST_MAX } from './kernelHost.ts';
import type { ListAsk } from './listAsk.ts';
import { partlyUncoded } from './partlyUncoded.ts';
import type { ComponentWeights } from './ports.ts';
import { jaroRequired } from './signature.ts';
import { ENTITY_CODED, ENTITY_PRIMARY_CODED, FORM_CODED, FORM_PRIMARY } from './snapshotFormat.ts';
import { lowerBound } from './sortedPairs.ts';
import { PREFIXES, prefixesOf } from './sweepPrefixes.ts';
import { openTitles, titledCandidates } from './titles.ts';
import { COLUMN, ROW_LENGTH } from './topK.ts';

/**
 * directScore that retrieval must not miss where the settings name none: the lowest default
 * threshold.
 */
export const DIRECT_SCORE_MIN = 0.7;
/** Requirements are lowered by this, so that rounding to 9 decimals never hides an entity. */
const SLACK = 1e-6;
/** Entities scored between two readings of the clock and of the last of the best. */
const BATCH = 32;
/**
 * Bounds of one search by votes: postings read, entities handed on that are heard or have the
 * query's nationality, other entities, and whether known tokens are sought in other spellings too.
 */
const SWEPT_VOTES = { postings: 2_000, strong: 50, others: 50, wide: 0 };
const UNSWEPT_VOTES = { postings: 4_000, strong: 6_144, others: 96, wide: 1 };
/** Heard entities of one name that are scored before any that share a token. */
const HEARD_FIRST_MAX = 256;
/** Entities with a name of the query's letters that are scored. */
const WHOLE_MAX = 1_024;
/**
 * Entities with the query's nationality and one of its sounds that are scored on a list that is not
 * swept: this many, or one per NEAR_SHARE entities of the list where that is more.
 */
const NEAR_MAX = 1_024;
const NEAR_SHARE = 1_000;
/** The search by votes ends after this many entities in a row that change nothing. */
const PATIENCE = 48;
const YEARS_MAX = 150;
const YEAR = 65_536;
/** A stretch of the kernels' list. */
interface Span {
  readonly from: number;
  readonly to: number;
  /** This many in a row that change nothing end it. */
  readonly patience?: number;
  /** 1: none of them is heard; absent: as known from the steps before. */
  readonly unheard?: number;
}

/**
 * The steps of a screening, with a thread's scratch; not re-entrant. Throws EngineError
 * `deadline-exceeded` once the time is over.
 */
export class ListScreener {
  readonly #row = new Float64Array(ROW_LENGTH);
  #classes: readonly Attributes[] = [];
  /** 1: no entity that is not scored yet is heard. */
  #unheard = 0;
  /** Effective weights by class, as far as they were asked for. */
  #weights: ComponentWeights[] = [];

  screen(ask: ListAsk): void {
    const { list, deadline } = ask;
    deadline.check();
    if (ask.exhaustive === true) {
      this.scoreEvery(ask, -1);
      return;
    }
    this.#prepare(ask);
    const isSwept = list.sweepStart.length > 0;
    const steps = [
      () => this.#scoreWhole(ask),
      ...(isSwept ? [() => this.#scoreSounds(ask, HEARD_FIRST_MAX, 0)] : []),
      // On a swept list the other steps find every match.
      ...(isSwept && ask.matchesOnly === true ? [] : [() => this.#scoreVoted(ask, isSwept)]),
      () => this.#scoreExactDates(ask),
      ...(isSwept ? this.#exactSteps(ask) : []),
    ];
    for (const step of steps) {
      deadline.check();
      step();
    }
  }

  /** The steps that make the search of a swept list exact. */
  #exactSteps(ask: ListAsk): (() => void)[] {
    return [
      () => this.#scoreSounds(ask, LIST_MAX, ask.directScoreMin),
      () => this.#scoreAll(ask, ask.list.uncodedEntity, ask.directScoreMin),
      () => this.#scoreYears(ask),
      () => this.#scoreNation(ask),
      () => this.#scoreSwept(ask),
      ...(ask.rules === 1 ? this.#laterSteps(ask) : []),
    ];
  }

  /**
   * What the steps above do not see by the rules of re-ranker 1.1: names without their titles, and
   * names without a code beside others that have one.
   */
  #laterSteps(ask: ListAsk): (() => void)[] {
    return [
      () => this.#scoreTitled(ask),
      () => this.#scoreAll(ask, partlyUncoded(ask.list), ask.directScoreMin),
    ];
  }

  /**
   * Scores every entity without any index, and offers those that may reach a directScore of
   * `floor`; below 0 it offers all.
   */
  scoreEvery(ask: ListAsk, floor: number): void {
    this.#prepare(ask);
    this.#scoreAll(
      ask,
      Uint32Array.from(ask.list.entitySchema, (_, entity) => entity),
      floor,
    );
  }

  /** Offers these entities, however low their scores are. */
  scoreThese(ask: ListAsk, entities: Uint32Array): void {
    this.#prepare(ask);
    this.#scoreAll(ask, entities, -1);
  }

  /** Hands the kernels the query, and what native/scoring.ts reads of the formula. */
  #prepare(ask: ListAsk): void {
    const { query, formula, host, rules = 0 } = ask;
    if (rules === 1) openTitles(host, ask.list);
    query.handTo(host);
    if (rules === 1) host.kernels.findNear();
    this.#unheard = 0;
    const hasVariants = query.variants.length > 0;
    host.attributes.set([
      query.schema,
      FORM_CODED | (ask.primaryOnly ? FORM_PRIMARY : 0),
      ask.primaryOnly ? ENTITY_PRIMARY_CODED : ENTITY_CODED,
      query.isCoded ? 1 : 0,
      query.dob ?? 0,
      query.dobRange?.from ?? 0,
      query.dobRange?.to ?? 0,
      query.nation,
      hasVariants ? (query.areVariantsNames ? 2 : 1) : 0,
      rules,
    ]);
    host.weights[0] = formula.weights.name;
    host.weights[1] = hasVariants ? formula.weights.alias : 0;
    this.#classes = hasVariants ? CLASSES_WITH_ALIAS : CLASSES;
    this.#weights = [];
    this.#classes.forEach((attributes, type) => {
      host.classes[type * 2] = formula.weightSum(attributes);
      host.classes[type * 2 + 1] = formula.attributePoints(attributes);
    });
  }

  /** directScore that still matters: at least `floor`, and enough to be kept among the best. */
  #directRequired(ask: ListAsk, floor: number, boost: number): number {
    return Math.max(floor, ask.best.directRequired(boost)) - SLACK;
  }

  /** Scores entities that the caller names. */
  #scoreAll(ask: ListAsk, entities: Uint32Array, floor: number): void {
    for (let start = 0; start < entities.length; start += LIST_MAX) {
      const part = entities.subarray(start, start + LIST_MAX);
      ask.host.entities.set(part);
      this.#scoreListed(ask, { from: 0, to: part.length }, floor);
    }
  }

  /**
   * Scores entities of the kernels' list, each once, and offers them. An entity is skipped where it
   * can neither reach `floor` nor change the answer. Later steps only ask for more, so it needs no
   * second look. A negative floor skips nothing.
   */
  #scoreListed(ask: ListAsk, span: Span, floor: number): void {
    ask.watch?.begin();
    const { host, deadline } = ask;
    const { to, patience = Number.POSITIVE_INFINITY, unheard = this.#unheard } = span;
    let idle = 0;
    this.#require(ask, floor);
    for (let { from } = span; from < to; from += BATCH) {
      deadline.check();
      const end = Math.min(from + BATCH, to);
      const found = host.kernels.scoreBatch(from, end, floor < 0 ? 1 : 0, unheard);
      let entered = false;
      for (let at = 0; at < found; at++) if (this.#offer(ask, at)) entered = true;
      if (found > 0) this.#require(ask, floor);
      idle = entered ? 0 : idle + BATCH;
      if (idle >= patience) break;
    }
    ask.watch?.end();
  }

  /** Tells the kernels the directScore that still matters, per set of categories. */
  #require(ask: ListAsk, floor: number): void {
    const { host, formula } = ask;
    for (let categories = 0; categories < 32; categories++) {
      const boost = formula.boost(categories);
      host.required[categories] = this.#directRequired(ask, floor, boost);
    }
  }

  /** Offers one result of the kernels; returns whether it is among the best. */
  #offer(ask: ListAsk, at: number): boolean {
    const { list, formula, host } = ask;
    const entity = host.results[at * 6] as number;
    const type = host.results[at * 6 + 1] as number;
    const attributes = this.#classes[type] as Attributes;
    const form = host.results[at * 6 + 2] as number;
    const name = roundScore(host.scores[at * 3 + 2] as number);
    const boost = formula.boost(list.entityCategories[entity] ?? 0);
    const alias = attributes.alias ? roundScore(host.kernels.aliasScore(entity)) : 0;
    const direct = formula.direct(attributes, name, alias);
    const weights = formula.lowers(attributes, name)
      ? formula.effectiveWeights(attributes, name)
      : this.#weightsOf(ask, type);
    const row = this.#row;
    const first = list.entityFirstForm[entity] ?? 0;
    const hasNames = first < (list.entityFirstForm[entity + 1] ?? 0);
    row[COLUMN.index] = ask.index;
    row[COLUMN.entity] = entity;
    row[COLUMN.name] = hasNames ? (list.formName[form < 0 ? first : form] ?? -1) : -1;
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
    return ask.best.offer(row);
  }

  #weightsOf(ask: ListAsk, type: number): ComponentWeights {
    const known = this.#weights[type];
    if (known !== undefined) return known;
    const weights = ask.formula.effectiveWeights(this.#classes[type] as Attributes);
    this.#weights[type] = weights;
    return weights;
  }

  #scoreWhole(ask: ListAsk): void {
    const count = ask.host.kernels.addWholeNames(0, WHOLE_MAX);
    this.#scoreListed(ask, { from: 0, to: count }, 0);
  }

  #scoreVoted(ask: ListAsk, isSwept: boolean): void {
    const { list } = ask;
    const { kernels } = ask.host;
    const { postings, strong, others, wide } = isSwept ? SWEPT_VOTES : UNSWEPT_VOTES;
    const units = kernels.makeUnits(wide);
    const count = kernels.countVotes(units, postings, others, strong);
    const heard = kernels.heardCount();
    const near = heard + kernels.nearCount();
    const nearMost = Math.max(NEAR_MAX, Math.floor(list.entitySchema.length / NEAR_SHARE));
    const unheard = isSwept ? this.#unheard : kernels.isHeardKnown();
    const patience = isSwept ? count : PATIENCE;
    this.#scoreListed(ask, { from: 0, to: heard }, 0);
    this.#scoreListed(ask, { from: heard, to: Math.min(near, heard + nearMost), unheard }, 0);
    this.#scoreListed(ask, { from: near, to: count, unheard, patience }, 0);
  }

  #scoreExactDates(ask: ListAsk): void {
    const { list, query } = ask;
    if (query.dob === undefined) return;
    const isSwept = list.sweepStart.length > 0;
    const dates = ask.rules === 1 && isSwept ? datesNear(query.dob) : [];
    const entities = [query.dob, ...dates].flatMap((date) => {
      const at = lowerBound(list.dateKey, date);
      if (list.dateKey[at] !== date) return [];
      return [...list.dateEntity.subarray(list.dateFirst[at], list.dateFirst[at + 1])];
    });
    this.#scoreAll(ask, Uint32Array.from(entities), ask.directScoreMin);
  }

  /**
   * Heard entities are scored now, so that later ones are known not to be heard, unless a name has
   * too many.
   */
  #scoreSounds(ask: ListAsk, most: number, floor: number): void {
    if (this.#unheard === 1) return;
    let areAllScored = 1;
    ask.query.names.forEach((_, name) => {
      const count = ask.host.kernels.soundCandidates(name, most);
      if (count < 0) areAllScored = 0;
      else this.#scoreListed(ask, { from: 0, to: count }, floor);
    });
    this.#unheard = areAllScored;
  }

  #scoreYears(ask: ListAsk): void {
    const { query } = ask;
    const spans: [number, number][] = [];
    if (query.dob !== undefined) spans.push([query.dob, query.dob]);
    if (query.dobRange !== undefined) spans.push([query.dobRange.from, query.dobRange.to]);
    for (const [from, to] of spans) {
      const first = Math.floor(from / 10_000);
      const last = Math.min(Math.floor(to / 10_000), first + YEARS_MAX);
      for (let year = first; year <= last; year++) this.#scoreYear(ask, year);
    }
  }

  #scoreYear(ask: ListAsk, year: number): void {
    const { list } = ask;
    const start = lowerBound(list.yearKey, year * YEAR);
    const end = lowerBound(list.yearKey, (year + 1) * YEAR);
    const entities = list.yearEntity.subarray(list.yearFirst[start], list.yearFirst[end]);
    this.#scoreAll(ask, entities, ask.directScoreMin);
  }

  #scoreNation(ask: ListAsk): void {
    const { list, query } = ask;
    if (query.nation === 0) return;
    const at = lowerBound(list.nationKey, query.nation);
    if (list.nationKey[at] !== query.nation) return;
    const entities = list.nationEntity.subarray(list.nationFirst[at], list.nationFirst[at + 1]);
    this.#scoreAll(ask, entities, ask.directScoreMin);
  }

  #scoreSwept(ask: ListAsk): void {
    const { query, host, deadline } = ask;
    query.names.forEach((_, name) => {
      // The required score grows with every name that found an entity.
      host.sweepJaros.set(this.#jarosOfTheRest(ask));
      deadline.check();
      const count = host.kernels.sweepForms(name);
      this.#scoreListed(ask, { from: 0, to: count }, ask.directScoreMin);
    });
  }

  /**
   * Jaro similarity that an entity needs which is not heard and whose dates and nationalities,
   * where both sides have them, disagree; above 1 it cannot match. Ordered by the attributes that
   * it has (native/sweeping.ts), then by how its name begins.
   */
  #jarosOfTheRest(ask: ListAsk): number[] {
    const { query, formula } = ask;
    const phonetic = query.isCoded ? 0 : Number.NaN;
    const alias = query.variants.length > 0;
    const hasDob = query.dob !== undefined || query.dobRange !== undefined;
    const direct = this.#directRequired(ask, ask.directScoreMin, formula.boostMax);
    const prefixes = prefixesOf(ask);
    return [0, 1, 2, 3].flatMap((has) => {
      const dob = hasDob && (has & 1) === 1 ? 0 : Number.NaN;
      const nationality = query.nation !== 0 && (has & 2) === 2 ? 0 : Number.NaN;
      const attributes = { phonetic, dob, nationality, alias };
      if (alias && query.areVariantsNames) {
        // One bound serves names and variants, as another name may be the one that is boosted.
        const jaro = formula.jaroRequired(attributes, direct);
        return [jaro, jaro, jaro];
      }
      const name = formula.nameRequired(attributes, direct);
      return prefixes.map((prefix) => jaroRequired(name, prefix));
    });
  }

  #scoreTitled(ask: ListAsk): void {
    const { list, query } = ask;
    if (query.schema !== 0 && query.schema !== SCHEMA_CODE.Person) return;
    const jaros = this.#jarosOfTheRest(ask).filter((_, at) => at % PREFIXES === PREFIXES - 1);
    const names = query.names.map(({ text }) => text);
    this.#scoreAll(ask, titledCandidates(list, names, jaros), ask.directScoreMin);
  }
}

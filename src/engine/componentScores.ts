/**
 * The component scores of one entity against one query (interface.md 4.8 rule 2, decisions
 * 2.3–2.5).
 *
 * nameScore skips a pair of names whose letters show that it cannot reach what is asked: the bound
 * is never below the kernel's answer, so skipping changes no result. phoneticScore is not here: the
 * phonetic search finds all entities that have it before any is scored (phoneticSearch.ts).
 */
import { scoreDates, scoreMonthRange } from './dateDistance.ts';
import { levenshteinRatio } from './levenshtein.ts';
import type { PreparedQuery, QueryName, QueryVariant } from './preparedQuery.ts';
import { BOUND_SLACK, popcount, ratioMost } from './signature.ts';
import type { Snapshot } from './snapshotFormat.ts';

const BOOST_ABOVE = 0.7;

/** dobScore: the best over the entity's dates; NaN where either side has none. */
export function dobScore(query: PreparedQuery, list: Snapshot, entity: number): number {
  const start = list.entityFirstDate[entity] ?? 0;
  const end = list.entityFirstDate[entity + 1] ?? 0;
  if (start === end || !query.hasDate) return Number.NaN;
  let best = 0;
  for (let at = start; at < end && best < 1; at++) {
    const from = list.dateFrom[at] ?? 0;
    const to = list.dateTo[at] ?? 0;
    if (query.dob !== undefined) best = Math.max(best, scoreDates(query.dob, from, to));
    if (query.dobRange !== undefined) {
      best = Math.max(best, scoreMonthRange(query.dobRange, from, to));
    }
  }
  return best;
}

/** nationalityScore: 1 where one agrees; NaN where either side has none. */
export function nationalityScore(query: PreparedQuery, list: Snapshot, entity: number): number {
  const start = list.entityFirstNation[entity] ?? 0;
  const end = list.entityFirstNation[entity + 1] ?? 0;
  if (start === end || query.nation === 0) return Number.NaN;
  for (let at = start; at < end; at++) if (list.nationCode[at] === query.nation) return 1;
  return 0;
}

/** At least the Jaro similarity of a query name and a form, in any order of their letters. */
function jaroBound(name: QueryName, list: Snapshot, form: number): number {
  const length = list.formLength[form] ?? 0;
  const once = list.formOnce[form] ?? 0;
  const twice = list.formTwice[form] ?? 0;
  const missedByQuery = popcount(name.once & ~once) + popcount(name.twice & ~twice);
  const missedByForm = popcount(once & ~name.once) + popcount(twice & ~name.twice);
  const matches = Math.min(name.length - missedByQuery, length - missedByForm);
  if (matches <= 0) return 0;
  return (matches / name.length + matches / length + 1) / 3 + BOUND_SLACK;
}

function prefixOf(a: Uint16Array, b: Uint16Array, start: number, most: number): number {
  let prefix = 0;
  while (prefix < most && a[prefix] === b[start + prefix]) prefix += 1;
  return prefix;
}

function winklerBound(jaro: number, prefix: number): number {
  return jaro > BOOST_ABOVE ? jaro + prefix * 0.1 * (1 - jaro) : jaro;
}

/** What nameScore found; a thread has one, overwritten by each call. */
export const bestName = { score: 0, form: -1 };

/**
 * Best Jaro-Winkler of the query's names and the entity's, in both orders, into `bestName`. Scores
 * below `required` may be missed: `form` is then -1 or the score below `required`.
 */
export function findBestName(
  query: PreparedQuery,
  list: Snapshot,
  ask: { readonly entity: number; readonly required: number },
): void {
  bestName.score = 0;
  bestName.form = -1;
  const start = list.entityFirstForm[ask.entity] ?? 0;
  const end = list.entityFirstForm[ask.entity + 1] ?? 0;
  for (const name of query.names) {
    // The form whose letters promise most goes first: what it scores rules most others out.
    const first = mostPromising(name, list, start, end);
    if (first < 0) continue;
    compareForm(name, list, first, ask.required);
    for (let form = start; form < end; form++) {
      if (form !== first) compareForm(name, list, form, ask.required);
    }
  }
}

function mostPromising(name: QueryName, list: Snapshot, start: number, end: number): number {
  if (end - start < 2) return end - start === 1 ? start : -1;
  let best = -1;
  let bestBound = -1;
  for (let form = start; form < end; form++) {
    const bound = jaroBound(name, list, form);
    if (bound <= bestBound) continue;
    bestBound = bound;
    best = form;
  }
  return best;
}

/** At least the Jaro-Winkler of a query name and a form in the better order. */
export function nameBound(name: QueryName, list: Snapshot, form: number): number {
  const jaro = jaroBound(name, list, form);
  const most = Math.min(4, list.formLength[form] ?? 0, name.length);
  const natural = prefixOf(name.units, list.units, list.formNatural[form] ?? 0, most);
  const sorted = prefixOf(name.sortedUnits, list.units, list.formSorted[form] ?? 0, most);
  return winklerBound(jaro, Math.max(natural, sorted));
}

function compareForm(name: QueryName, list: Snapshot, form: number, required: number): void {
  const jaro = jaroBound(name, list, form);
  const atLeast = Math.max(required, bestName.score);
  if (winklerBound(jaro, 4) < atLeast) return;
  const length = list.formLength[form] ?? 0;
  const most = Math.min(4, length, name.length);
  const natural = list.formNatural[form] ?? 0;
  const sorted = list.formSorted[form] ?? 0;
  if (winklerBound(jaro, prefixOf(name.units, list.units, natural, most)) >= atLeast) {
    keep(name.natural.compare(list.units, natural, natural + length, atLeast), form);
  }
  if (name.isSorted && natural === sorted) return;
  const better = Math.max(required, bestName.score);
  if (winklerBound(jaro, prefixOf(name.sortedUnits, list.units, sorted, most)) >= better) {
    const sortedName = name.isSorted ? name.natural : name.sorted;
    keep(sortedName.compare(list.units, sorted, sorted + length, better), form);
  }
}

/** Of equal scores the form published first counts, in whatever order they are compared. */
function keep(score: number, form: number): void {
  if (bestName.form >= 0) {
    if (score < bestName.score) return;
    if (score === bestName.score && form >= bestName.form) return;
  }
  bestName.score = score;
  bestName.form = form;
}

/** At least the aliasUnfoldScore of an entity, by the letters alone. */
export function aliasBound(query: PreparedQuery, list: Snapshot, entity: number): number {
  if (!query.areVariantsNames) return 1;
  const end = list.entityFirstForm[entity + 1] ?? 0;
  let most = 0;
  for (let form = list.entityFirstForm[entity] ?? 0; form < end; form++) {
    for (const name of query.names) most = Math.max(most, jaroBound(name, list, form));
  }
  return ratioMost(most);
}

/** Whether the letters of a variant and a form allow a ratio above `best`. */
function mayExceed(variant: QueryVariant, list: Snapshot, form: number, best: number): boolean {
  const own = variant.natural.end;
  const length = list.formLength[form] ?? 0;
  const least = best * Math.max(own, length);
  if (Math.min(own, length) <= least) return false;
  const once = list.formOnce[form] ?? 0;
  const twice = list.formTwice[form] ?? 0;
  const missed = popcount(variant.once & ~once) + popcount(variant.twice & ~twice);
  if (own - missed + BOUND_SLACK <= least) return false;
  const formMissed = popcount(once & ~variant.once) + popcount(twice & ~variant.twice);
  return length - formMissed + BOUND_SLACK > least;
}

/**
 * aliasUnfoldScore: best Levenshtein ratio of the query's variants and the entity's names, in both
 * orders.
 */
export function aliasUnfoldScore(query: PreparedQuery, list: Snapshot, entity: number): number {
  let best = 0;
  const end = list.entityFirstForm[entity + 1] ?? 0;
  for (let form = list.entityFirstForm[entity] ?? 0; form < end; form++) {
    const length = list.formLength[form] ?? 0;
    const natural = list.formNatural[form] ?? 0;
    const sorted = list.formSorted[form] ?? 0;
    for (const variant of query.variants) {
      if (!mayExceed(variant, list, form, best)) continue;
      best = Math.max(best, ratio(variant.natural, list.units, natural, length));
      best = Math.max(best, ratio(variant.sorted, list.units, sorted, length));
    }
  }
  return best;
}

function ratio(
  variant: PreparedQuery['variants'][number]['natural'],
  units: Uint16Array,
  start: number,
  length: number,
): number {
  return levenshteinRatio(variant, { units, start, end: start + length });
}

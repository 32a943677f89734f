/**
 * Scores a stretch of the list of entities and keeps those that may still change the answer. The
 * score that they must reach comes from re-ranker 1's formula as a table: per class of attributes,
 * the sum of the weights of the present components and the points of the attributes. Only the name
 * is then left to compare. The caller rounds scores and makes the answer (screenList.ts).
 *
 * ATTRIBUTES: i32 +0 schema or 0, +4 flags of forms that are heard, +8 flag of entities that have a
 * sound, +12 the query has one, +16 date of birth, +20 first and +24 last of its months (0: none),
 * +28 nation, +32 alias: 0 no variants, 1 granted in full, 2 as far as letters allow, +36 rules: 0
 * those of re-ranker 1.0, 1 those of 1.1; f64 +40 weight of the name, +48 of the alias.
 */
import { scoreDates, scoreDatesNear, scoreMonths } from './dates.ts';
import { setOrder } from './forms.ts';
import { fill, get32, getF64, getU8, getU16, quotient, set32, setF64 } from './machine.ts';
import { bestForm, nameBound, nameScore } from './nameScore.ts';
import { isHeard } from './phoneticMatch.ts';
import { bestScore, bestType, findBestName, bestForm as sameForm } from './sameName.ts';
import { ATTRIBUTES, CLASSES, REQUIRED, RESULT_BYTES, RESULTS } from './scratch.ts';
import {
  dateFrom,
  dateTo,
  entityCategories,
  entityCount,
  entityFirstDate,
  entityFirstForm,
  entityFirstNation,
  entityFlags,
  formFirstToken,
  formToken,
  list,
  nationCode,
  scoredSet,
  scratch,
} from './sections.ts';
import { addScored, isSought } from './sought.ts';
import { isTitled } from './titles.ts';

const BOUND_SLACK: f64 = 1e-9;

/** Class of an entity's dates: 0 absent, 1 none agrees, 2 in part, 3 exactly. */
function dateClass(entity: i32): i32 {
  const attributes = scratch + ATTRIBUTES;
  const dob = get32(attributes + 16);
  const first = get32(attributes + 20);
  if (dob === 0 && first === 0) return 0;
  const end = get32(entityFirstDate + (entity << 2) + 4);
  let best = 0;
  for (let at = get32(entityFirstDate + (entity << 2)); at < end; at++) {
    if (best === 0) best = 1;
    const from = get32(dateFrom + (at << 2));
    const to = get32(dateTo + (at << 2));
    if (dob !== 0) {
      const score =
        get32(attributes + 36) === 0 ? scoreDates(dob, from, to) : scoreDatesNear(dob, from, to);
      if (score === 1) return 3;
      if (score > 0) best = 2;
    }
    if (first !== 0 && scoreMonths(first, get32(attributes + 24), from, to) > 0) best = 2;
  }
  return best;
}

/** Class of an entity's nationalities: 0 absent, 1 none agrees, 2 one does. */
function nationClass(entity: i32): i32 {
  const nation = get32(scratch + ATTRIBUTES + 28);
  const start = get32(entityFirstNation + (entity << 2));
  const end = get32(entityFirstNation + (entity << 2) + 4);
  if (nation === 0 || start === end) return 0;
  for (let at = start; at < end; at++) if (getU16(nationCode + (at << 1)) === nation) return 2;
  return 1;
}

/**
 * Least nameScore with which an entity of a class can reach `direct`, given an alias score of
 * `aliasMost`.
 */
function nameRequired(type: i32, direct: f64, aliasMost: f64): f64 {
  const place = scratch + CLASSES + (type << 4);
  const attributes = scratch + ATTRIBUTES;
  const missing = direct * getF64(place) - getF64(place + 8) - aliasMost * getF64(attributes + 48);
  const weight = getF64(attributes + 40);
  if (weight <= 0) return missing > 0 ? 2 : 0;
  return missing / weight;
}

/** Greatest Levenshtein ratio of names whose letters allow a Jaro of `jaro`. */
function ratioMost(jaro: f64): f64 {
  const most = (3 * jaro - 1) / 2 + BOUND_SLACK;
  return most > 1 ? 1 : most < 0 ? 0 : most;
}

function winklerMost(jaro: f64): f64 {
  return jaro > 0.7 ? jaro + 0.4 * (1 - jaro) : jaro;
}

/** Result of `touch`, exported so that no compiler removes its loads. */
export let touched: i32 = 0;

/**
 * Loads what scoring the batch will read first. No load of a loop waits for the one before, so the
 * machine fetches a dozen entities at a time instead of one.
 */
function touch(from: i32, to: i32): void {
  let sum = 0;
  for (let at = from; at < to; at++) {
    const entity = get32(list + (at << 2));
    sum += get32(entityFirstForm + (entity << 2)) + getU8(entityFlags + entity);
    sum += get32(entityFirstDate + (entity << 2)) + get32(entityFirstNation + (entity << 2));
  }
  for (let at = from; at < to; at++) {
    const entity = get32(list + (at << 2));
    sum += get32(formFirstToken + (get32(entityFirstForm + (entity << 2)) << 2));
  }
  for (let at = from; at < to; at++) {
    const form = get32(entityFirstForm + (get32(list + (at << 2)) << 2));
    sum += get32(formToken + (get32(formFirstToken + (form << 2)) << 2));
  }
  touched = sum | 0;
}

/** Class, form and nameScore of the entity that passed last. */
let passedType: i32 = 0;
let passedForm: i32 = -1;
let passedScore: f64 = 0;

/** Whether an entity passes by the rules of re-ranker 1.0: its best name, and its best sound. */
function passes(entity: i32, others: i32, coded: bool, direct: f64, all: i32, heard: bool): bool {
  const attributes = scratch + ATTRIBUTES;
  const aliasMode = get32(attributes + 32);
  let required: f64 = 0;
  let aliasMost: f64 = aliasMode === 0 ? 0 : 1;
  let type = !coded ? others : heard ? 24 + others : 12 + others;
  if (all === 0) {
    required = nameRequired(type, direct, aliasMost);
    if (required > 1) return false;
    if (required > 0 && aliasMode === 2) {
      const jaro = nameBound(entity);
      aliasMost = ratioMost(jaro);
      required = nameRequired(type, direct, aliasMost);
      if (winklerMost(jaro) < required) return false;
    }
  }
  // The entity is first taken as heard: where even that is not enough, no sounds are compared.
  const score = nameScore(entity, required);
  if (all === 0 && score < required) return false;
  const form = bestForm;
  if (type >= 24 && !isHeard(entity, get32(attributes + 4))) {
    type = 12 + others;
    if (all === 0 && score < nameRequired(type, direct, aliasMost)) return false;
  }
  passedType = type;
  passedForm = form;
  passedScore = score;
  return true;
}

/** Whether an entity passes by the rules of re-ranker 1.1: one name gives both. */
function passesByName(
  entity: i32,
  others: i32,
  coded: bool,
  direct: f64,
  all: i32,
  heard: bool,
): bool {
  const aliasMode = get32(scratch + ATTRIBUTES + 32);
  let aliasMost: f64 = aliasMode === 0 ? 0 : 1;
  if (all === 0 && aliasMode === 2 && !isTitled(entity)) {
    const jaro = nameBound(entity);
    aliasMost = ratioMost(jaro);
    const most = winklerMost(jaro);
    const type = !coded ? others : heard ? 24 + others : 12 + others;
    const required = nameRequired(type, direct, aliasMost);
    if (most < required && (!coded || most < nameRequired(others, direct, aliasMost))) return false;
  }
  const unheard = heard ? 0 : 1;
  if (!findBestName(entity, others, coded, direct, aliasMost, all, unheard)) return false;
  passedType = bestType;
  passedForm = sameForm;
  passedScore = bestScore;
  return true;
}

/**
 * Scores entities [from, to) of the list, at most 256, and writes those that pass to RESULTS
 * (entity, class, form, nameScore); returns how many. `all` 1 skips no entity of the sought schema.
 * `unheard` 1: none of them is heard.
 */
export function scoreBatch(from: i32, to: i32, all: i32, unheard: i32): i32 {
  const attributes = scratch + ATTRIBUTES;
  const rules = get32(attributes + 36);
  let out = scratch + RESULTS;
  setOrder(rules);
  touch(from, to);
  for (let at = from; at < to; at++) {
    const entity = get32(list + (at << 2));
    if (!isSought(entity) || !addScored(entity)) continue;
    const coded: bool =
      get32(attributes + 12) !== 0 && (getU8(entityFlags + entity) & get32(attributes + 8)) !== 0;
    const others = dateClass(entity) * 3 + nationClass(entity);
    const direct = getF64(scratch + REQUIRED + ((getU8(entityCategories + entity) & 31) << 3));
    const heard: bool = unheard === 0;
    const isKept =
      rules === 0
        ? passes(entity, others, coded, direct, all, heard)
        : passesByName(entity, others, coded, direct, all, heard);
    if (!isKept) continue;
    set32(out, entity);
    set32(out + 4, passedType);
    set32(out + 8, passedForm);
    setF64(out + 16, passedScore);
    out += RESULT_BYTES;
  }
  return quotient(out - (scratch + RESULTS), RESULT_BYTES);
}

/** Empties the set of scored entities; before a query. */
export function clearScored(): void {
  fill(scoredSet, 0, ((entityCount + 63) >> 6) << 3);
}

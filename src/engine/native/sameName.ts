/**
 * The best name of one entity by re-ranker 1.1: nameScore and phoneticScore come from one and the
 * same published name (decisions 2.5), so an entity is never put together from two people's names.
 * A name without a phonetic code has no such component, whatever the entity's other names are; so
 * one more alias never lowers an entity.
 */
import { takeForm, takeWithoutTitles } from './forms.ts';
import { isFormHeard } from './heardName.ts';
import { get32, getF64, getU8 } from './machine.ts';
import { aliasScore, formScore } from './nameScore.ts';
import { ATTRIBUTES, CLASSES } from './scratch.ts';
import {
  entityFirstForm,
  entityFlags,
  entitySchema,
  formFlags,
  formName,
  scratch,
} from './sections.ts';
import { isTitled } from './titles.ts';

const PERSON: i32 = 1;
const FORM_PRIMARY: i32 = 1;
const FORM_CODED: i32 = 2;
const ENTITY_PRIMARY_CODED: i32 = 2;
/** Kinds of phonetic component, times 12: the first part of a class (attributeClasses.ts). */
const ABSENT: i32 = 0;
const UNHEARD: i32 = 12;
const HEARD: i32 = 24;

/** Class (attributeClasses.ts) of the name that the last findBestName found. */
export let bestType: i32 = 0;
/** Its form; -1 where none was compared. */
export let bestForm: i32 = -1;
/** Its nameScore. */
export let bestScore: f64 = 0;

let person: bool = false;
let titled: bool = false;

/** Least nameScore with which an entity of a class reaches `direct`, given so many alias points. */
function nameRequired(type: i32, direct: f64, aliasPoints: f64): f64 {
  const place = scratch + CLASSES + (type << 4);
  const missing = direct * getF64(place) - getF64(place + 8) - aliasPoints;
  const weight = getF64(scratch + ATTRIBUTES + 40);
  if (weight <= 0) return missing > 0 ? 2 : 0;
  return missing / weight;
}

/** directScore of a class and a nameScore, not rounded. */
function directOf(type: i32, score: f64, aliasPoints: f64): f64 {
  const place = scratch + CLASSES + (type << 4);
  const points = getF64(scratch + ATTRIBUTES + 40) * score + getF64(place + 8) + aliasPoints;
  return points / getF64(place);
}

/** First form behind `form` that belongs to another name. */
function nameEnd(form: i32, end: i32): i32 {
  const name = get32(formName + (form << 2));
  let next = form + 1;
  while (next < end && get32(formName + (next << 2)) === name) next += 1;
  return next;
}

function isNameCoded(from: i32, end: i32): bool {
  for (let form = from; form < end; form++) {
    if ((getU8(formFlags + form) & FORM_CODED) !== 0) return true;
  }
  return false;
}

function isNameHeard(from: i32, end: i32): bool {
  for (let form = from; form < end; form++) if (isFormHeard(form, person, titled)) return true;
  return false;
}

/** Whether the primary name is heard, where the policy compares sounds with that one alone. */
function isPrimaryHeard(entity: i32): bool {
  const end = get32(entityFirstForm + (entity << 2) + 4);
  for (let form = get32(entityFirstForm + (entity << 2)); form < end; form++) {
    if ((getU8(formFlags + form) & FORM_PRIMARY) === 0) continue;
    if (isFormHeard(form, person, titled)) return true;
  }
  return false;
}

let scoredForm: i32 = -1;

/** Best nameScore of the forms of one name, with and without its titles; -1 where below `least`. */
function scoreOf(from: i32, end: i32, least: f64): f64 {
  let best: f64 = -1;
  for (let form = from; form < end; form++) {
    takeForm(form);
    let known = best > 0 ? best : 0;
    let found = formScore(least, known);
    if (titled && takeWithoutTitles()) {
      known = found > known ? found : known;
      const plain = formScore(least, known);
      if (plain > found) found = plain;
    }
    if (found > best) {
      best = found;
      scoredForm = form;
    }
  }
  return best;
}

/** Whether some names of the entity have a code and others have none. */
function isMixed(entity: i32): bool {
  const end = get32(entityFirstForm + (entity << 2) + 4);
  let form = get32(entityFirstForm + (entity << 2));
  const first = isNameCoded(form, nameEnd(form, end));
  while (form < end) {
    const next = nameEnd(form, end);
    if (isNameCoded(form, next) !== first) return true;
    form = next;
  }
  return false;
}

/**
 * Finds the name with which the entity has the highest directScore; of equal ones the first.
 * `others` is the class of its dates and nationalities, `coded` whether the query has a phonetic
 * code, `unheard` 1 where none of its names is heard. Returns whether it may reach `direct`, given
 * an alias score of `aliasMost`; with `all` 1 always.
 */
export function findBestName(
  entity: i32,
  others: i32,
  coded: bool,
  direct: f64,
  aliasMost: f64,
  all: i32,
  unheard: i32,
): bool {
  person = getU8(entitySchema + entity) === PERSON;
  titled = isTitled(entity);
  bestForm = -1;
  bestScore = 0;
  const aliasWeight = getF64(scratch + ATTRIBUTES + 48);
  const granted = aliasMost * aliasWeight;
  const isPrimaryOnly: bool = (get32(scratch + ATTRIBUTES + 4) & FORM_PRIMARY) !== 0;
  let primary = ABSENT;
  if (isPrimaryOnly && coded && (getU8(entityFlags + entity) & ENTITY_PRIMARY_CODED) !== 0) {
    primary = isPrimaryHeard(entity) ? HEARD : UNHEARD;
  }
  let form = get32(entityFirstForm + (entity << 2));
  const end = get32(entityFirstForm + (entity << 2) + 4);
  const points: f64 =
    aliasWeight > 0 && coded && !isPrimaryOnly && form < end && isMixed(entity)
      ? aliasScore(entity) * aliasWeight
      : 0;
  const loudest = unheard !== 0 ? UNHEARD : HEARD;
  bestType = others + primary;
  let best: f64 = -1;
  while (form < end) {
    const next = nameEnd(form, end);
    let kind = isPrimaryOnly ? primary : coded && isNameCoded(form, next) ? loudest : ABSENT;
    let least: f64 = 0;
    if (all === 0) {
      least = nameRequired(kind + others, direct, granted);
      if (least > 1) {
        form = next;
        continue;
      }
    }
    if (best >= 0) {
      const beat = nameRequired(kind + others, best, points);
      if (beat > least) least = beat;
    }
    const score = scoreOf(form, next, least);
    if (score >= 0 && (all !== 0 || score >= least)) {
      const scored = scoredForm;
      if (kind === HEARD && !isPrimaryOnly && !isNameHeard(form, next)) kind = UNHEARD;
      const value = directOf(kind + others, score, points);
      const reaches: bool = all !== 0 || score >= nameRequired(kind + others, direct, granted);
      if (reaches && value > best) {
        best = value;
        bestType = kind + others;
        bestForm = scored;
        bestScore = score;
      }
    }
    form = next;
  }
  return all !== 0 || best >= 0;
}

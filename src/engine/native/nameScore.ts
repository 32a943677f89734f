/**
 * nameScore and aliasUnfoldScore of one entity (interface.md 4.8 rule 2, decisions 2.3). A pair of
 * names is skipped where its letters show that it cannot reach the required score. The bound is
 * never below the kernel's answer, so skipping changes no result.
 */
import {
  formLength,
  formOnce,
  formSorted,
  formTwice,
  naturalBytes,
  naturalUnits,
  sortedBytes,
  sortedUnits,
  takeForm,
} from './forms.ts';
import { jaroWinkler, prefixOf } from './jaro.ts';
import { levenshteinRatio } from './levenshtein.ts';
import { get32, popcount, real } from './machine.ts';
import { nameCount, variantCount } from './query.ts';
import { COMPARE, NAME_BYTES, NAMES, VARIANT_BYTES, VARIANTS } from './scratch.ts';
import { entityFirstForm, scratch } from './sections.ts';
import { isShort } from './slots.ts';

const BOOST_ABOVE: f64 = 0.7;
/** Slack for rounding: bounds must never be tighter than the kernel. */
const BOUND_SLACK: f64 = 1e-9;

/** The form that gave the last nameScore; -1 where none was compared. */
export let bestForm: i32 = -1;

/**
 * Upper bound of the Jaro similarity of a query name and the current form, in any order of letters.
 */
function jaroBound(name: i32): f64 {
  const length = get32(name);
  const once = get32(name + 12);
  const twice = get32(name + 16);
  const missedByQuery = popcount(once & ~formOnce) + popcount(twice & ~formTwice);
  const missedByForm = popcount(formOnce & ~once) + popcount(formTwice & ~twice);
  const own = length - missedByQuery;
  const other = formLength - missedByForm;
  const matches = own < other ? own : other;
  if (matches <= 0) return 0;
  return (real(matches) / real(length) + real(matches) / real(formLength) + 1) / 3 + BOUND_SLACK;
}

function winklerBound(jaro: f64, prefix: i32): f64 {
  return jaro > BOOST_ABOVE ? jaro + real(prefix) * 0.1 * (1 - jaro) : jaro;
}

/**
 * Similarity of a slot and the current form in one order; -1 where it is shown to be below `least`.
 */
function similarity(slot: i32, jaro: f64, least: f64, sorted: bool): f64 {
  const short = isShort(slot);
  const units = sorted
    ? short
      ? sortedBytes()
      : sortedUnits()
    : short
      ? naturalBytes()
      : naturalUnits();
  if (winklerBound(jaro, prefixOf(slot, units, formLength)) < least) return -1;
  return jaroWinkler(slot, units, formLength, least, scratch + COMPARE);
}

/**
 * Best Jaro-Winkler (0..1) of the query's names and the current form, in both orders; -1 where none
 * was compared. Scores below `required`, and those that do not exceed `known`, may be missed.
 */
export function formScore(required: f64, known: f64): f64 {
  let best: f64 = known;
  let found: f64 = -1;
  for (let at = 0; at < nameCount; at++) {
    const name = scratch + NAMES + at * NAME_BYTES;
    const jaro = jaroBound(name);
    let least = required > best ? required : best;
    if (winklerBound(jaro, 4) < least) continue;
    const natural = similarity(get32(name + 4), jaro, least, false);
    if (natural >= 0 && (found < 0 || natural > found)) found = natural;
    if (found > best) best = found;
    if ((get32(name + 20) & 1) !== 0 && formSorted) continue;
    least = required > best ? required : best;
    const sorted = similarity(get32(name + 8), jaro, least, true);
    if (sorted >= 0 && (found < 0 || sorted > found)) found = sorted;
    if (found > best) best = found;
  }
  return found;
}

/**
 * Best Jaro-Winkler (0..1) of the query's names and the entity's, in both orders. Sets bestForm to
 * its form; of equal scores the form published first. Scores below `required` may be missed.
 */
export function nameScore(entity: i32, required: f64): f64 {
  let best: f64 = 0;
  bestForm = -1;
  const end = get32(entityFirstForm + (entity << 2) + 4);
  for (let form = get32(entityFirstForm + (entity << 2)); form < end; form++) {
    takeForm(form);
    const found = formScore(required, best);
    if (found >= 0 && (bestForm < 0 || found > best)) {
      best = found;
      bestForm = form;
    }
  }
  return best;
}

/**
 * Upper bound of the Jaro similarity of an entity's best name, by the letters alone; the caller
 * adds the boost.
 */
export function nameBound(entity: i32): f64 {
  let most: f64 = 0;
  const end = get32(entityFirstForm + (entity << 2) + 4);
  for (let form = get32(entityFirstForm + (entity << 2)); form < end; form++) {
    takeForm(form);
    for (let at = 0; at < nameCount; at++) {
      const jaro = jaroBound(scratch + NAMES + at * NAME_BYTES);
      if (jaro > most) most = jaro;
    }
  }
  return most;
}

/** Whether the letters of a variant and the current form allow a ratio above `best`. */
function mayExceed(variant: i32, best: f64): bool {
  const own = get32(get32(variant));
  const once = get32(variant + 8);
  const twice = get32(variant + 12);
  const least = best * real(own > formLength ? own : formLength);
  if (real(own < formLength ? own : formLength) <= least) return false;
  const missed = popcount(once & ~formOnce) + popcount(twice & ~formTwice);
  if (real(own - missed) + BOUND_SLACK <= least) return false;
  const formMissed = popcount(formOnce & ~once) + popcount(formTwice & ~twice);
  return real(formLength - formMissed) + BOUND_SLACK > least;
}

/**
 * Best Levenshtein ratio (0..1) of the query's variants and the entity's names, in both orders; 0
 * without variants.
 */
export function aliasScore(entity: i32): f64 {
  let best: f64 = 0;
  const end = get32(entityFirstForm + (entity << 2) + 4);
  for (let form = get32(entityFirstForm + (entity << 2)); form < end; form++) {
    takeForm(form);
    for (let at = 0; at < variantCount; at++) {
      const variant = scratch + VARIANTS + at * VARIANT_BYTES;
      if (!mayExceed(variant, best)) continue;
      const natural = ratio(get32(variant), naturalUnits());
      if (natural > best) best = natural;
      const sorted = ratio(get32(variant + 4), sortedUnits());
      if (sorted > best) best = sorted;
    }
  }
  return best;
}

function ratio(slot: i32, units: i32): f64 {
  return levenshteinRatio(slot, units, formLength, scratch + COMPARE);
}

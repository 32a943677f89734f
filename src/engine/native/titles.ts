/**
 * Titles of a list's dictionary (Shaykh, Mullah, Haji …), by number. Re-ranker 1.1 compares a
 * person's name without them too, wherever they stand; the index has the names as 1.0 folds them.
 */
import { get32, getU8, set32 } from './machine.ts';
import { INPUT, TITLES, TITLES_MAX } from './scratch.ts';
import { scratch, titledSet } from './sections.ts';
import { findToken } from './tokens.ts';

/** Forgets the titles of a scratch. */
export function clearTitles(): void {
  set32(scratch + TITLES, 0);
}

/**
 * Adds the title of `length` units at INPUT, in ascending order of titles; returns its number, -1
 * where the list does not have it. A scratch keeps its titles.
 */
export function addTitle(length: i32): i32 {
  const titles = scratch + TITLES;
  const count = get32(titles);
  const token = findToken(scratch + INPUT, length);
  if (token < 0 || count >= TITLES_MAX) return -1;
  set32(titles, count + 1);
  set32(titles + ((count + 1) << 2), token);
  return token;
}

/** Whether a token of the list is a title. */
export function isTitle(token: i32): bool {
  const titles = scratch + TITLES;
  let low = 1;
  let high = get32(titles) + 1;
  const end = high;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (get32(titles + (middle << 2)) < token) low = middle + 1;
    else high = middle;
  }
  return low < end && get32(titles + (low << 2)) === token;
}

/** Whether an entity is a person with a title in a name. */
export function isTitled(entity: i32): bool {
  return ((getU8(titledSet + (entity >> 3)) >>> (entity & 7)) & 1) !== 0;
}

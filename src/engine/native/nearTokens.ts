/**
 * The dictionary's tokens that are one edit or one transposition away from a token of the query
 * (edits.ts) and do not sound like it: with them, re-ranker 1.1 finds every entity that it may
 * hear. They are looked up once per query and list, and lie in the heap behind the names.
 */
import { isOneEdit, NEAR_UNITS_MIN } from './edits.ts';
import { filterSigns } from './letters.ts';
import { copy, get32, getU8, getU16, multiply, set32, setU16 } from './machine.ts';
import { soundsAlike } from './phoneticMatch.ts';
import { closeNear, isSameToken, nameCount, openNear, TOKEN_BYTES } from './query.ts';
import { NAME_BYTES, NAMES, SORTED_UNITS } from './scratch.ts';
import {
  list,
  listMax,
  scratch,
  tailCount,
  tailKey,
  tailToken,
  tokenKind,
  tokenOnce,
  tokenStart,
  tokenTwice,
  tokenUnits,
} from './sections.ts';
import { signOf } from './signs.ts';
import { findToken, lowerBound, tokenAtLeast, tokenLength } from './tokens.ts';

const CODED: i32 = 0;
/** Tokens near one token of a query; no dictionary has so many. */
const NEAR_MAX: i32 = 2_048;

let near: i32 = 0;
let count: i32 = 0;

/** FNV-1a of `length` units at `at`, as hashText of phonetic.ts. */
export function hashUnits(at: i32, length: i32): i32 {
  let hash: i32 = 0x811c9dc5 | 0;
  for (let unit = 0; unit < length; unit++) {
    hash = multiply(hash ^ getU16(at + (unit << 1)), 0x01000193);
  }
  return hash === 0 ? 1 : hash;
}

/** Whether a token of the list is near a query token (query.ts); both have codes. */
export function isNear(query: i32, token: i32): bool {
  if (get32(query + 4) !== CODED || get32(query + 24) < NEAR_UNITS_MIN) return false;
  if (getU8(tokenKind + token) !== CODED) return false;
  const start = tokenUnits + (get32(tokenStart + (token << 2)) << 1);
  return isOneEdit(get32(query + 20), get32(query + 24), start, tokenLength(token));
}

function add(query: i32, token: i32): void {
  if (token < 0 || count >= NEAR_MAX) return;
  if (!isNear(query, token) || soundsAlike(query, token)) return;
  set32(near + (count << 2), token);
  count += 1;
}

/** Adds tokens that begin with the query token's first letter. */
function addAlike(query: i32, text: i32, length: i32): void {
  const probe = scratch + SORTED_UNITS;
  setU16(probe, getU16(text));
  const from = tokenAtLeast(probe, 1);
  setU16(probe, getU16(text) + 1);
  const to = tokenAtLeast(probe, 1);
  const limit = from + listMax < to ? from + listMax : to;
  const once = signOf(text, length, 1);
  const twice = signOf(text, length, 2);
  const found = filterSigns(tokenOnce, tokenTwice, from, limit, once, twice, 1, 1, list);
  for (let at = 0; at < found; at++) add(query, get32(list + (at << 2)));
}

function addTails(query: i32, key: i32): void {
  let at = lowerBound(tailKey, tailCount, key);
  while (at < tailCount && get32(tailKey + (at << 2)) === key) {
    const token = get32(tailToken + (at << 2));
    const first = getU16(tokenUnits + (get32(tokenStart + (token << 2)) << 1));
    if (first !== get32(query + 16)) add(query, token);
    at += 1;
  }
}

/**
 * Adds tokens that begin with another letter: in place of the first one, without it, before it, or
 * with the first two letters the other way round.
 */
function addOthers(query: i32, text: i32, length: i32): void {
  addTails(query, hashUnits(text + 2, length - 1));
  addTails(query, hashUnits(text, length));
  if (getU16(text) === getU16(text + 2)) return;
  add(query, findToken(text + 2, length - 1));
  const turned = scratch + SORTED_UNITS;
  copy(turned, text, length << 1);
  setU16(turned, getU16(text + 2));
  setU16(turned + 2, getU16(text));
  add(query, findToken(turned, length));
}

/** A token that came before shares its tokens; returns whether there is one. */
function isShared(query: i32, nameAt: i32, tokenAt: i32): bool {
  for (let other = 0; other <= nameAt; other++) {
    const name = scratch + NAMES + other * NAME_BYTES;
    const tokens = other === nameAt ? tokenAt : get32(name + 28);
    for (let at = 0; at < tokens; at++) {
      const before = get32(name + 24) + at * TOKEN_BYTES;
      if (!isSameToken(before, query)) continue;
      set32(query + 32, get32(before + 32));
      set32(query + 36, get32(before + 36));
      return true;
    }
  }
  return false;
}

/** Looks up the tokens near those of all names; to be called once the names are added. */
export function findNear(): void {
  for (let at = 0; at < nameCount; at++) {
    const name = scratch + NAMES + at * NAME_BYTES;
    const tokens = get32(name + 28);
    for (let token = 0; token < tokens; token++) {
      const query = get32(name + 24) + token * TOKEN_BYTES;
      const length = get32(query + 24);
      if (get32(query + 4) !== CODED || length < NEAR_UNITS_MIN) continue;
      if (isShared(query, at, token)) continue;
      near = openNear(NEAR_MAX << 2);
      if (near === 0) return;
      count = 0;
      addAlike(query, get32(query + 20), length);
      addOthers(query, get32(query + 20), length);
      set32(query + 32, near);
      set32(query + 36, count);
      closeNear(count << 2);
    }
  }
}

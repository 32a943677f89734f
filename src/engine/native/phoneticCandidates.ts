/**
 * Entities that may match a query name by sound: those with its rarest sound, reduced by its other
 * sounds as far as looking them up pays. Every heard name has a token of each sound, so the list is
 * complete where it has room.
 */
import { get32, set32 } from './machine.ts';
import { TOKEN_BYTES } from './query.ts';
import { NAME_BYTES, NAMES } from './scratch.ts';
import {
  codeCount,
  codeFirstToken,
  codeKey,
  codeToken,
  list,
  listMax,
  nationSet,
  scratch,
  tokenFirstPosting,
  tokenPosting,
} from './sections.ts';
import { findToken, LENGTH_BITS, lowerBound } from './tokens.ts';

/**
 * Uses of postings: they are counted, written to the list, put into the set, or taken out of it.
 */
const COUNT: i32 = 0;
const WRITE: i32 = 1;
const MARK: i32 = 2;
const CLEAR: i32 = 3;
/** Postings whose reading costs no more than scoring one entity in vain. */
const POSTINGS_PER_ENTITY: i32 = 64;

let count: i32 = 0;

function addPostings(token: i32, use: i32): void {
  const start = get32(tokenFirstPosting + (token << 2));
  const end = get32(tokenFirstPosting + (token << 2) + 4);
  if (use === COUNT) {
    count += end - start;
    return;
  }
  for (let at = start; at < end; at++) {
    const entity = get32(tokenPosting + (at << 2)) >>> LENGTH_BITS;
    if (use === WRITE) {
      set32(list + (count << 2), entity);
      count += 1;
    } else {
      const word = nationSet + ((entity >> 5) << 2);
      set32(word, use === CLEAR ? 0 : get32(word) | (1 << (entity & 31)));
    }
  }
}

function addCode(code: i32, use: i32): void {
  if (code === 0) return;
  const at = lowerBound(codeKey, codeCount, code);
  if (at >= codeCount || get32(codeKey + (at << 2)) !== code) return;
  const end = get32(codeFirstToken + (at << 2) + 4);
  for (let place = get32(codeFirstToken + (at << 2)); place < end; place++) {
    addPostings(get32(codeToken + (place << 2)), use);
  }
}

/**
 * Uses the postings of a token's sound, the list's initial and the tokens near it included; returns
 * how many were counted.
 */
function addSound(query: i32, use: i32): i32 {
  count = 0;
  addCode(get32(query + 8), use);
  addCode(get32(query + 12), use);
  const end = get32(query + 32) + (get32(query + 36) << 2);
  for (let at = get32(query + 32); at < end; at += 4) addPostings(get32(at), use);
  const initial = findToken(get32(query + 20), 1);
  if (initial >= 0) addPostings(initial, use);
  return count;
}

/** Keeps, of the list's first `length` entities, those that have a token's sound, each once. */
function keepSound(query: i32, length: i32): i32 {
  addSound(query, MARK);
  let kept = 0;
  for (let at = 0; at < length; at++) {
    const entity = get32(list + (at << 2));
    const word = nationSet + ((entity >> 5) << 2);
    const bit = 1 << (entity & 31);
    if ((get32(word) & bit) === 0) continue;
    set32(word, get32(word) & ~bit);
    set32(list + (kept << 2), entity);
    kept += 1;
  }
  addSound(query, CLEAR);
  return kept;
}

/**
 * Writes the candidates of the query name `nameAt` to the list and returns how many: 0 for a name
 * without a code, -1 where there are more than `most` or the list has no room.
 */
export function soundCandidates(nameAt: i32, most: i32): i32 {
  const name = scratch + NAMES + nameAt * NAME_BYTES;
  if ((get32(name + 20) & 2) === 0) return 0;
  const first = get32(name + 24) + get32(name + 32) * TOKEN_BYTES;
  const end = get32(name + 24) + get32(name + 36) * TOKEN_BYTES;
  let rarest = 0;
  let least: i32 = 0x7fffffff;
  for (let query = first; query < end; query += TOKEN_BYTES) {
    if (get32(query + 4) !== 0) continue;
    const own = addSound(query, COUNT);
    if (own >= least) continue;
    least = own;
    rarest = query;
  }
  if (rarest === 0) return 0;
  if (least > listMax) return -1;
  addSound(rarest, WRITE);
  let length = least;
  for (let query = first; query < end; query += TOKEN_BYTES) {
    if (query === rarest || get32(query + 4) !== 0) continue;
    if (addSound(query, COUNT) < length * POSTINGS_PER_ENTITY) length = keepSound(query, length);
  }
  return length > most ? -1 : length;
}

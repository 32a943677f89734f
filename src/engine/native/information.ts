/**
 * How much an entity shares with the query, as a number to rank candidates by: the rarity of the
 * words that both have, less for the letters that are left over on either side. Most are lost where
 * both names have some, as one word then stands against another.
 *
 * Beside its votes an entity has two lengths in one number: in the low LENGTH_BITS that of its
 * shortest form with a shared word, above them that of the query's words which it shares, a space
 * behind each.
 */
import { get32 } from './machine.ts';
import { NAMES } from './scratch.ts';
import { scratch } from './sections.ts';
import { LENGTH_BITS, LENGTH_MASK } from './tokens.ts';

/** Number of an entity that shares nothing and has nothing left over. */
const NOTHING_SHARED: i32 = 0x2000;
/** Greatest number of all. */
const MOST: i32 = 0x7fff;
/** Lost per letter: left over on both sides, of the entity's name alone, of the query's alone. */
const CONFLICT: i32 = 100;
const EXTRA: i32 = 25;
const MISSING: i32 = 15;
/** Gained where nothing of an entity's name is left over. */
const WHOLE: i32 = 500;

/** Length of the query's first name. */
let queryLength: i32 = 0;

/** Starts a query. */
export function openInformation(): void {
  const length = get32(scratch + NAMES);
  queryLength = length < LENGTH_MASK ? length : LENGTH_MASK;
}

/** An entity's lengths with a word of the query more, found in a form of `length` at least. */
export function lengthsWith(lengths: i32, length: i32, word: i32): i32 {
  const shortest = lengths & LENGTH_MASK;
  const shared = (lengths >>> LENGTH_BITS) + word + 1;
  return (shared << LENGTH_BITS) | (shortest !== 0 && shortest < length ? shortest : length);
}

/** What an entity with these votes and lengths is ranked by, 1 at least. */
export function informationOf(votes: i32, lengths: i32): i32 {
  const shared = (lengths >>> LENGTH_BITS) - 1;
  const extra = (lengths & LENGTH_MASK) - shared;
  const missing = queryLength - shared;
  const entry = extra > 0 ? extra : 0;
  const query = missing > 0 ? missing : 0;
  const conflict = entry < query ? entry : query;
  const left = conflict * CONFLICT + (entry - conflict) * EXTRA + (query - conflict) * MISSING;
  const rank = NOTHING_SHARED + votes - left + (entry === 0 ? WHOLE : 0);
  return rank < 1 ? 1 : rank < MOST ? rank : MOST;
}

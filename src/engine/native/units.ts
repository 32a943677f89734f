/**
 * Units of retrieval as they lie in a thread's scratch; a unit is a token of the query with the
 * tokens that it may stand for. This file orders units, fits them to the budget, and knows what an
 * entity needs beside a unit to be heard.
 */
import { get32, lowestBit, set32 } from './machine.ts';
import { initialsNeeded, lettersNeeded } from './phoneticVotes.ts';
import { VOTE_UNITS } from './scratch.ts';
import { entityCount, entityInitials, entityLetters, scratch } from './sections.ts';

/**
 * Bytes of a unit, seven i32: first expansion, end of its expansions, postings of all (later the
 * mark of its votes), length of its name and above it of its token, its bit among the units that
 * are heard; over the budget two sets (setNeeds).
 */
export const UNIT_BYTES: i32 = 28;
/**
 * Bytes of an expansion, five i32: next posting, end of its postings, weight, 1 where it sounds
 * like the query's token, and the next posting's entity.
 */
export const EXPANSION_BYTES: i32 = 20;
/** In place of a set's address: all entities are in it. */
export const FULL_SET: i32 = 0;
/** In place of a set's address: no entity is in it. */
export const EMPTY_SET: i32 = -1;

/**
 * Orders the first `count` units by their postings, the fewest first. Returns how many fit the
 * budget `postingsMax`, at least one that has postings.
 */
export function orderUnits(count: i32, postingsMax: i32): i32 {
  const units = scratch + VOTE_UNITS;
  for (let at = 1; at < count; at++) {
    const first = get32(units + at * UNIT_BYTES);
    const end = get32(units + at * UNIT_BYTES + 4);
    const postings = get32(units + at * UNIT_BYTES + 8);
    const own = get32(units + at * UNIT_BYTES + 12);
    const bit = get32(units + at * UNIT_BYTES + 16);
    let place = at;
    while (place > 0 && get32(units + (place - 1) * UNIT_BYTES + 8) > postings) {
      const to = units + place * UNIT_BYTES;
      set32(to, get32(to - UNIT_BYTES));
      set32(to + 4, get32(to - UNIT_BYTES + 4));
      set32(to + 8, get32(to - UNIT_BYTES + 8));
      set32(to + 12, get32(to - UNIT_BYTES + 12));
      set32(to + 16, get32(to - UNIT_BYTES + 16));
      place -= 1;
    }
    set32(units + place * UNIT_BYTES, first);
    set32(units + place * UNIT_BYTES + 4, end);
    set32(units + place * UNIT_BYTES + 8, postings);
    set32(units + place * UNIT_BYTES + 12, own);
    set32(units + place * UNIT_BYTES + 16, bit);
  }
  let spent = 0;
  let kept = 0;
  while (kept < count) {
    const postings = get32(units + kept * UNIT_BYTES + 8);
    if (spent > 0 && spent + postings > postingsMax) break;
    spent += postings;
    kept += 1;
  }
  return kept;
}

/**
 * End of the units that are read at all: from `kept` on, while their postings fit `postingsMax`.
 */
export function unitsWithin(kept: i32, count: i32, postingsMax: i32): i32 {
  let spent = 0;
  let at = kept;
  while (at < count) {
    spent += get32(scratch + VOTE_UNITS + at * UNIT_BYTES + 8);
    if (spent > postingsMax) break;
    at += 1;
  }
  return at;
}

/**
 * Bits of the units from `from` on, whose postings are not read; they tell nothing of an entity.
 */
export function bitsBehind(from: i32, count: i32): i32 {
  let bits = 0;
  for (let at = from; at < count; at++) {
    bits |= get32(scratch + VOTE_UNITS + at * UNIT_BYTES + 16);
  }
  return bits;
}

/**
 * Sets the mark of each of the first `known` units. Units from `kept` on also get the letters that
 * an entity needs which only they find.
 */
export function markUnits(kept: i32, known: i32): void {
  let before = 0;
  for (let at = 0; at < known; at++) {
    const unit = scratch + VOTE_UNITS + at * UNIT_BYTES;
    set32(unit + 8, (at + 1) << 16);
    if (at >= kept) {
      setNeeds(unit, initialsNeeded(get32(unit + 16), before), lettersNeeded(get32(unit + 16)));
    }
    before |= get32(unit + 16);
  }
}

/** Sets the first two sets that an entity must be in; more may be needed. */
function setNeeds(unit: i32, initials: i32, letters: i32): void {
  const first = initials !== 0 ? setOf(entityInitials, initials) : setOf(entityLetters, letters);
  const rest = initials & (initials - 1);
  set32(unit + 20, first);
  if (rest !== 0) set32(unit + 24, setOf(entityInitials, rest));
  else set32(unit + 24, letters !== 0 ? setOf(entityLetters, letters) : first);
}

/**
 * Set of entities with the first of these letters: all where there is no letter, none where letters
 * are below 0.
 */
function setOf(sets: i32, letters: i32): i32 {
  if (letters === 0) return FULL_SET;
  return letters < 0 ? EMPTY_SET : sets + lowestBit(letters) * (((entityCount + 31) >> 5) << 2);
}

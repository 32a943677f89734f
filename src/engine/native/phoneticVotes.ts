/**
 * Whether an entity may be heard (phoneticMatch.ts), as far as its votes tell: one token of a query
 * name is heard in one of its names, and every other token is too or begins with one of its
 * initials. That these are one and the same name, and that no initial serves twice, is not checked
 * here. So no heard entity is missed, but some others pass.
 */
import { get32, lowestBit, set32 } from './machine.ts';
import { nameCount, TOKEN_BYTES } from './query.ts';
import { HEARD_LETTERS, HEARD_NAMES, NAME_BYTES, NAMES } from './scratch.ts';
import { entityCount, entityInitials, entityLetters, scratch } from './sections.ts';

const NAMES_MAX: i32 = 24;
const LETTER_A: i32 = 0x61;
const INITIAL: i32 = 1;

let count: i32 = 0;
/** Whether every name that can be heard was read, and every token of such names has its sounds. */
let isComplete: bool = false;
let haveAllSounds: bool = false;
/** Bits of units that were not read: they count as heard in every entity. */
let assumed: i32 = 0;

/** Starts a query: all sounds are assumed to find room until loseSounds is called. */
export function expectSounds(): void {
  haveAllSounds = true;
}

/** Records that some sounds of the query found no room, so that isHeardKnown says 0. */
export function loseSounds(): void {
  haveAllSounds = false;
}

/** Bit 0..25 of a letter a..z; 0 for any other unit. */
export function letterBit(unit: i32): i32 {
  return unit >= LETTER_A && unit < LETTER_A + 26 ? 1 << (unit - LETTER_A) : 0;
}

/**
 * Whether an entity is in the set of each letter. `sets` are 26 bit sets of entities, one per
 * letter (entityLetters, entityInitials); `letters` below 0 are none that an entity could have.
 */
export function hasLetters(sets: i32, letters: i32, entity: i32): bool {
  if (letters < 0) return false;
  const set = sets + ((entity >> 5) << 2);
  const stride = ((entityCount + 31) >> 5) << 2;
  let rest = letters;
  while (rest !== 0) {
    const bits = get32(set + lowestBit(rest) * stride);
    if (((bits >>> (entity & 31)) & 1) === 0) return false;
    rest &= rest - 1;
  }
  return true;
}

/**
 * Reads the query's names into HEARD_NAMES; their tokens have the bits of their units
 * (expansions.ts). `unread` are bits of units whose postings are not read.
 */
export function openHeard(unread: i32): void {
  count = 0;
  assumed = unread;
  isComplete = haveAllSounds && nameCount <= NAMES_MAX;
  for (let at = 0; at < nameCount && count < NAMES_MAX; at++) {
    const name = scratch + NAMES + at * NAME_BYTES;
    if ((get32(name + 20) & 2) === 0) continue;
    let bits = 0;
    let letters = 0;
    let complete: bool = true;
    for (let token = get32(name + 32); token < get32(name + 36); token++) {
      const query = get32(name + 24) + token * TOKEN_BYTES;
      const bit = get32(query + 28);
      if (get32(query + 4) === INITIAL) {
        letters |= letterBit(get32(query + 16));
      } else if (bit === 0) {
        complete = false;
      } else {
        bits |= bit;
        set32(scratch + HEARD_LETTERS + (lowestBit(bit) << 2), letterBit(get32(query + 16)));
      }
    }
    if (!complete) {
      isComplete = false;
      continue;
    }
    set32(scratch + HEARD_NAMES + (count << 3), bits);
    set32(scratch + HEARD_NAMES + (count << 3) + 4, letters);
    count += 1;
  }
}

/** 1: an entity is not heard where mayBeHeard says so; 0: it may be all the same. */
export function isHeardKnown(): i32 {
  return isComplete ? 1 : 0;
}

/** First letters of the units in `bits`; every letter where a unit begins with none. */
function lettersOf(bits: i32): i32 {
  let rest = bits;
  let letters = 0;
  while (rest !== 0) {
    const letter = get32(scratch + HEARD_LETTERS + (lowestBit(rest) << 2));
    if (letter === 0) return -1;
    letters |= letter;
    rest &= rest - 1;
  }
  return letters;
}

/**
 * Initials (letter bits) that an entity must have to be heard through the unit `bit` when no unit
 * of `without` is heard in it; below 0 where none would be enough.
 */
export function initialsNeeded(bit: i32, without: i32): i32 {
  let needed = -1;
  for (let at = 0; at < count; at++) {
    const bits = get32(scratch + HEARD_NAMES + (at << 3));
    if ((bits & bit) !== 0) needed &= lettersOf(bits & without);
  }
  return needed;
}

/**
 * First letters (letter bits) that an entity must have to be heard through the unit `bit`: those of
 * the query's initials.
 */
export function lettersNeeded(bit: i32): i32 {
  let needed = -1;
  for (let at = 0; at < count; at++) {
    const place = scratch + HEARD_NAMES + (at << 3);
    if ((get32(place) & bit) !== 0) needed &= get32(place + 4);
  }
  return needed;
}

/**
 * Whether an entity may be heard. `heard` has the bits of the units whose sound is in one of its
 * names.
 */
export function mayBeHeard(heard: i32, entity: i32): bool {
  for (let at = 0; at < count; at++) {
    const place = scratch + HEARD_NAMES + (at << 3);
    const letters = get32(place + 4);
    if (!hasLetters(entityLetters, letters, entity)) continue;
    const bits = get32(place);
    if ((bits & (heard | assumed)) === 0) continue;
    const initials = lettersOf(bits & ~(heard | assumed));
    if (hasLetters(entityInitials, initials, entity)) return true;
  }
  return false;
}

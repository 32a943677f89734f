/**
 * Candidates by shared tokens. Each token of the query is a unit of retrieval; its expansions are
 * the dictionary's tokens that it may stand for (expansions.ts), each with a weight: rarity times
 * likeness. A unit gives an entity its best weight once, whatever its number of names.
 *
 * The rarest units are read first until a budget of postings is spent. Of units over the budget
 * only the sounds are read, and only for entities that other units found, that may be heard, or
 * that have the query's nationality. So the work is bounded for any tokens. Reading goes by blocks
 * of 65,536 entities: the votes of a block stay in the cache, and a thread needs memory for one
 * block only.
 */
import { informationOf, lengthsWith, openInformation } from './information.ts';
import { below, copy, fill, get32, quotient, set32 } from './machine.ts';
import { mayBeHeard, openHeard } from './phoneticVotes.ts';
import { cutOf, keepFrom, rankPairs } from './ranking.ts';
import { ATTRIBUTES, EXPANSIONS, VOTE_UNITS } from './scratch.ts';
import {
  entityCount,
  list,
  listMax,
  nationCount,
  nationEntity,
  nationFirst,
  nationKey,
  nationSet,
  scratch,
  votes,
} from './sections.ts';
import { mergeSets } from './sets.ts';
import { isScored, isSought } from './sought.ts';
import { LENGTH_BITS, LENGTH_MASK, lowerBound } from './tokens.ts';
import {
  bitsBehind,
  EMPTY_SET,
  EXPANSION_BYTES,
  FULL_SET,
  markUnits,
  orderUnits,
  UNIT_BYTES,
  unitsWithin,
} from './units.ts';

/** Bits of an entity's place in its block of 65,536. */
export const BLOCK_BITS: i32 = 16;
/** Stands behind the last entity: all postings of an expansion are read. */
export const NO_ENTITY: i32 = 0x7fffffff;
/** Votes lost per character that a form is longer, or shorter, than the query's name. */
const LONGER: i32 = 10;
const SHORTER: i32 = 2;
/** Pairs of an entity and its votes that are gathered between two cuts. */
const PAIRS_MAX: i32 = 16_384;
/** Votes take the low half of a place, the mark of the last unit the high half. */
const VOTE_MASK: i32 = 0xffff;
/** Distance from an entity's votes to the bits of the units that it is heard in. */
const HEARD: i32 = 4 << BLOCK_BITS;
/**
 * Entities that may be heard come before all others, then those with the nationality and one of the
 * sounds.
 */
const HEARD_VOTES: i32 = 0x8000;
const NEAR_VOTES: i32 = 0x4000;
/** Votes for the query's nationality, about its weight in a score. */
const NATION_VOTES: i32 = 320;
/**
 * Postings of units over the budget that are read for entities that others found. Lists of over a
 * million entities have more for a common token: there it is a fifth of the entities.
 */
const KNOWN_POSTINGS: i32 = 200_000;
const KNOWN_SHARE: i32 = 5;

let blockStart: i32 = 0;
let blockEnd: i32 = 0;
let touched: i32 = 0;
let areAssumed: bool = false;
let strong: i32 = 0;
let strongCount: i32 = 0;
let othersCount: i32 = 0;
let cut: i32 = 1;
let heard: i32 = 0;
let near: i32 = 0;
/** Bytes of a bit set of one block's entities. */
const SET_BYTES: i32 = 1 << (BLOCK_BITS - 3);
/**
 * Place of the wanted set behind `touchedSet`: entities with votes, all, none, and those that the
 * current unit may count for.
 */
const WANTED: i32 = 3;

let hasNation: bool = false;
/** Candidates are ranked by the information that they share, heard or not (countShared). */
let isShared: bool = false;
/** Result of touchPostings, exported so that no compiler removes its loads. */
export let loaded: i32 = 0;
/** Bit set of the block's entities that have votes. */
let touchedSet: i32 = 0;

/** Votes of a posting: its expansion's weight, less where the form's length differs. */
function worthOf(weight: i32, length: i32, own: i32): i32 {
  const difference = length - own;
  const worth = weight - (difference > 0 ? difference * LONGER : -difference * SHORTER);
  const least = weight >> 1;
  return worth > least ? worth : least + 1;
}

/**
 * Adds the votes of a posting. Where information is ranked, the length of the words that an entity
 * shares and of its shortest form with one of them are kept beside its votes.
 */
function give(place: i32, before: i32, weight: i32, length: i32, unit: i32): void {
  const mark = get32(unit + 8);
  const lengths = get32(unit + 12);
  if (!isShared) {
    const worth = worthOf(weight, length, lengths & LENGTH_MASK);
    set32(place, mark | ((before & VOTE_MASK) + worth));
    return;
  }
  set32(place, mark | ((before & VOTE_MASK) + weight));
  set32(place + HEARD, lengthsWith(get32(place + HEARD), length, lengths >>> LENGTH_BITS));
}

/** Reads the postings of one expansion that lie in the block. */
function vote(expansion: i32, unit: i32): void {
  const end = get32(expansion + 4);
  const weight = get32(expansion + 8);
  const sound = isShared || get32(expansion + 12) === 0 ? 0 : get32(unit + 16);
  const mark = get32(unit + 8);
  let at = get32(expansion);
  let entity = get32(expansion + 16);
  let to = touched;
  while (entity < blockEnd) {
    const length = get32(at) & LENGTH_MASK;
    const place = votes + ((entity - blockStart) << 2);
    const before = get32(place);
    at += 4;
    if (sound !== 0) set32(place + HEARD, get32(place + HEARD) | sound);
    if ((before & ~VOTE_MASK) !== mark) {
      give(place, before, weight, length, unit);
      set32(to, place);
      if (before === 0) {
        addTo(touchedSet, entity - blockStart);
        to += 4;
      }
    }
    entity = entityAt(at, end);
  }
  set32(expansion, at);
  set32(expansion + 16, entity);
  touched = to;
}

/** Entity of the posting at `at`; NO_ENTITY at the end of an expansion. */
function entityAt(at: i32, end: i32): i32 {
  return at < end ? get32(at) >>> LENGTH_BITS : NO_ENTITY;
}

/**
 * The same for a unit over the budget. Only these entities count: those with votes already, those
 * that may be heard with this unit though no unit before found them, and those with the query's
 * nationality.
 */
function voteKnown(expansion: i32, unit: i32): void {
  const end = get32(expansion + 4);
  const weight = get32(expansion + 8);
  const sound = isShared ? 0 : get32(unit + 16);
  const mark = get32(unit + 8);
  const wanted = touchedSet + WANTED * SET_BYTES;
  let at = get32(expansion);
  let entity = get32(expansion + 16);
  let to = touched;
  while (entity < blockEnd) {
    const inBlock = entity - blockStart;
    const from = at;
    at += 4;
    entity = entityAt(at, end);
    if (!isIn(wanted, inBlock)) continue;
    const place = votes + (inBlock << 2);
    const before = get32(place);
    if (sound !== 0) set32(place + HEARD, get32(place + HEARD) | sound);
    if ((before & ~VOTE_MASK) === mark) continue;
    const length = get32(from) & LENGTH_MASK;
    give(place, before, weight, length, unit);
    set32(to, place);
    if (before !== 0) continue;
    addTo(touchedSet, inBlock);
    to += 4;
  }
  set32(expansion, at);
  set32(expansion + 16, entity);
  touched = to;
}

/** Makes the set of entities that a unit over the budget may count for. */
function makeWanted(unit: i32): void {
  const entities = entityCount - blockStart;
  const bytes = entities < 1 << BLOCK_BITS ? ((entities + 127) >> 7) << 4 : SET_BYTES;
  mergeSets(
    touchedSet + WANTED * SET_BYTES,
    touchedSet,
    nationSet + (blockStart >> 3),
    blockOf(get32(unit + 20)),
    blockOf(get32(unit + 24)),
    bytes,
  );
}

/**
 * Adds the votes of one unit in the block; of a unit over the budget only its sounds, unless
 * candidates are ranked by votes alone.
 */
function voteUnit(at: i32, isKnown: bool): void {
  const unit = scratch + VOTE_UNITS + at * UNIT_BYTES;
  const end = scratch + EXPANSIONS + get32(unit + 4) * EXPANSION_BYTES;
  let place = scratch + EXPANSIONS + get32(unit) * EXPANSION_BYTES;
  if (isKnown) makeWanted(unit);
  for (; place < end; place += EXPANSION_BYTES) {
    if (get32(place + 16) >= blockEnd) continue;
    if (!isKnown) vote(place, unit);
    else if (isShared || get32(place + 12) !== 0) voteKnown(place, unit);
  }
}

/** Makes the set of entities of the query's nationality, where it counts. */
function openNation(): void {
  hasNation = false;
  const nation = isShared ? 0 : get32(scratch + ATTRIBUTES + 28);
  if (nation === 0) return;
  const at = lowerBound(nationKey, nationCount, nation);
  if (at >= nationCount || get32(nationKey + (at << 2)) !== nation) return;
  hasNation = true;
  const end = nationEntity + (get32(nationFirst + (at << 2) + 4) << 2);
  for (let place = nationEntity + (get32(nationFirst + (at << 2)) << 2); place < end; place += 4) {
    addTo(nationSet, get32(place));
  }
}

function closeNation(): void {
  if (hasNation) fill(nationSet, 0, ((entityCount + 63) >> 6) << 3);
}

function isOfNation(entity: i32): bool {
  return hasNation && isIn(nationSet, entity);
}

function isIn(set: i32, at: i32): bool {
  return ((get32(set + ((at >> 5) << 2)) >>> (at & 31)) & 1) !== 0;
}

function addTo(set: i32, at: i32): void {
  const place = set + ((at >> 5) << 2);
  set32(place, get32(place) | (1 << (at & 31)));
}

/**
 * Counts the votes of `unitCount` units and makes the list of candidates, the most votes first
 * within each of three classes. First come entities that may be heard (heardCount), then those with
 * the query's nationality and one of its sounds (nearCount), together at most `strongMax`; last
 * `entitiesMax` others. Returns how many.
 */
export function countVotes(
  unitCount: i32,
  postingsMax: i32,
  entitiesMax: i32,
  strongMax: i32,
): i32 {
  isShared = false;
  return rankVotes(unitCount, postingsMax, entitiesMax, strongMax);
}

/**
 * Makes the list of the `entitiesMax` candidates with the most votes, those first, of the sought
 * schema alone and none that is hidden. Returns how many.
 */
export function countShared(unitCount: i32, postingsMax: i32, entitiesMax: i32): i32 {
  isShared = true;
  openInformation();
  return rankVotes(unitCount, postingsMax, entitiesMax, 0);
}

function rankVotes(unitCount: i32, postingsMax: i32, entitiesMax: i32, strongMax: i32): i32 {
  const kept = orderUnits(unitCount, postingsMax);
  const share = quotient(entityCount, KNOWN_SHARE);
  const known = unitsWithin(kept, unitCount, share > KNOWN_POSTINGS ? share : KNOWN_POSTINGS);
  const unread = bitsBehind(known, unitCount);
  areAssumed = unread !== 0;
  openHeard(unread);
  markUnits(kept, known);
  openNation();
  const touchedStart = votes + (8 << BLOCK_BITS);
  touchedSet = votes + (12 << BLOCK_BITS);
  fill(touchedSet + SET_BYTES, 0xff, SET_BYTES);
  strong = list + (listMax << 1);
  strongCount = 0;
  heard = 0;
  othersCount = 0;
  cut = 1;
  for (let base = 0; base < entityCount; base += 1 << BLOCK_BITS) {
    blockStart = base;
    blockEnd = base + (1 << BLOCK_BITS);
    touched = touchedStart;
    touchPostings(known);
    for (let unit = 0; unit < kept; unit++) voteUnit(unit, false);
    for (let unit = kept; unit < known; unit++) voteUnit(unit, true);
    for (let at = touchedStart; at < touched; at += 4) keep(get32(at), entitiesMax, strongMax);
    fill(touchedSet, 0, SET_BYTES);
  }
  closeNation();
  const ranked = list + listMax * 3;
  const first = rankPairs(strong, strongCount, strongMax, ranked);
  const others = rankPairs(list, othersCount, entitiesMax, ranked + (first << 2));
  copy(list, ranked, (first + others) << 2);
  heard = heard < first ? heard : first;
  near = first - heard;
  return first + others;
}

/** Adds a touched entity to the strong ones or to the others, and clears its place. */
function keep(place: i32, entitiesMax: i32, strongMax: i32): void {
  const entity = blockStart + ((place - votes) >> 2);
  const more = isOfNation(entity) ? NATION_VOTES : 0;
  const own = rankOf((get32(place) & VOTE_MASK) + more, get32(place + HEARD), entity);
  set32(place, 0);
  set32(place + HEARD, 0);
  if (isShared && (!isSought(entity) || isScored(entity))) return;
  if (!isShared && own >= NEAR_VOTES) {
    const to = strong + (strongCount << 3);
    set32(to, entity);
    set32(to + 4, own);
    strongCount += 1;
    if (own >= HEARD_VOTES) heard += 1;
    if (strongCount < PAIRS_MAX) return;
    strongCount = keepFrom(strong, strongCount, cutOf(strong, strongCount, strongMax), strongMax);
    return;
  }
  if (own < cut) return;
  const to = list + (othersCount << 3);
  set32(to, entity);
  set32(to + 4, own);
  othersCount += 1;
  if (othersCount < PAIRS_MAX) return;
  cut = cutOf(list, othersCount, entitiesMax);
  othersCount = keepFrom(list, othersCount, cut, entitiesMax);
}

/** Votes of an entity plus those of its class. */
function rankOf(own: i32, sounds: i32, entity: i32): i32 {
  if (isShared) return informationOf(own, sounds);
  const rest = own < NEAR_VOTES ? own : NEAR_VOTES - 1;
  if (sounds === 0 && !areAssumed) return rest;
  if (mayBeHeard(sounds, entity)) return rest + HEARD_VOTES;
  return sounds !== 0 && isOfNation(entity) ? rest + NEAR_VOTES : rest;
}

/** Loads the first posting of each expansion in the block; no load waits for the one before. */
function touchPostings(unitCount: i32): void {
  let sum = 0;
  for (let at = 0; at < unitCount; at++) {
    const unit = scratch + VOTE_UNITS + at * UNIT_BYTES;
    const end = scratch + EXPANSIONS + get32(unit + 4) * EXPANSION_BYTES;
    let place = scratch + EXPANSIONS + get32(unit) * EXPANSION_BYTES;
    for (; place < end; place += EXPANSION_BYTES) {
      if (get32(place + 16) < blockEnd) sum += get32(get32(place));
    }
  }
  loaded = sum | 0;
}

/** Address of the block's part of a set. */
function blockOf(set: i32): i32 {
  if (set === FULL_SET) return touchedSet + SET_BYTES;
  return set === EMPTY_SET ? touchedSet + 2 * SET_BYTES : set + (blockStart >> 3);
}

/** Entities at the head of the list that may be heard, by the last countVotes. */
export function heardCount(): i32 {
  return heard;
}

/** Entities behind those that have the query's nationality and one of its sounds. */
export function nearCount(): i32 {
  return near;
}

/**
 * Logarithm of a positive number to the base 2, with 6 bits behind the point. In integers, since a
 * machine's own logarithm may differ.
 */
export function logarithm(value: i32): i32 {
  let bits = 0;
  while (!below(value >>> bits, 2)) bits += 1;
  const rest = bits > 6 ? value >>> (bits - 6) : value << (6 - bits);
  return (bits << 6) | (rest & 63);
}

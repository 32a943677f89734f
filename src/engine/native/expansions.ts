/**
 * The dictionary's tokens that a token of the query may stand for: itself; tokens that sound alike;
 * tokens one or two edits away (those with its first letter are filtered by their letters, those
 * with another by what follows it); tokens that it begins or that begin it; tokens with its
 * consonants; and the list's initials. Pairs of neighbouring tokens count joined as well.
 */
import { filterSigns } from './letters.ts';
import { levenshtein } from './levenshtein.ts';
import { copy, fill, get32, getU16, multiply, quotient, set32, setU16 } from './machine.ts';
import { hashUnits } from './nearTokens.ts';
import { soundsAlike } from './phoneticMatch.ts';
import { expectSounds, loseSounds } from './phoneticVotes.ts';
import { isSameToken, nameCount, TOKEN_BYTES } from './query.ts';
import {
  COMPARE,
  EXPANSIONS,
  EXPANSIONS_MAX,
  INPUT,
  NAME_BYTES,
  NAMES,
  SORTED_UNITS,
  TAKEN,
  TAKEN_BITS,
  VOTE_UNITS,
} from './scratch.ts';
import {
  codeCount,
  codeFirstToken,
  codeKey,
  codeToken,
  entityCount,
  list,
  listMax,
  scratch,
  skeletonCount,
  skeletonKey,
  skeletonToken,
  tailCount,
  tailKey,
  tailToken,
  tokenCount,
  tokenFirstPosting,
  tokenOnce,
  tokenPosting,
  tokenStart,
  tokenTwice,
  tokenUnits,
} from './sections.ts';
import { signOf } from './signs.ts';
import { skeletonOf } from './skeleton.ts';
import { setSlot } from './slots.ts';
import {
  findToken,
  LENGTH_BITS,
  LENGTH_MASK,
  lowerBound,
  tokenAtLeast,
  tokenLength,
} from './tokens.ts';
import { EXPANSION_BYTES, UNIT_BYTES } from './units.ts';
import { logarithm, NO_ENTITY } from './votes.ts';

const UNITS_MAX: i32 = 40;
/** Units that have a bit of their own in an entity's votes. */
const HEARD_UNITS_MAX: i32 = 31;
/** Expansions of one unit. */
const UNIT_EXPANSIONS_MAX: i32 = 192;
/** Expansions of one unit that sound like its token: three quarters of TAKEN. */
const UNIT_SOUNDS_MAX: i32 = 1536;
/**
 * An unknown word of this length may be two names in one; a token of its stem may be the first.
 */
const LONG_UNITS: i32 = 9;
const STEM_UNITS: i32 = 4;
const JOINED_MAX: i32 = 128;
/** Likeness, out of 128. */
const SAME: i32 = 128;
const SOUND: i32 = 100;
const STEM_LIKE: i32 = 72;
const SKELETON: i32 = 88;

const INITIAL: i32 = 1;

let units: i32 = 0;
let expansions: i32 = 0;
/** First expansion of the current unit, its postings so far, and how many its own token has. */
let first: i32 = 0;
let postings: i32 = 0;
let ownCount: i32 = 0;
/** Length of the name that the current unit belongs to, and of its own token. */
let nameLength: i32 = 0;
let ownLength: i32 = 0;

function postingsOf(token: i32): i32 {
  return get32(tokenFirstPosting + (token << 2) + 4) - get32(tokenFirstPosting + (token << 2));
}

/** Adds a token to the current unit unless it has it already. */
function expand(token: i32, likeness: i32): void {
  if (expansions - first >= UNIT_EXPANSIONS_MAX) return;
  take(token, likeness, 0);
}

/** Whether the token is new to the current unit; marks it as taken. */
function isNew(token: i32): bool {
  const mask = (1 << TAKEN_BITS) - 1;
  let at = multiply(token, 0x9e3779b1 | 0) >>> (32 - TAKEN_BITS);
  while (true) {
    const place = scratch + TAKEN + (at << 2);
    const taken = get32(place);
    if (taken === token + 1) return false;
    if (taken === 0) {
      set32(place, token + 1);
      return true;
    }
    at = (at + 1) & mask;
  }
}

function take(token: i32, likeness: i32, isSound: i32): void {
  if (expansions >= EXPANSIONS_MAX || expansions - first >= UNIT_SOUNDS_MAX) {
    if (isSound !== 0) loseSounds();
    return;
  }
  if (!isNew(token)) return;
  const start = tokenPosting + (get32(tokenFirstPosting + (token << 2)) << 2);
  const count = postingsOf(token);
  const common = count > ownCount ? count : ownCount;
  const rarity = logarithm(entityCount + 1) - logarithm(common + 1);
  const place = scratch + EXPANSIONS + expansions * EXPANSION_BYTES;
  set32(place, start);
  set32(place + 4, start + (count << 2));
  set32(place + 8, ((rarity > 32 ? rarity : 32) * likeness) >> 7);
  set32(place + 12, isSound);
  set32(place + 16, count === 0 ? NO_ENTITY : get32(start) >>> LENGTH_BITS);
  expansions += 1;
  postings += count;
}

function openUnit(): void {
  fill(scratch + TAKEN, 0, 4 << TAKEN_BITS);
  first = expansions;
  postings = 0;
  ownCount = 0;
}

/** Ends the current unit. `bit` is its bit among the units that are heard, 0 for none. */
function closeUnit(bit: i32): void {
  if (expansions === first) return;
  const place = scratch + VOTE_UNITS + units * UNIT_BYTES;
  set32(place, first);
  set32(place + 4, expansions);
  set32(place + 8, postings);
  const name = nameLength < LENGTH_MASK ? nameLength : LENGTH_MASK;
  set32(place + 12, ((ownLength < LENGTH_MASK ? ownLength : LENGTH_MASK) << LENGTH_BITS) | name);
  set32(place + 16, bit);
  units += 1;
}

/** Adds the tokens with one phonetic code. */
function expandCode(query: i32, code: i32): void {
  if (code === 0) return;
  const at = lowerBound(codeKey, codeCount, code);
  if (at >= codeCount || get32(codeKey + (at << 2)) !== code) return;
  const end = get32(codeFirstToken + (at << 2) + 4);
  for (let place = get32(codeFirstToken + (at << 2)); place < end; place++) {
    const token = get32(codeToken + (place << 2));
    if (soundsAlike(query, token)) take(token, SOUND, 1);
  }
}

/** Adds the tokens near the query's, which re-ranker 1.1 hears too; none if not looked up. */
function expandHeard(query: i32, length: i32): void {
  const end = get32(query + 32) + (get32(query + 36) << 2);
  const likeness = SAME - quotient(SAME, length + 2);
  for (let at = get32(query + 32); at < end; at += 4) take(get32(at), likeness, 1);
}

function expandKey(keys: i32, tokens: i32, count: i32, key: i32, likeness: i32): void {
  let at = lowerBound(keys, count, key);
  while (at < count && get32(keys + (at << 2)) === key) {
    expand(get32(tokens + (at << 2)), likeness);
    at += 1;
  }
}

/** Adds tokens with the query token's first letter that are one or two edits away. */
function expandNear(text: i32, length: i32, most: i32): void {
  const probe = scratch + SORTED_UNITS;
  setU16(probe, getU16(text));
  const from = tokenAtLeast(probe, 1);
  setU16(probe, getU16(text) + 1);
  const to = tokenAtLeast(probe, 1);
  const once = signOf(text, length, 1);
  const twice = signOf(text, length, 2);
  const limit = from + (listMax >> 1) < to ? from + (listMax >> 1) : to;
  const found = filterSigns(tokenOnce, tokenTwice, from, limit, once, twice, most, most, list);
  const slot = (list + (found << 2) + 7) & -8;
  setSlot(slot, text, length);
  let second = 0;
  for (let at = 0; at < found; at++) {
    const token = get32(list + (at << 2));
    const own = tokenLength(token);
    if (own > length + most || own < length - most || own < 3) continue;
    const start = tokenUnits + (get32(tokenStart + (token << 2)) << 1);
    const edits = levenshtein(slot, start, own, scratch + COMPARE);
    if (edits === 1) expand(token, SAME - quotient(SAME, length + 2));
    if (edits !== 2 || most < 2) continue;
    set32(list + (second << 2), token);
    second += 1;
  }
  for (let at = 0; at < second; at++) {
    expand(get32(list + (at << 2)), SAME - quotient(SAME << 1, length + 2));
  }
}

/** Adds tokens that begin with the query token, and tokens that it begins with. */
function expandStems(text: i32, length: i32): void {
  let token = tokenAtLeast(text, length);
  for (let count = 0; count < 24 && token < tokenCount; count++) {
    if (!startsWith(token, text, length)) break;
    const own = tokenLength(token);
    if (own > length && own <= length + 5) expand(token, quotient(SAME * length, own + 2));
    token += 1;
  }
  for (let own = length - 1; own >= 4 && own >= length - 5; own--) {
    const stem = findToken(text, own);
    if (stem >= 0) expand(stem, quotient(SAME * own, length + 2));
  }
}

/** Adds tokens that begin with the first letters of a long unknown one. */
function expandStem(text: i32): void {
  let token = tokenAtLeast(text, STEM_UNITS);
  while (token < tokenCount && startsWith(token, text, STEM_UNITS)) {
    expand(token, STEM_LIKE);
    if (expansions - first >= UNIT_EXPANSIONS_MAX) return;
    token += 1;
  }
}

function startsWith(token: i32, text: i32, length: i32): bool {
  if (tokenLength(token) < length) return false;
  const start = tokenUnits + (get32(tokenStart + (token << 2)) << 1);
  for (let at = 0; at < length << 1; at += 2) {
    if (getU16(start + at) !== getU16(text + at)) return false;
  }
  return true;
}

/** Adds tokens with another first letter, without it, or with one more in front. */
function expandTail(text: i32, length: i32): void {
  const likeness = SAME - quotient(SAME, length + 2);
  expandKey(tailKey, tailToken, tailCount, hashUnits(text + 2, length - 1), likeness);
  expandKey(tailKey, tailToken, tailCount, hashUnits(text, length), likeness);
  const tail = findToken(text + 2, length - 1);
  if (tail >= 0) expand(tail, likeness);
}

/** Makes the unit of one token; `wide` or an unknown token adds other spellings. */
function unitOf(query: i32, wide: i32): void {
  const token = get32(query);
  const text = get32(query + 20);
  const length = get32(query + 24);
  const kind = get32(query + 4);
  openUnit();
  ownLength = length;
  if (token >= 0) {
    ownCount = postingsOf(token);
    take(token, SAME, 1);
  }
  if (wide !== 0 || token < 0) {
    if (kind === 0) {
      expandCode(query, get32(query + 8));
      expandCode(query, get32(query + 12));
      expandHeard(query, length);
    }
    if (length >= 3) expandNear(text, length, length >= 6 ? 2 : 1);
    if (length >= 4) expandTail(text, length);
    if (wide !== 0 && length >= 4) expandStems(text, length);
    if (wide !== 0 && length >= 2) {
      const out = scratch + SORTED_UNITS;
      const count = skeletonOf(text, length, out);
      if (count >= 2) {
        expandKey(skeletonKey, skeletonToken, skeletonCount, hashUnits(out, count), SKELETON);
      }
    }
    if (token < 0 && length >= LONG_UNITS) expandStem(text);
  }
  // A token that is not in the list can only match an initial by sound.
  const bit = units < HEARD_UNITS_MAX ? 1 << units : 0;
  set32(query + 28, bit);
  closeUnit(bit);
}

/**
 * A token that came before, in this name or an earlier one, is no unit: it shares that one's bit.
 */
function isRepeated(query: i32, nameAt: i32, tokenAt: i32): bool {
  for (let other = 0; other <= nameAt; other++) {
    const name = scratch + NAMES + other * NAME_BYTES;
    const count = other === nameAt ? tokenAt : get32(name + 28);
    for (let at = 0; at < count; at++) {
      const before = get32(name + 24) + at * TOKEN_BYTES;
      if (!isSameToken(before, query)) continue;
      set32(query + 28, get32(before + 28));
      return true;
    }
  }
  return false;
}

function joinedUnit(a: i32, b: i32, wide: i32): void {
  const length = get32(a + 24) + get32(b + 24);
  if (length > JOINED_MAX) return;
  const text = scratch + INPUT;
  copy(text, get32(a + 20), get32(a + 24) << 1);
  copy(text + (get32(a + 24) << 1), get32(b + 20), get32(b + 24) << 1);
  const token = findToken(text, length);
  openUnit();
  // With the space between its parts.
  ownLength = length + 1;
  if (token >= 0) expand(token, SAME);
  else if (wide > 1 && length >= 4) expandNear(text, length, length >= 6 ? 2 : 1);
  closeUnit(0);
}

/** An unknown word may be two joined ones: halves that the dictionary has become units. */
function splitUnits(query: i32): void {
  const text = get32(query + 20);
  const length = get32(query + 24);
  for (let at = 3; at + 3 <= length && units + 2 <= UNITS_MAX; at++) {
    const head = findToken(text, at);
    if (head < 0) continue;
    const tail = findToken(text + (at << 1), length - at);
    if (tail < 0) continue;
    openUnit();
    ownLength = at;
    expand(head, SAME);
    closeUnit(0);
    openUnit();
    ownLength = length - at;
    expand(tail, SAME);
    closeUnit(0);
  }
}

/**
 * Makes the units of all tokens of the query, then of joined neighbours, and writes them to
 * VOTE_UNITS and EXPANSIONS. Returns how many units, at most 40. `wide` 1: known tokens get other
 * spellings too; 2: joined neighbours that the list does not have as well.
 */
export function makeUnits(wide: i32): i32 {
  units = 0;
  expansions = 0;
  expectSounds();
  for (let at = 0; at < nameCount; at++) {
    const name = scratch + NAMES + at * NAME_BYTES;
    const count = get32(name + 28);
    nameLength = get32(name);
    const isCoded: bool = (get32(name + 20) & 2) !== 0;
    for (let token = 0; token < count && units < UNITS_MAX; token++) {
      const query = get32(name + 24) + token * TOKEN_BYTES;
      // Beside words an initial finds too many entities; sets of entities by letter stand in for
      // it.
      if (isCoded && get32(query + 4) === INITIAL) continue;
      if (isRepeated(query, at, token)) continue;
      unitOf(query, wide);
      if (wide !== 0 && get32(query) < 0) splitUnits(query);
    }
  }
  for (let at = 0; at < nameCount; at++) {
    const name = scratch + NAMES + at * NAME_BYTES;
    const count = get32(name + 28);
    nameLength = get32(name);
    for (let token = 0; token + 1 < count && units < UNITS_MAX; token++) {
      const query = get32(name + 24) + token * TOKEN_BYTES;
      joinedUnit(query, query + TOKEN_BYTES, wide);
    }
  }
  return units;
}

/** Expansions of the last makeUnits, for benches and tests. */
export function expansionCount(): i32 {
  return expansions;
}

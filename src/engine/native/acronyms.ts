/**
 * Names that a word of the query abbreviates: PLA finds the People's Liberation Army. Sets of
 * entities by the first letters of their words leave few whose names have to be read.
 */
import { get32, getU16, lowestBit, set32 } from './machine.ts';
import { nameCount, TOKEN_BYTES } from './query.ts';
import { NAME_BYTES, NAMES } from './scratch.ts';
import {
  entityCount,
  entityFirstForm,
  entityLetters,
  formFirstToken,
  formToken,
  list,
  scratch,
  tokenStart,
  tokenUnits,
} from './sections.ts';
import { isScored, isSought } from './sought.ts';
import { tokenLength } from './tokens.ts';

const LETTERS_MIN: i32 = 3;
const LETTERS_MAX: i32 = 6;
const LETTER_A: i32 = 0x61;
/** Words of so many letters may be left out of an acronym: of, and, the. */
const SMALL_WORD: i32 = 3;
/** Entities whose names are read. */
const READ_MAX: i32 = 4_096;
const TOKEN_MASK: i32 = (1 << 24) - 1;

/** Whether the word at `text` has only the letters a..z. */
function isPlain(text: i32, length: i32): bool {
  for (let at = 0; at < length; at++) {
    const letter = getU16(text + (at << 1)) - LETTER_A;
    if (letter < 0 || letter >= 26) return false;
  }
  return true;
}

/** Entities, of 32 from `entity` on, that have a word for each letter of the acronym. */
function withLetters(text: i32, length: i32, entity: i32): i32 {
  const stride = ((entityCount + 31) >> 5) << 2;
  const from = entityLetters + ((entity >> 5) << 2);
  let bits = -1;
  for (let at = 0; at < length && bits !== 0; at++) {
    bits &= get32(from + (getU16(text + (at << 1)) - LETTER_A) * stride);
  }
  return bits;
}

function tokenAt(place: i32): i32 {
  return get32(formToken + (place << 2)) & TOKEN_MASK;
}

/** Whether words of the form from `first` on begin with the letters, in their order. */
function beginsAt(first: i32, end: i32, text: i32, length: i32): bool {
  let letter = 0;
  for (let place = first; place < end && letter < length; place++) {
    const token = tokenAt(place);
    const own = tokenLength(token);
    const begin = getU16(tokenUnits + (get32(tokenStart + (token << 2)) << 1));
    if (own > 1 && begin === getU16(text + (letter << 1))) letter += 1;
    else if (letter === 0 || own > SMALL_WORD) return false;
  }
  return letter === length;
}

function isAbbreviated(entity: i32, text: i32, length: i32): bool {
  const end = get32(entityFirstForm + (entity << 2) + 4);
  for (let form = get32(entityFirstForm + (entity << 2)); form < end; form++) {
    const last = get32(formFirstToken + (form << 2) + 4);
    for (let first = get32(formFirstToken + (form << 2)); first + length <= last; first++) {
      if (beginsAt(first, last, text, length)) return true;
    }
  }
  return false;
}

/**
 * Appends entities with a name that a query's name of one word abbreviates to the list's first
 * `count`, up to a count of `most`; returns the new count.
 */
export function addAcronyms(count: i32, most: i32): i32 {
  let found = count;
  let read = 0;
  for (let at = 0; at < nameCount; at++) {
    const name = scratch + NAMES + at * NAME_BYTES;
    if (get32(name + 36) - get32(name + 32) !== 1) continue;
    const token = get32(name + 24) + get32(name + 32) * TOKEN_BYTES;
    const text = get32(token + 20);
    const length = get32(token + 24);
    if (length < LETTERS_MIN || length > LETTERS_MAX || !isPlain(text, length)) continue;
    for (let base = 0; base < entityCount; base += 32) {
      let bits = withLetters(text, length, base);
      while (bits !== 0 && read < READ_MAX && found < most) {
        const entity = base + lowestBit(bits);
        bits &= bits - 1;
        if (!isSought(entity) || isScored(entity)) continue;
        read += 1;
        if (!isAbbreviated(entity, text, length)) continue;
        set32(list + (found << 2), entity);
        found += 1;
      }
    }
  }
  return found;
}

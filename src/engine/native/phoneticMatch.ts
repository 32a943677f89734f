/**
 * Whether an entity matches the query by sound; the kernels call such an entity *heard*. Every
 * token of one query name finds its sound in one and the same name of the entity, and at least one
 * of them is a word that sounds like a word.
 *
 * In names of companies, vessels and the rest a legal form says nothing. The query's legal form is
 * not required, the list's matches an equal word only, and single letters are no initials there.
 */
import { TOKEN_MASK } from './forms.ts';
import { fill, get32, getU8, getU16, setU8 } from './machine.ts';
import { nameCount, TOKEN_BYTES } from './query.ts';
import { NAME_BYTES, NAMES, SPENT } from './scratch.ts';
import {
  entityFirstForm,
  entitySchema,
  formFirstToken,
  formFlags,
  formToken,
  scratch,
  tokenAlternate,
  tokenKind,
  tokenPrimary,
  tokenStart,
  tokenUnits,
} from './sections.ts';

/** Kinds of tokens, as in phonetic.ts. */
const CODED: i32 = 0;
const INITIAL: i32 = 1;
const LITERAL: i32 = 2;
const PERSON: i32 = 1;
const LETTER_A: i32 = 0x61;

let coreStart: i32 = 0;
let coreEnd: i32 = 0;
/** Whether a code matched, not initials alone. */
let hasCode: bool = false;
let firstToken: i32 = 0;
let lastToken: i32 = 0;

function firstUnit(token: i32): i32 {
  return getU16(tokenUnits + (get32(tokenStart + (token << 2)) << 1));
}

/**
 * Whether a query token (query.ts) sounds like a token of the list that is no initial: literal
 * tokens by equality, initials by the first letter, words by a common code.
 */
export function soundsAlike(query: i32, token: i32): bool {
  const kind = get32(query + 4);
  const other = getU8(tokenKind + token);
  if (kind === LITERAL || other === LITERAL) return get32(query) === token;
  if (kind === INITIAL) return firstUnit(token) === get32(query + 16);
  const primary = get32(tokenPrimary + (token << 2));
  const alternate = get32(tokenAlternate + (token << 2));
  const own = get32(query + 8);
  const second = get32(query + 12);
  if (primary === own || primary === second) return true;
  return alternate !== 0 && (alternate === own || alternate === second);
}

/**
 * Words come first: they may match more than one token, so the tokens that need an initial stay the
 * same.
 */
function isTokenHeard(query: i32, isPerson: bool): bool {
  let initials = 0;
  const letter = get32(query + 16);
  for (let at = firstToken; at < lastToken; at++) {
    const token = get32(formToken + (at << 2)) & TOKEN_MASK;
    if (getU8(tokenKind + token) === INITIAL) {
      if (firstUnit(token) === letter) initials += 1;
    } else if (at < coreStart || at >= coreEnd) {
      if (get32(query) === token) {
        if (get32(query + 4) === CODED) hasCode = true;
        return true;
      }
    } else if (soundsAlike(query, token)) {
      if (get32(query + 4) === CODED) hasCode = true;
      return true;
    }
  }
  if (initials === 0 || get32(query + 4) === LITERAL) return false;
  if (get32(query + 4) === CODED && !isPerson) return false;
  const spent = scratch + SPENT + letter - LETTER_A;
  const before = getU8(spent);
  setU8(spent, before + 1);
  return before < initials;
}

function isHeardIn(name: i32, isPerson: bool): bool {
  let start = 0;
  let end = get32(name + 28);
  if (!isPerson) {
    start = get32(name + 32);
    // A single word that is left of a name (`Maria SA`) must be all that is left of the other name
    // too.
    const isOne: bool = get32(name + 36) - start === 1 && end > 1;
    if (isOne && coreEnd - coreStart > 1) return false;
    end = get32(name + 36);
  }
  fill(scratch + SPENT, 0, 26);
  hasCode = false;
  for (let at = start; at < end; at++) {
    if (!isTokenHeard(get32(name + 24) + at * TOKEN_BYTES, isPerson)) return false;
  }
  return hasCode;
}

/**
 * Whether the entity is heard in one of its forms; only forms that have all of `flags` (FORM_CODED,
 * FORM_PRIMARY) count.
 */
export function isHeard(entity: i32, flags: i32): bool {
  const isPerson: bool = getU8(entitySchema + entity) === PERSON;
  const end = get32(entityFirstForm + (entity << 2) + 4);
  for (let form = get32(entityFirstForm + (entity << 2)); form < end; form++) {
    const own = getU8(formFlags + form);
    if ((own & flags) !== flags) continue;
    firstToken = get32(formFirstToken + (form << 2));
    lastToken = get32(formFirstToken + (form << 2) + 4);
    coreStart = firstToken + ((own >> 2) & 1);
    coreEnd = lastToken - (own >> 3);
    for (let at = 0; at < nameCount; at++) {
      const name = scratch + NAMES + at * NAME_BYTES;
      if ((get32(name + 20) & 2) !== 0 && isHeardIn(name, isPerson)) return true;
    }
  }
  return false;
}

/**
 * Whether a query matches a name of the list by sound, from re-ranker 1.1 on (decisions 2.5). A
 * token of four letters or more is also found where it is one edit or one transposition away. An
 * initial counts only where every full word of the list's name is found too, else it would sound
 * like any word of its letter; and only in names of persons.
 */
import { NEAR_UNITS_MIN } from './edits.ts';
import { TOKEN_MASK } from './forms.ts';
import { fill, get32, getU8, getU16, setU8 } from './machine.ts';
import { isNear } from './nearTokens.ts';
import { soundsAlike } from './phoneticMatch.ts';
import { nameCount, TOKEN_BYTES } from './query.ts';
import { FORM_TOKENS_MAX, FOUND, NAME_BYTES, NAMES, SPENT } from './scratch.ts';
import {
  formFirstToken,
  formFlags,
  formToken,
  scratch,
  tokenKind,
  tokenStart,
  tokenUnits,
} from './sections.ts';
import { isTitle } from './titles.ts';

/** Kinds of tokens, as in phonetic.ts. */
const CODED: i32 = 0;
const INITIAL: i32 = 1;
const LETTER_A: i32 = 0x61;
const FORM_CODED: i32 = 2;

/** The current form: the numbers of its tokens, and where its legal forms are left out. */
let tokens: i32 = 0;
let count: i32 = 0;
let coreStart: i32 = 0;
let coreEnd: i32 = 0;
let isPerson: bool = false;
let isTitled: bool = false;
/** Whether a code matched, not initials alone, and whether an initial had to. */
let hasCode: bool = false;
let usesInitial: bool = false;

function tokenAt(at: i32): i32 {
  return get32(tokens + (at << 2)) & TOKEN_MASK;
}

function firstUnit(token: i32): i32 {
  return getU16(tokenUnits + (get32(tokenStart + (token << 2)) << 1));
}

/** Whether a word of the query sounds like words of the form; marks all that it does. */
function findSound(query: i32): bool {
  let isFound: bool = false;
  for (let at = 0; at < count; at++) {
    const token = tokenAt(at);
    if (getU8(tokenKind + token) === INITIAL) continue;
    const isCore: bool = at >= coreStart && at < coreEnd;
    if (isCore ? !soundsAlike(query, token) : get32(query) !== token) continue;
    setU8(scratch + FOUND + at, 1);
    isFound = true;
  }
  return isFound;
}

/** Whether a word that sounds like none is near some; marks all that it is near to. */
function findNearWord(query: i32): bool {
  if (get32(query + 4) !== CODED || get32(query + 24) < NEAR_UNITS_MIN) return false;
  let isFound: bool = false;
  for (let at = coreStart; at < coreEnd; at++) {
    if (!isNear(query, tokenAt(at))) continue;
    setU8(scratch + FOUND + at, 1);
    isFound = true;
  }
  return isFound;
}

function findWord(query: i32): bool {
  if (!findSound(query) && !findNearWord(query)) return false;
  if (get32(query + 4) === CODED) hasCode = true;
  return true;
}

/** Whether the form has one more initial of this letter. */
function spendInitial(letter: i32): bool {
  let initials = 0;
  for (let at = 0; at < count; at++) {
    const token = tokenAt(at);
    if (getU8(tokenKind + token) === INITIAL && firstUnit(token) === letter) initials += 1;
  }
  const spent = scratch + SPENT + letter - LETTER_A;
  const before = getU8(spent);
  setU8(spent, before + 1);
  return before < initials;
}

/** Whether an initial of the query stands for a word that nothing else has found, or an initial. */
function findInitial(query: i32): bool {
  const letter = get32(query + 16);
  for (let at = 0; at < count && isPerson; at++) {
    const token = tokenAt(at);
    if (getU8(tokenKind + token) === INITIAL || firstUnit(token) !== letter) continue;
    if (getU8(scratch + FOUND + at) !== 0) continue;
    setU8(scratch + FOUND + at, 1);
    return true;
  }
  return spendInitial(letter);
}

function isEveryWordFound(): bool {
  for (let at = 0; at < count; at++) {
    const token = tokenAt(at);
    if (getU8(tokenKind + token) === INITIAL || getU8(scratch + FOUND + at) !== 0) continue;
    if (!isTitled || !isTitle(token)) return false;
  }
  return true;
}

function isHeardIn(name: i32): bool {
  const all = get32(name + 28);
  const start = isPerson ? 0 : get32(name + 32);
  const end = isPerson ? all : get32(name + 36);
  // A single word that is left of a name (`Maria SA`) must be all that is left of the other too.
  if (!isPerson && end - start === 1 && all > 1 && coreEnd - coreStart > 1) return false;
  const first = get32(name + 24);
  fill(scratch + SPENT, 0, 26);
  fill(scratch + FOUND, 0, count);
  hasCode = false;
  usesInitial = false;
  for (let at = start; at < end; at++) {
    const query = first + at * TOKEN_BYTES;
    if (get32(query + 4) === INITIAL || findWord(query)) continue;
    if (get32(query + 4) !== CODED || !isPerson || !spendInitial(get32(query + 16))) return false;
    usesInitial = true;
  }
  if (!hasCode) return false;
  for (let at = start; at < end; at++) {
    const query = first + at * TOKEN_BYTES;
    if (get32(query + 4) !== INITIAL) continue;
    if (!findInitial(query)) return false;
    usesInitial = isPerson;
  }
  return !usesInitial || isEveryWordFound();
}

/**
 * Whether a form is heard. `person` 1: a person's name; `titled` 1: it may have titles, which need
 * not be found.
 */
export function isFormHeard(form: i32, person: bool, titled: bool): bool {
  const flags = getU8(formFlags + form);
  const start = get32(formFirstToken + (form << 2));
  count = get32(formFirstToken + (form << 2) + 4) - start;
  if ((flags & FORM_CODED) === 0 || count > FORM_TOKENS_MAX) return false;
  tokens = formToken + (start << 2);
  coreStart = (flags >> 2) & 1;
  coreEnd = count - (flags >> 3);
  isPerson = person;
  isTitled = titled;
  for (let at = 0; at < nameCount; at++) {
    const name = scratch + NAMES + at * NAME_BYTES;
    if ((get32(name + 20) & FORM_CODED) !== 0 && isHeardIn(name)) return true;
  }
  return false;
}

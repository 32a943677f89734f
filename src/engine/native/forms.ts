/**
 * Forms of a list's names. A form is the numbers of its tokens, and its characters are theirs. A
 * thread has one current form, laid out only as far as the kernels ask for it.
 *
 * From re-ranker 1.1 on the sorted order has single letters first, and these in their own order:
 * C.B.A. is not A.B.C.
 */
import { copy, copyShort, get32, getU8, set32, setU8, setU16 } from './machine.ts';
import {
  FORM_TOKENS_MAX,
  NATURAL_BYTES,
  NATURAL_UNITS,
  PLAIN_TOKENS,
  SORTED_BYTES,
  SORTED_TOKENS,
  SORTED_UNITS,
} from './scratch.ts';
import {
  formFirstToken,
  formToken,
  scratch,
  tokenBytes,
  tokenKind,
  tokenOnce,
  tokenStart,
  tokenTwice,
  tokenUnits,
} from './sections.ts';
import { SPACE_BIT } from './signs.ts';
import { isTitle } from './titles.ts';

/** The token's number in an element of `formToken`. */
export const TOKEN_MASK: i32 = 0xffffff;
const SPACE: i32 = 0x20;
const INITIAL: i32 = 1;
/** A name keeps at least this many words beside its titles. */
const PLAIN_MIN: i32 = 2;

/** Length of the current form in UTF-16 units, spaces included. */
export let formLength: i32 = 0;
/** Letter sign of the current form: buckets of letters that occur at least once (signs.ts). */
export let formOnce: i32 = 0;
/** Buckets of letters that occur at least twice in the current form. */
export let formTwice: i32 = 0;
let firstToken: i32 = 0;
let lastToken: i32 = 0;
/** Whether the current form's tokens are in sorted order already. */
export let formSorted: bool = true;
let hasNaturalBytes: bool = false;
let hasNaturalUnits: bool = false;
let hasSortedBytes: bool = false;
let hasSortedUnits: bool = false;
let hasSortedTokens: bool = false;
/** Whether single letters keep their order when a form is sorted. */
let keepsLetters: bool = false;

/** Chooses the sorted order: 1 that of re-ranker 1.1, 0 that of 1.0. */
export function setOrder(rules: i32): void {
  keepsLetters = rules !== 0;
}

/**
 * Makes a form the current one: sets its length, letter sign and order from the dictionary. No
 * characters are written until one of the functions below asks for them.
 */
export function takeForm(form: i32): void {
  firstToken = formToken + (get32(formFirstToken + (form << 2)) << 2);
  lastToken = formToken + (get32(formFirstToken + (form << 2) + 4) << 2);
  takeTokens();
}

/**
 * Takes the current form without its titles; false, and the form as it was, where it has none or
 * too few other words.
 */
export function takeWithoutTitles(): bool {
  const to = scratch + PLAIN_TOKENS;
  if (lastToken - firstToken > FORM_TOKENS_MAX << 2) return false;
  let end = to;
  for (let at = firstToken; at < lastToken; at += 4) {
    const token = get32(at) & TOKEN_MASK;
    if (isTitle(token)) continue;
    set32(end, token);
    end += 4;
  }
  const kept = end - to;
  if (kept === lastToken - firstToken || kept < PLAIN_MIN << 2) return false;
  firstToken = to;
  lastToken = end;
  takeTokens();
  return true;
}

function isLetter(token: i32): bool {
  return getU8(tokenKind + token) === INITIAL;
}

function takeTokens(): void {
  let once = 0;
  let twice = 0;
  let length = -1;
  let before = -1;
  let sorted: bool = true;
  for (let at = firstToken; at < lastToken; at += 4) {
    const token = get32(at) & TOKEN_MASK;
    const own = get32(tokenOnce + (token << 2));
    twice |= get32(tokenTwice + (token << 2)) | (once & own);
    once |= own;
    const units = get32(tokenStart + (token << 2) + 4) - get32(tokenStart + (token << 2));
    length += units + 1;
    if (units === 1 && keepsLetters && isLetter(token)) {
      if (before >= 0) sorted = false;
      continue;
    }
    if (token < before) sorted = false;
    before = token;
  }
  const tokens = (lastToken - firstToken) >> 2;
  if (tokens > 1) once |= SPACE_BIT;
  if (tokens > 2) twice |= SPACE_BIT;
  formOnce = once;
  formTwice = twice;
  formLength = length;
  formSorted = sorted;
  hasNaturalBytes = false;
  hasNaturalUnits = false;
  hasSortedBytes = false;
  hasSortedUnits = false;
  hasSortedTokens = false;
}

/**
 * Address of the current form's characters as bytes, in natural order; 0x80 for what is not ASCII.
 */
export function naturalBytes(): i32 {
  const to = scratch + NATURAL_BYTES;
  if (!hasNaturalBytes) writeBytes(firstToken, lastToken, to);
  hasNaturalBytes = true;
  return to;
}

/** Address of the current form's characters as bytes, its tokens in sorted order. */
export function sortedBytes(): i32 {
  if (formSorted) return naturalBytes();
  const to = scratch + SORTED_BYTES;
  if (!hasSortedBytes) writeBytes(sortedTokens(), sortedEnd(), to);
  hasSortedBytes = true;
  return to;
}

/** Address of the current form's characters as UTF-16 units, in natural order. */
export function naturalUnits(): i32 {
  const to = scratch + NATURAL_UNITS;
  if (!hasNaturalUnits) writeUnits(firstToken, lastToken, to);
  hasNaturalUnits = true;
  return to;
}

/** Address of the current form's characters as UTF-16 units, its tokens in sorted order. */
export function sortedUnits(): i32 {
  if (formSorted) return naturalUnits();
  const to = scratch + SORTED_UNITS;
  if (!hasSortedUnits) writeUnits(sortedTokens(), sortedEnd(), to);
  hasSortedUnits = true;
  return to;
}

function sortedEnd(): i32 {
  return scratch + SORTED_TOKENS + (lastToken - firstToken);
}

/** Token numbers order like their texts, so the sorted form is the numbers sorted. */
function sortedTokens(): i32 {
  const to = scratch + SORTED_TOKENS;
  if (hasSortedTokens) return to;
  hasSortedTokens = true;
  let end = to;
  if (keepsLetters) {
    for (let at = firstToken; at < lastToken; at += 4) {
      const token = get32(at) & TOKEN_MASK;
      if (!isLetter(token)) continue;
      set32(end, token);
      end += 4;
    }
  }
  const words = end;
  for (let at = firstToken; at < lastToken; at += 4) {
    const token = get32(at) & TOKEN_MASK;
    if (keepsLetters && isLetter(token)) continue;
    let place = end;
    while (place > words && get32(place - 4) > token) {
      set32(place, get32(place - 4));
      place -= 4;
    }
    set32(place, token);
    end += 4;
  }
  return to;
}

function writeBytes(from: i32, end: i32, to: i32): void {
  let out = to;
  for (let at = from; at < end; at += 4) {
    const token = get32(at) & TOKEN_MASK;
    const start = get32(tokenStart + (token << 2));
    const bytes = get32(tokenStart + (token << 2) + 4) - start;
    copyShort(out, tokenBytes + start, bytes);
    out += bytes;
    // A space behind the last token does no harm.
    setU8(out, SPACE);
    out += 1;
  }
}

function writeUnits(from: i32, end: i32, to: i32): void {
  let out = to;
  for (let at = from; at < end; at += 4) {
    if (at !== from) {
      setU16(out, SPACE);
      out += 2;
    }
    const token = get32(at) & TOKEN_MASK;
    const start = get32(tokenStart + (token << 2));
    const bytes = (get32(tokenStart + (token << 2) + 4) - start) << 1;
    copy(out, tokenUnits + (start << 1), bytes);
    out += bytes;
  }
}

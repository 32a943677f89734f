/**
 * Words of names as published (the text between two spaces, in UTF-8) → their folded tokens. A list
 * has thirty times as many words as distinct ones, so each distinct word is folded once; finding it
 * again costs a hash of its bytes and no string.
 *
 * Open addressing with linear probing, at most half full. All that a lookup reads of a word lies in
 * its slot, with its first bytes: the dictionary of a large list is in no cache, and each further
 * array would be another wait for memory. Words of one hash, made on purpose, go to a map after
 * PROBES_MAX of them.
 */
import assert from 'node:assert/strict';
import { foldWord } from './foldName.ts';
import { bytes, words } from './growingArray.ts';
import type { TokenTable } from './tokenTable.ts';

/** Numbers of a slot: 32 bytes, half a line of the cache. */
const SLOT = 8;
/** Places in a slot. SIZES has bytes and code points in one number; 0 means an empty slot. */
const HASH = 0;
const SIZES = 1;
/** The word's token where it has one, else the place of its first token in `#list`. */
const TOKEN = 2;
const COUNT_AND_ROLES = 3;
/** The first INLINE_BYTES bytes, and the place of the others. */
const INLINE = 4;
const REST = 7;
const INLINE_BYTES = 12;
const HALF = 0xffff;
const SLOTS_START = 1 << 13;
/** Slots that a lookup tries before it turns to the map. */
const PROBES_MAX = 128;
/** Bytes of the longest word; a longer name is not split into words. */
const WORD_BYTES_MAX = 512;

/**
 * Finds the folded tokens of a word, and folds it where it is new. `find` sets the word that the
 * getters and `token` then read.
 */
export class WordTable {
  readonly #tokens: TokenTable;
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  readonly #rest = bytes();
  readonly #list = words();
  #slots = new Int32Array(SLOTS_START * SLOT);
  #count = 0;
  readonly #far = new Map<string, Int32Array>();
  /** Slot of the word that was found last: it begins at `#at`. */
  #found: Int32Array = this.#slots;
  #at = 0;
  /** The first 12 bytes of the sought word, as three numbers. */
  #first = 0;
  #second = 0;
  #third = 0;

  constructor(tokens: TokenTable) {
    this.#tokens = tokens;
  }

  /** Upper bound of the code points of the found word when it is folded. */
  get codePoints(): number {
    return (this.#found[this.#at + SIZES] as number) & HALF;
  }

  /** Number of tokens of the found word. */
  get count(): number {
    return (this.#found[this.#at + COUNT_AND_ROLES] as number) & HALF;
  }

  /** Roles of all tokens of the found word together. */
  get roles(): number {
    return (this.#found[this.#at + COUNT_AND_ROLES] as number) >>> 16;
  }

  /** Number of the found word's token at `place` (0..count-1). */
  token(place: number): number {
    const token = this.#found[this.#at + TOKEN] as number;
    return this.count === 1 ? token : this.#list.at(token + place);
  }

  /** Finds the word `text[start..end)`, which must have 1..512 bytes. */
  find(text: Uint8Array, start: number, end: number): void {
    const hash = this.#hashOf(text, start, end);
    const slots = this.#slots;
    const mask = slots.length - 1;
    let at = Math.imul(hash, SLOT) & mask;
    this.#found = slots;
    for (let probe = 0; probe < PROBES_MAX; probe++) {
      const sizes = slots[at + SIZES] as number;
      if (sizes === 0) {
        this.#add(text.subarray(start, end), hash, at);
        return;
      }
      if (slots[at + HASH] === hash && sizes >>> 16 === end - start && this.#is(at, text, start)) {
        this.#at = at;
        return;
      }
      at = (at + SLOT) & mask;
    }
    this.#findFar(text.subarray(start, end), hash);
  }

  #hashOf(text: Uint8Array, start: number, end: number): number {
    const whole = start + ((end - start) & ~3);
    let hash = end - start;
    let at = start;
    this.#first = 0;
    this.#second = 0;
    this.#third = 0;
    for (; at <= end; at += 4) {
      let part = 0;
      if (at < whole) {
        const high = (text[at + 2] as number) | ((text[at + 3] as number) << 8);
        part = (text[at] as number) | ((text[at + 1] as number) << 8) | (high << 16);
      } else {
        for (let byte = end - 1; byte >= at; byte--) part = (part << 8) | (text[byte] as number);
      }
      if (at === start) this.#first = part;
      else if (at === start + 4) this.#second = part;
      else if (at === start + 8) this.#third = part;
      hash = Math.imul(hash ^ part, 0x9e3779b1);
      hash ^= hash >>> 15;
    }
    return hash;
  }

  /** Whether the bytes of a slot agree with the word; hash and length already do. */
  #is(at: number, text: Uint8Array, start: number): boolean {
    const slots = this.#slots;
    if (slots[at + INLINE] !== this.#first) return false;
    if (slots[at + INLINE + 1] !== this.#second) return false;
    if (slots[at + INLINE + 2] !== this.#third) return false;
    const count = (slots[at + SIZES] as number) >>> 16;
    const rest = this.#rest.room(0);
    const from = slots[at + REST] as number;
    for (let byte = INLINE_BYTES; byte < count; byte++) {
      if (rest[from + byte - INLINE_BYTES] !== text[start + byte]) return false;
    }
    return true;
  }

  #add(text: Uint8Array, hash: number, at: number): void {
    if (this.#count * 2 * SLOT >= this.#slots.length) {
      this.#grow();
      this.find(text, 0, text.length);
      return;
    }
    this.#count += 1;
    this.#at = at;
    this.#fill(this.#slots, at, text, hash);
  }

  #findFar(text: Uint8Array, hash: number): void {
    const key = this.#decoder.decode(text);
    let slot = this.#far.get(key);
    if (slot === undefined) {
      slot = new Int32Array(SLOT);
      this.#fill(slot, 0, text, hash);
      this.#far.set(key, slot);
    }
    this.#found = slot;
    this.#at = 0;
  }

  #fill(slots: Int32Array, at: number, text: Uint8Array, hash: number): void {
    assert(text.length > 0 && text.length <= WORD_BYTES_MAX, 'words have 1 to 512 bytes');
    const folded = foldWord(this.#decoder.decode(text));
    const numbers = folded.tokens.map((token) => this.#tokens.intern(token));
    let roles = 0;
    for (const number of numbers) roles |= this.#tokens.roles[number] as number;
    slots[at + HASH] = hash;
    slots[at + SIZES] = (text.length << 16) | Math.min(folded.codePointsMax, HALF);
    slots[at + TOKEN] = numbers.length === 1 ? (numbers[0] as number) : this.#list.length;
    if (numbers.length > 1) this.#list.pushAll(numbers);
    slots[at + COUNT_AND_ROLES] = numbers.length | (roles << 16);
    slots[at + INLINE] = this.#first;
    slots[at + INLINE + 1] = this.#second;
    slots[at + INLINE + 2] = this.#third;
    slots[at + REST] = this.#rest.length;
    if (text.length > INLINE_BYTES) this.#rest.pushAll(text.subarray(INLINE_BYTES));
  }

  #grow(): void {
    const from = this.#slots;
    const slots = new Int32Array(from.length * 2);
    const mask = slots.length - 1;
    for (let old = 0; old < from.length; old += SLOT) {
      if (from[old + SIZES] === 0) continue;
      let at = Math.imul(from[old + HASH] as number, SLOT) & mask;
      while (slots[at + SIZES] !== 0) at = (at + SLOT) & mask;
      for (let field = 0; field < SLOT; field++) slots[at + field] = from[old + field] as number;
    }
    this.#slots = slots;
  }
}

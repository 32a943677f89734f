/**
 * Which clients were seen in which quarters, for a million clients and more: 24 bytes a slot in one
 * typed array, open addressing by the last word of the id, and no object a client.
 *
 *   slot: [id u32 × 4][quarters u32 × 2]    an id of zeros is an empty slot; one bit a quarter
 */
import assert from 'node:assert/strict';

const WORDS = 6;
const ID_WORDS = 4;
const WORD_BITS = 32;
/** Quarters that a slot has bits for: sixteen years. */
export const QUARTERS_MAX = WORD_BITS * (WORDS - ID_WORDS);
const FIRST_SLOTS = 1_024;
/** Half of the slots stay empty, so that a look ends soon. */
const LOAD_MAX = 0.5;
const HEX_A_WORD = 8;
const HEX = 16;

export class ClientQuarters {
  #slots = FIRST_SLOTS;
  #words = new Uint32Array(FIRST_SLOTS * WORDS);
  #clients = 0;

  get clients(): number {
    return this.#clients;
  }

  /** Whether it is the first time; `clientId` is a UUID, `quarter` 0 to QUARTERS_MAX - 1. */
  add(clientId: string, quarter: number): boolean {
    assert(quarter >= 0 && quarter < QUARTERS_MAX);
    if (this.#clients + 1 > this.#slots * LOAD_MAX) this.#grow();
    const at = this.#placeOf(wordsOf(clientId));
    const word = at + ID_WORDS + Math.floor(quarter / WORD_BITS);
    const bit = 2 ** (quarter % WORD_BITS);
    const known = this.#words[word] ?? 0;
    if (Math.floor(known / bit) % 2 === 1) return false;
    this.#words[word] = known + bit;
    return true;
  }

  /** Where the id stands, or is put now. */
  #placeOf(id: readonly number[]): number {
    let slot = (id[ID_WORDS - 1] ?? 0) % this.#slots;
    for (;;) {
      const at = slot * WORDS;
      if (id.every((word, index) => this.#words[at + index] === word)) return at;
      if (isEmpty(this.#words, at)) {
        this.#words.set(id, at);
        this.#clients += 1;
        return at;
      }
      slot = (slot + 1) % this.#slots;
    }
  }

  #grow(): void {
    const former = this.#words;
    this.#slots *= 2;
    this.#words = new Uint32Array(this.#slots * WORDS);
    this.#clients = 0;
    for (let at = 0; at < former.length; at += WORDS) {
      if (isEmpty(former, at)) continue;
      const place = this.#placeOf([...former.subarray(at, at + ID_WORDS)]);
      this.#words.set(former.subarray(at + ID_WORDS, at + WORDS), place + ID_WORDS);
    }
  }
}

const isEmpty = (words: Uint32Array, at: number): boolean => {
  for (let word = at; word < at + ID_WORDS; word++) if (words[word] !== 0) return false;
  return true;
};

function wordsOf(uuid: string): readonly number[] {
  const hex = uuid.replaceAll('-', '');
  assert.equal(hex.length, HEX_A_WORD * ID_WORDS);
  const words = Array.from({ length: ID_WORDS }, (_, word) =>
    Number.parseInt(hex.slice(word * HEX_A_WORD, (word + 1) * HEX_A_WORD), HEX),
  );
  assert(words.some((word) => word !== 0));
  return words;
}

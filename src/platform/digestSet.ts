/**
 * A set of SHA-256 in hex, for millions of them: 63 bits of each, in open addressing at most three
 * quarters full, 11 to 22 bytes each where a Set of strings takes some 130.
 *
 * It may report a digest that was never added, once in 2^63 for each that it holds. So it may be
 * used only where that does no harm, for example in keeping a blob that no record names.
 */
import assert from 'node:assert/strict';

const SLOTS_MIN = 1 << 10;
const WORD_DIGITS = 8;

export class DigestSet {
  /** Pairs; the first of a pair is odd where the slot is taken. */
  #words = new Uint32Array(SLOTS_MIN * 2);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(digest: string): void {
    const low = lowOf(digest);
    const high = highOf(digest);
    if (!put(this.#words, low, high)) return;
    this.#size++;
    if (this.#size * 8 > this.#words.length * 3) this.#grow();
  }

  has(digest: string): boolean {
    const low = lowOf(digest);
    const slot = slotOf(this.#words, low, highOf(digest));
    return this.#words[slot] === low;
  }

  #grow(): void {
    const before = this.#words;
    this.#words = new Uint32Array(before.length * 2);
    for (let slot = 0; slot < before.length; slot += 2) {
      const low = before[slot] ?? 0;
      if (low !== 0) put(this.#words, low, before[slot + 1] ?? 0);
    }
  }
}

const lowOf = (digest: string): number => (wordAt(digest, 0) | 1) >>> 0;
const highOf = (digest: string): number => wordAt(digest, WORD_DIGITS);

function wordAt(digest: string, from: number): number {
  const word = Number.parseInt(digest.slice(from, from + WORD_DIGITS), 16);
  assert(!Number.isNaN(word), 'a digest in hex');
  return word;
}

/** The slot of the digest, or the one where it belongs. */
function slotOf(words: Uint32Array, low: number, high: number): number {
  const mask = words.length - 1;
  let slot = (high * 2) & mask;
  while (words[slot] !== 0 && (words[slot] !== low || words[slot + 1] !== high)) {
    slot = (slot + 2) & mask;
  }
  return slot;
}

/** False where it is there already. */
function put(words: Uint32Array, low: number, high: number): boolean {
  const slot = slotOf(words, low, high);
  if (words[slot] !== 0) return false;
  words[slot] = low;
  words[slot + 1] = high;
  return true;
}

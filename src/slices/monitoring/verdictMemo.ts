/**
 * Verdicts that were given, by what was compared with what: most payments are between parties that
 * were seen before, and a comparison costs a hundred times as much as remembering it. A verdict
 * names the transaction at which the comparison was made, whose evidence it stands on.
 *
 * Two generations: once the young one is full it becomes the old one, and what is asked for again
 * is young again. Slots are numbers in typed arrays, 25 bytes each, which no collector walks; they
 * are parted into shelves, so that one grows at a time.
 */
import { DECISIONS, type Decision } from '#slices/screening';

/** A verdict that was given before. */
export interface KnownVerdict {
  readonly decision: Decision;
  /** Number of the transaction at which it was given. */
  readonly since: number;
  /** Where the comparison has an event of its own. */
  readonly screeningId?: string;
}

/** Verdicts of one generation; there are two. */
const GENERATION_MAX = 500_000;
/** Verdicts with a screening of their own, which are few. */
const MATCHES_MAX = 20_000;
const SLOTS_FIRST = 1 << 6;
const TOLD = 64;
const KEY_WORDS = 4;
const WORD_BYTES = 4;

/** Verdicts by key: a digest. */
export class VerdictMemo {
  readonly #max: number;
  #young = new Generation();
  #old = new Generation();

  constructor(max = GENERATION_MAX) {
    this.#max = max;
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  find(key: Buffer): KnownVerdict | undefined {
    const young = this.#young.find(key);
    if (young !== undefined) return young;
    const old = this.#old.find(key);
    if (old !== undefined) this.add(key, old);
    return old;
  }

  add(key: Buffer, verdict: KnownVerdict): void {
    if (this.#young.size >= this.#max || this.#young.matches >= MATCHES_MAX) {
      this.#old = this.#young;
      this.#young = new Generation();
    }
    this.#young.add(key, verdict);
  }
}

const SHELVES = 32;

class Generation {
  matches = 0;
  size = 0;
  readonly #shelves = Array.from({ length: SHELVES }, () => new Shelf());

  find(key: Buffer): KnownVerdict | undefined {
    return this.#shelfOf(key).find(key);
  }

  add(key: Buffer, verdict: KnownVerdict): void {
    const shelf = this.#shelfOf(key);
    const [matches, size] = [shelf.matches, shelf.size];
    shelf.add(key, verdict);
    this.matches += shelf.matches - matches;
    this.size += shelf.size - size;
  }

  #shelfOf(key: Buffer): Shelf {
    const shelf = this.#shelves[key.readUInt8(KEY_WORDS * WORD_BYTES) % SHELVES];
    if (shelf === undefined) throw new RangeError('a key has more than 16 bytes');
    return shelf;
  }
}

class Shelf {
  size = 0;
  #slots = SLOTS_FIRST;
  #keys = new Uint32Array(SLOTS_FIRST * KEY_WORDS);
  #since = new Float64Array(SLOTS_FIRST);
  /** Decision and 1, and TOLD where there is a screening; 0 is an empty slot. */
  #decisions = new Uint8Array(SLOTS_FIRST);
  readonly #screenings = new Map<string, string>();

  get matches(): number {
    return this.#screenings.size;
  }

  find(key: Buffer): KnownVerdict | undefined {
    const slot = this.#slotOf(wordsOf(key));
    const code = this.#decisions[slot] ?? 0;
    if (code === 0) return undefined;
    const decision = DECISIONS[(code % TOLD) - 1] ?? 'CLEAR';
    const since = this.#since[slot] ?? 0;
    const screeningId = code < TOLD ? undefined : this.#screenings.get(nameOf(key));
    return { decision, since, ...(screeningId !== undefined && { screeningId }) };
  }

  add(key: Buffer, { decision, screeningId, since }: KnownVerdict): void {
    if ((this.size + 1) * 2 > this.#slots) this.#grow();
    const words = wordsOf(key);
    const slot = this.#slotOf(words);
    if (this.#decisions[slot] === 0) this.size += 1;
    const code = DECISIONS.indexOf(decision) + 1 + (screeningId === undefined ? 0 : TOLD);
    this.#put(slot, words, { code, since });
    if (screeningId !== undefined) this.#screenings.set(nameOf(key), screeningId);
  }

  #put(
    slot: number,
    words: Uint32Array,
    { code, since }: { readonly code: number; readonly since: number },
  ): void {
    this.#keys.set(words, slot * KEY_WORDS);
    this.#since[slot] = since;
    this.#decisions[slot] = code;
  }

  /** The slot of this key, or the empty one in which it would be. */
  #slotOf(words: Uint32Array): number {
    const mask = this.#slots - 1;
    let slot = (words[0] ?? 0) & mask;
    while (this.#decisions[slot] !== 0 && !this.#isAt(slot, words)) slot = (slot + 1) & mask;
    return slot;
  }

  #isAt(slot: number, words: Uint32Array): boolean {
    const from = slot * KEY_WORDS;
    for (let at = 0; at < KEY_WORDS; at++) if (this.#keys[from + at] !== words[at]) return false;
    return true;
  }

  #grow(): void {
    const [keys, since, decisions] = [this.#keys, this.#since, this.#decisions];
    const before = this.#slots;
    this.#slots = before * 2;
    this.#keys = new Uint32Array(this.#slots * KEY_WORDS);
    this.#since = new Float64Array(this.#slots);
    this.#decisions = new Uint8Array(this.#slots);
    for (let slot = 0; slot < before; slot++) {
      const code = decisions[slot] ?? 0;
      if (code === 0) continue;
      const words = keys.subarray(slot * KEY_WORDS, (slot + 1) * KEY_WORDS);
      this.#put(this.#slotOf(words), words, { code, since: since[slot] ?? 0 });
    }
  }
}

/** Half a digest: who wants another party to have the key of this one would have to invert it. */
function wordsOf(key: Buffer): Uint32Array {
  const words = new Uint32Array(KEY_WORDS);
  for (let at = 0; at < KEY_WORDS; at++) words[at] = key.readUInt32LE(at * WORD_BYTES);
  return words;
}

const nameOf = (key: Buffer): string => key.toString('base64', 0, KEY_WORDS * WORD_BYTES);

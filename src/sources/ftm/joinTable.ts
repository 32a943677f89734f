/**
 * Facts to be joined into entities, stored by entity id until the entities come.
 *
 * Why not a Map of arrays: a file of a million entities has about as many relations, and objects
 * would take several times their text. Here a record is its bytes in one growing store and the next
 * record of the same key; keys are found by an open-addressed table of 32-bit words.
 *
 *   store:  per record [next record u32][key bytes u16][text bytes u32][key][text]
 *   slots:  [first record + 1 u32], at most half of them taken
 *   counts: [records of that key u32], beside the slots
 *
 * Memory: 10 bytes, key and text a record, and 16 to 32 bytes a key. The store is in pages, so
 * growing never copies it. All of it is shared memory, so threads may read it once nothing is added
 * any more. Records of a key come back in no particular order.
 */
import assert from 'node:assert/strict';

const PAGE_BYTES = 4 * 1024 * 1024;
const HEAD_BYTES = 10;
const KEY_BYTES_MAX = 1_000;
/** Longer ones are cut: a join is one line of text. */
const TEXT_BYTES_MAX = 64 * 1024;
/** Records are addressed in units of 16 bytes, which makes 64 GiB of them. */
const UNIT_BYTES = 16;

/** A table for another thread, which adds nothing to it. */
export interface SharedJoins {
  readonly pages: readonly SharedArrayBuffer[];
  readonly slots: Uint32Array<SharedArrayBuffer>;
  readonly counts: Uint32Array<SharedArrayBuffer>;
}

export class JoinTable {
  readonly #pages: Buffer<SharedArrayBuffer>[] = [];
  #pageUsed = PAGE_BYTES;
  #slots = words(1 << 12);
  #counts = words(1 << 12);
  #keyCount = 0;

  constructor(shared?: SharedJoins) {
    if (shared === undefined) return;
    this.#pages = shared.pages.map((page) => Buffer.from(page));
    this.#slots = shared.slots;
    this.#counts = shared.counts;
  }

  shared(): SharedJoins {
    const pages = this.#pages.map(({ buffer }) => buffer);
    return { counts: this.#counts, pages, slots: this.#slots };
  }

  add(key: string, text: string): void {
    const keyBytes = Buffer.from(key);
    let textBytes = Buffer.from(text);
    if (keyBytes.length > KEY_BYTES_MAX) return;
    if (textBytes.length > TEXT_BYTES_MAX) textBytes = textBytes.subarray(0, TEXT_BYTES_MAX);
    if (this.#keyCount * 2 >= this.#slots.length) this.#grow();
    const slot = this.#slotOf(keyBytes);
    const next = this.#slots[slot] ?? 0;
    if (next === 0) this.#keyCount++;
    this.#slots[slot] = this.#append(next, keyBytes, textBytes) + 1;
    this.#counts[slot] = (this.#counts[slot] ?? 0) + 1;
  }

  count(key: string): number {
    return this.#counts[this.#slotOf(Buffer.from(key))] ?? 0;
  }

  /** In no order. */
  *keys(): Generator<string> {
    for (const first of this.#slots) if (first !== 0) yield this.#keyAt(first - 1).toString();
  }

  of(key: string): string[] {
    const texts: string[] = [];
    let at = this.#slots[this.#slotOf(Buffer.from(key))] ?? 0;
    while (at !== 0) {
      const { page, offset } = this.#locate(at - 1);
      const start = offset + HEAD_BYTES + page.readUInt16LE(offset + 4);
      texts.push(page.toString('utf8', start, start + page.readUInt32LE(offset + 6)));
      at = page.readUInt32LE(offset);
    }
    return texts;
  }

  #append(next: number, key: Buffer, text: Buffer): number {
    const bytes = HEAD_BYTES + key.length + text.length;
    assert(bytes <= PAGE_BYTES);
    if (this.#pageUsed + bytes > PAGE_BYTES) {
      this.#pages.push(Buffer.from(new SharedArrayBuffer(PAGE_BYTES)));
      this.#pageUsed = 0;
    }
    const page = this.#pages.at(-1);
    assert(page);
    const offset = this.#pageUsed;
    page.writeUInt32LE(next, offset);
    page.writeUInt16LE(key.length, offset + 4);
    page.writeUInt32LE(text.length, offset + 6);
    key.copy(page, offset + HEAD_BYTES);
    text.copy(page, offset + HEAD_BYTES + key.length);
    this.#pageUsed = Math.ceil((offset + bytes) / UNIT_BYTES) * UNIT_BYTES;
    return ((this.#pages.length - 1) * PAGE_BYTES + offset) / UNIT_BYTES;
  }

  #locate(record: number): { page: Buffer; offset: number } {
    const position = record * UNIT_BYTES;
    const page = this.#pages[Math.floor(position / PAGE_BYTES)];
    assert(page);
    return { page, offset: position % PAGE_BYTES };
  }

  /** The slot of the key, or the empty one where it would go. */
  #slotOf(key: Buffer): number {
    const mask = this.#slots.length - 1;
    let slot = hash(key) & mask;
    for (;;) {
      const first = this.#slots[slot] ?? 0;
      if (first === 0 || this.#keyAt(first - 1).equals(key)) return slot;
      slot = (slot + 1) & mask;
    }
  }

  #keyAt(record: number): Buffer {
    const { page, offset } = this.#locate(record);
    const start = offset + HEAD_BYTES;
    return page.subarray(start, start + page.readUInt16LE(offset + 4));
  }

  #grow(): void {
    const { length } = this.#slots;
    const former = { slots: this.#slots, counts: this.#counts };
    this.#slots = words(length * 2);
    this.#counts = words(length * 2);
    for (let index = 0; index < length; index++) {
      const first = former.slots[index] ?? 0;
      if (first === 0) continue;
      const slot = this.#slotOf(this.#keyAt(first - 1));
      this.#slots[slot] = first;
      this.#counts[slot] = former.counts[index] ?? 0;
    }
  }
}

const words = (length: number) => new Uint32Array(new SharedArrayBuffer(length * 4));

/** FNV-1a with a last mix; a file made to collide makes its own import slow and nothing else. */
function hash(key: Buffer): number {
  let value = 0x811c9dc5;
  for (const byte of key) value = Math.imul(value ^ byte, 0x01000193);
  value ^= value >>> 15;
  value = Math.imul(value, 0x85ebca6b);
  return (value ^ (value >>> 13)) >>> 0;
}

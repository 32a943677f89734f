/**
 * Ids → numbers from 0, in typed arrays: a Map of a million strings takes four times the memory.
 *
 *   bytes    the ids' UTF-8, one after another
 *   starts   [first byte u32 × ids + 1]
 *   slots    [number + 1 u32], open addressing, at most half of them taken
 */
const ID_BYTES_MAX = 64 * 1024;
const scratch = Buffer.allocUnsafeSlow(ID_BYTES_MAX);

export class IdTable {
  #bytes = Buffer.allocUnsafeSlow(1 << 16);
  #starts = new Uint32Array(1 << 10);
  #slots = new Uint32Array(1 << 11);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** The id's number; a new id gets the next one. */
  intern(id: string): number {
    const length = scratch.write(id);
    const slot = this.#slotOf(length);
    const found = this.#slots[slot] ?? 0;
    if (found !== 0) return found - 1;
    const number = this.#count;
    this.#append(length);
    this.#slots[slot] = number + 1;
    if (this.#count * 2 >= this.#slots.length) this.#growSlots();
    return number;
  }

  find(id: string): number | undefined {
    const found = this.#slots[this.#slotOf(scratch.write(id))] ?? 0;
    return found === 0 ? undefined : found - 1;
  }

  idOf(number: number): string {
    return this.#bytes.toString('utf8', this.#starts[number], this.#starts[number + 1]);
  }

  /** The slot of the id in the scratch buffer, or the one where it belongs. */
  #slotOf(length: number): number {
    const mask = this.#slots.length - 1;
    let slot = hashOf(scratch, 0, length) & mask;
    for (;;) {
      const found = this.#slots[slot] ?? 0;
      if (found === 0 || this.#isScratch(found - 1, length)) return slot;
      slot = (slot + 1) & mask;
    }
  }

  #isScratch(number: number, length: number): boolean {
    const start = this.#starts[number] ?? 0;
    const end = this.#starts[number + 1] ?? 0;
    return end - start === length && scratch.compare(this.#bytes, start, end, 0, length) === 0;
  }

  #append(length: number): void {
    const start = this.#starts[this.#count] ?? 0;
    if (start + length > this.#bytes.length) {
      this.#bytes = Buffer.concat([this.#bytes], Math.max(start + length, this.#bytes.length * 2));
    }
    scratch.copy(this.#bytes, start, 0, length);
    this.#count++;
    if (this.#count === this.#starts.length) {
      const grown = new Uint32Array(this.#starts.length * 2);
      grown.set(this.#starts);
      this.#starts = grown;
    }
    this.#starts[this.#count] = start + length;
  }

  #growSlots(): void {
    this.#slots = new Uint32Array(this.#slots.length * 2);
    const mask = this.#slots.length - 1;
    for (let number = 0; number < this.#count; number++) {
      const start = this.#starts[number] ?? 0;
      let slot = hashOf(this.#bytes, start, this.#starts[number + 1] ?? start) & mask;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
      this.#slots[slot] = number + 1;
    }
  }
}

/** FNV-1a, with the high bits folded in, since slots use the low ones. */
function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 0;
}

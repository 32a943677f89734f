/**
 * Which findings of a tenant entries tell, each by the first half of its id and of its digest: 33
 * bytes, and some eight of index. Half a digest is 128 bits, which nobody who writes rows hits.
 *
 * [ids 16 B × count][digests 16 B × count][current 1 B × count]   in the order of their first entry
 * [slots u32 × 2^k]   place + 1 of an id, open addressing; at most two thirds are taken
 */

const HALF_BYTES = 16;
const FIRST_COUNT = 64;

/** A finding as an entry tells it. */
export interface ToldSighting {
  readonly id: string;
  readonly digest: string;
  readonly isCurrent: boolean;
}

/** Findings of one tenant; the last entry that names one holds. */
export class ToldFindings {
  #count = 0;
  #ids = Buffer.alloc(FIRST_COUNT * HALF_BYTES);
  #digests = Buffer.alloc(FIRST_COUNT * HALF_BYTES);
  #current = Buffer.alloc(FIRST_COUNT);
  #slots = new Uint32Array(2 * FIRST_COUNT);

  /** How many there are. */
  get count(): number {
    return this.#count;
  }

  /** What an entry says. Entries are read in the order of the chain. */
  take({ digest, id, isCurrent }: ToldSighting): void {
    const half = halfOf(id);
    let place = this.#placeOf(half);
    if (place === undefined) {
      place = this.#count;
      if ((place + 1) * HALF_BYTES > this.#ids.length) this.#grow();
      this.#count += 1;
      half.copy(this.#ids, place * HALF_BYTES);
      this.#index(place);
    }
    halfOf(digest).copy(this.#digests, place * HALF_BYTES);
    this.#current[place] = isCurrent ? 1 : 0;
  }

  /** The place of the first entry that tells of it, among all; undefined where none does. */
  placeOf(id: string): number | undefined {
    return this.#placeOf(halfOf(id));
  }

  /** Whether it is one that the last screening still found. */
  isCurrent(id: string): boolean {
    const place = this.placeOf(id);
    return place !== undefined && this.#current[place] === 1;
  }

  /** Whether this is the digest that its last entry names. */
  isDigest(id: string, digest: string): boolean {
    const place = this.placeOf(id);
    if (place === undefined) return false;
    const from = place * HALF_BYTES;
    return this.#digests.subarray(from, from + HALF_BYTES).equals(halfOf(digest));
  }

  /** The first half of the id at a place, in hex. */
  nameAt(place: number): string {
    return this.#ids.toString('hex', place * HALF_BYTES, (place + 1) * HALF_BYTES);
  }

  #placeOf(half: Buffer): number | undefined {
    const mask = this.#slots.length - 1;
    for (let slot = half.readUInt32LE(0) & mask; ; slot = (slot + 1) & mask) {
      const taken = this.#slots[slot] ?? 0;
      if (taken === 0) return undefined;
      const from = (taken - 1) * HALF_BYTES;
      if (this.#ids.compare(half, 0, HALF_BYTES, from, from + HALF_BYTES) === 0) return taken - 1;
    }
  }

  #index(place: number): void {
    const mask = this.#slots.length - 1;
    let slot = this.#ids.readUInt32LE(place * HALF_BYTES) & mask;
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
    this.#slots[slot] = place + 1;
  }

  #grow(): void {
    const grown = (former: Buffer) => Buffer.concat([former], former.length * 2);
    this.#ids = grown(this.#ids);
    this.#digests = grown(this.#digests);
    this.#current = grown(this.#current);
    this.#slots = new Uint32Array(this.#slots.length * 2);
    for (let place = 0; place < this.#count; place++) this.#index(place);
  }
}

const halfOf = (hex: string): Buffer => {
  const half = Buffer.alloc(HALF_BYTES);
  half.write(hex.slice(0, 2 * HALF_BYTES), 'hex');
  return half;
};

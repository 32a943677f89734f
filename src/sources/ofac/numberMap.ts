/**
 * Numbers by number, some 12 to 24 bytes each where a Map takes fifty: a file of the advanced model
 * has half a dozen for each party. Keys are those of the format, safe integers without a sign.
 *
 * The file's author chooses the keys, and may know how they are mixed. The walk from slot to slot
 * is therefore bounded, and a file whose ids need a longer one is damage, not an hour of work.
 */
import { DomainError } from '#core/kernel';

const FIRST_ROOM = 1 << 10;
const HIGH = 2 ** 32;
/** Odd, and unlike each other: what differs in both halves of a key does not cancel out. */
const OF_HIGH = 0x85ebca6b;
const OF_LOW = 0x9e3779b1;
const OF_BOTH = 0xc2b2ae35;
/**
 * Steps of a walk. For ids without malice the longest one through a table of 2^30 is some hundred
 * slots.
 */
const WALK_MAX = 1_024;

export class NumberMap {
  #size = 0;
  #keys = new Float64Array(FIRST_ROOM);
  /** Value + 1, 0 where none is; at most half of them are taken. */
  #values = new Uint32Array(FIRST_ROOM);

  /** Undefined where it was never set. */
  get(key: number): number | undefined {
    const value = this.#values[this.#slotOf(key)] ?? 0;
    return value === 0 ? undefined : value - 1;
  }

  has(key: number): boolean {
    return this.#values[this.#slotOf(key)] !== 0;
  }

  /** `value` is under 2^32 - 1. */
  set(key: number, value: number): void {
    const slot = this.#slotOf(key);
    if (this.#values[slot] === 0) this.#size++;
    this.#keys[slot] = key;
    this.#values[slot] = value + 1;
    if (2 * this.#size >= this.#values.length) this.#grow();
  }

  /** Throws `list-damaged` where too many keys need the same slots. */
  #slotOf(key: number): number {
    const mask = this.#values.length - 1;
    let slot = mixed(key) & mask;
    for (let walked = 0; this.#values[slot] !== 0 && this.#keys[slot] !== key; walked++) {
      if (walked === WALK_MAX) throw new DomainError('list-damaged', { detail: 'made-up ids' });
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  #grow(): void {
    const [keys, values] = [this.#keys, this.#values];
    this.#keys = new Float64Array(2 * keys.length);
    this.#values = new Uint32Array(2 * values.length);
    for (const [from, value] of values.entries()) {
      if (value === 0) continue;
      const key = keys[from] ?? 0;
      const to = this.#slotOf(key);
      this.#keys[to] = key;
      this.#values[to] = value;
    }
  }
}

/** Every bit of the key moves the lowest ones, which choose the slot. */
function mixed(key: number): number {
  const low = Math.imul(key, OF_LOW);
  const high = Math.imul(Math.floor(key / HIGH), OF_HIGH);
  const both = Math.imul((low ^ (low >>> 15)) + (high ^ (high >>> 13)), OF_BOTH);
  return (both ^ (both >>> 16)) >>> 0;
}

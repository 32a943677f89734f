/**
 * Numbers by number, some 12 to 24 bytes each where a Map takes fifty: a file of the advanced
 * model has half a dozen for each party. Keys are those of the format, safe integers of no sign.
 */
const FIRST_ROOM = 1 << 10;
const GOLDEN = 0x9e3779b1;
const HIGH = 2 ** 32;

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

  #slotOf(key: number): number {
    const mask = this.#values.length - 1;
    const mixed = Math.imul(key ^ Math.floor(key / HIGH), GOLDEN);
    let slot = (mixed >>> 7) & mask;
    while (this.#values[slot] !== 0 && this.#keys[slot] !== key) slot = (slot + 1) & mask;
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

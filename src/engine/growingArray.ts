/**
 * Typed arrays that grow while an index is built. An ordinary array of numbers would cost eight
 * times the memory.
 */
type NumberArray = Uint8Array | Uint16Array | Uint32Array | Int32Array;

/**
 * Append-only numbers of one element type; the room doubles from 1,024 elements on. `at` is not
 * checked against the length.
 */
export class GrowingArray<T extends NumberArray> {
  #values: T;
  #length = 0;
  readonly #make: (length: number) => T;

  constructor(make: (length: number) => T) {
    this.#make = make;
    this.#values = make(1024);
  }

  get length(): number {
    return this.#length;
  }

  push(value: number): void {
    this.#reserve(this.#length + 1);
    this.#values[this.#length] = value;
    this.#length += 1;
  }

  pushAll(values: ArrayLike<number>): void {
    this.#reserve(this.#length + values.length);
    this.#values.set(values, this.#length);
    this.#length += values.length;
  }

  at(index: number): number {
    return this.#values[index] ?? 0;
  }

  /**
   * The backing array, with room for `count` more values behind `length`: fill it, then call
   * `advance`. Valid until the next call that adds.
   */
  room(count: number): T {
    this.#reserve(this.#length + count);
    return this.#values;
  }

  /** Takes `count` values that were written into the room. */
  advance(count: number): void {
    this.#length += count;
  }

  /** Drops all values and keeps the memory. */
  clear(): void {
    this.#length = 0;
  }

  /** The values so far; a view, valid until the next push. */
  view(): T {
    return this.#values.subarray(0, this.#length) as T;
  }

  #reserve(needed: number): void {
    if (needed <= this.#values.length) return;
    const outgrown = this.#values;
    this.#values = this.#make(Math.max(needed, outgrown.length * 2));
    this.#values.set(outgrown);
    releaseArray(outgrown);
  }
}

/**
 * Frees an array's memory at once by detaching its buffer; every array over that buffer is empty
 * afterwards. The next garbage collection comes late where memory is in arrays. A shared buffer is
 * left alone.
 */
export function releaseArray({ buffer }: NumberArray): void {
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}

/** Copies the values of `from` to the start of the larger array `to`, and returns `to`. */
export function grown<T extends NumberArray>(from: NumberArray, to: T): T {
  to.set(from);
  return to;
}

/** An empty growing array of u8. */
export const bytes = () => new GrowingArray((length) => new Uint8Array(length));
/** An empty growing array of u16. */
export const shorts = () => new GrowingArray((length) => new Uint16Array(length));
/** An empty growing array of u32. */
export const words = () => new GrowingArray((length) => new Uint32Array(length));
/** An empty growing array of i32. */
export const integers = () => new GrowingArray((length) => new Int32Array(length));

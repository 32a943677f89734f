/**
 * The uids of a file, by position and by themselves. A file may have millions; as strings in a Set
 * they take a hundred bytes each, as numbers twelve. A uid that is no plain number stays a string.
 */
const FIRST_ROOM = 1 << 10;
const GOLDEN = 0x9e3779b1;
/** Digits that a 32-bit number holds for certain. */
const DIGITS_MAX = 9;

export class UidList {
  #size = 0;
  /** By position: the number; -1 where it is no number. */
  #numbers = new Int32Array(FIRST_ROOM);
  /** Position + 1 of a number, 0 where none is; at most half of them are taken. */
  #slots = new Int32Array(2 * FIRST_ROOM);
  readonly #textAt = new Map<number, string>();
  readonly #texts = new Set<string>();

  get size(): number {
    return this.#size;
  }

  /** False, and nothing is added, where it came before. */
  add(uid: string): boolean {
    const number = numberOf(uid);
    if (number < 0) {
      if (this.#texts.has(uid)) return false;
      this.#texts.add(uid);
      this.#textAt.set(this.#size, uid);
    } else {
      const slot = this.#slotOf(number);
      if (this.#slots[slot] !== 0) return false;
      this.#slots[slot] = this.#size + 1;
    }
    this.#numbers[this.#size++] = number;
    if (this.#size === this.#numbers.length) this.#grow();
    return true;
  }

  at(position: number): string {
    const number = this.#numbers[position] ?? -1;
    return number < 0 ? (this.#textAt.get(position) ?? '') : String(number);
  }

  #slotOf(number: number): number {
    const mask = this.#slots.length - 1;
    let slot = (Math.imul(number, GOLDEN) >>> 7) & mask;
    for (;;) {
      const found = this.#slots[slot] ?? 0;
      if (found === 0 || this.#numbers[found - 1] === number) return slot;
      slot = (slot + 1) & mask;
    }
  }

  #grow(): void {
    const numbers = new Int32Array(2 * this.#numbers.length);
    numbers.set(this.#numbers);
    this.#numbers = numbers;
    this.#slots = new Int32Array(2 * numbers.length);
    for (let position = 0; position < this.#size; position++) {
      const number = numbers[position] ?? -1;
      if (number >= 0) this.#slots[this.#slotOf(number)] = position + 1;
    }
  }
}

/**
 * The number, if it is written the same way again; -1 for anything else: `007`, ten digits,
 * letters.
 */
function numberOf(uid: string): number {
  if (uid.length === 0 || uid.length > DIGITS_MAX || (uid.length > 1 && uid[0] === '0')) return -1;
  let number = 0;
  for (let at = 0; at < uid.length; at++) {
    const digit = uid.charCodeAt(at) - 0x30;
    if (digit < 0 || digit > 9) return -1;
    number = 10 * number + digit;
  }
  return number;
}

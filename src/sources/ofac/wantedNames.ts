/**
 * The names to look up, as two hashes each, and the entries that were found to have them. A large
 * file looks up hundreds of thousands; objects would take ten times these words.
 */
const FIRST_ROOM = 1 << 10;
const FIELDS = 4;
const FIRST = 0;
const SECOND = 1;
/** Position of the entry whose own name it is, and of the one whose alias it is. */
export const OWN = 2;
export const ALIAS = 3;
export type Kind = typeof OWN | typeof ALIAS;
export const NOBODY = -1;
export const SEVERAL = -2;

const GOLDEN = 0x9e3779b1;

export class WantedNames {
  #count = 0;
  #fields = new Int32Array(FIELDS * FIRST_ROOM);
  /** Number of the name + 1, 0 where none is; at most half of them are taken. */
  #slots = new Int32Array(2 * FIRST_ROOM);

  want(first: number, second: number): void {
    const slot = this.#slotOf(first, second);
    if (this.#slots[slot] !== 0) return;
    const at = FIELDS * this.#count++;
    this.#slots[slot] = this.#count;
    this.#fields[at + FIRST] = first;
    this.#fields[at + SECOND] = second;
    this.#fields[at + OWN] = NOBODY;
    this.#fields[at + ALIAS] = NOBODY;
    if (at + FIELDS === this.#fields.length) this.#grow();
  }

  /** Records that an entry has the name; no effect where the name is not wanted. */
  found(kind: Kind, [first, second]: readonly [number, number], position: number): void {
    const number = (this.#slots[this.#slotOf(first, second)] ?? 0) - 1;
    if (number < 0) return;
    const at = FIELDS * number + kind;
    const known = this.#fields[at] ?? NOBODY;
    this.#fields[at] = known === NOBODY || known === position ? position : SEVERAL;
  }

  /** The position of the entry with this name, NOBODY or SEVERAL. */
  holder(kind: Kind, first: number, second: number): number {
    const number = (this.#slots[this.#slotOf(first, second)] ?? 0) - 1;
    return number < 0 ? NOBODY : (this.#fields[FIELDS * number + kind] ?? NOBODY);
  }

  #slotOf(first: number, second: number): number {
    const mask = this.#slots.length - 1;
    let slot = (Math.imul(first ^ (second >>> 11), GOLDEN) >>> 7) & mask;
    for (;;) {
      const at = FIELDS * ((this.#slots[slot] ?? 0) - 1);
      if (at < 0) return slot;
      if (this.#fields[at + FIRST] === first && this.#fields[at + SECOND] === second) return slot;
      slot = (slot + 1) & mask;
    }
  }

  #grow(): void {
    const fields = new Int32Array(2 * this.#fields.length);
    fields.set(this.#fields);
    this.#fields = fields;
    this.#slots = new Int32Array(2 * this.#slots.length);
    for (let number = 0; number < this.#count; number++) {
      const at = FIELDS * number;
      this.#slots[this.#slotOf(fields[at + FIRST] ?? 0, fields[at + SECOND] ?? 0)] = number + 1;
    }
  }
}

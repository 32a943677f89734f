/**
 * Answers of a pure function by a text, the recently asked ones kept: names repeat their words, and
 * the bound keeps a hostile stream of new ones from growing this. Two generations: when the younger
 * is full it becomes the older, and what is asked again comes back into the younger.
 */
const KEY_UNITS_MAX = 64;

/** Longer texts than KEY_UNITS_MAX are answered anew each time. */
export class RecentMemo<V> {
  readonly #make: (key: string) => V;
  readonly #most: number;
  #young = new Map<string, V>();
  #old = new Map<string, V>();

  /** At most twice `most` answers are kept. */
  constructor(most: number, make: (key: string) => V) {
    this.#most = most;
    this.#make = make;
  }

  get(key: string): V {
    if (key.length > KEY_UNITS_MAX) return this.#make(key);
    const known = this.#young.get(key);
    if (known !== undefined) return known;
    const value = this.#old.get(key) ?? this.#make(key);
    if (this.#young.size >= this.#most) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
    return value;
  }
}

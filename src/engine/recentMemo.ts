/**
 * A bounded cache for a pure function of a text. Names repeat their words, and the bound keeps a
 * hostile stream of new ones from growing the cache. It has two generations: when the younger is
 * full it becomes the older, and an entry that is asked for again moves back into the younger.
 */
/** Longest text that is cached, in UTF-16 units. */
const KEY_UNITS_MAX = 64;

/**
 * Caches the answers of `make`, which must be pure. Texts longer than 64 units are computed anew
 * each time.
 */
export class RecentMemo<V> {
  readonly #make: (key: string) => V;
  readonly #most: number;
  #young = new Map<string, V>();
  #old = new Map<string, V>();

  /** Keeps at most twice `most` answers. */
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

/**
 * Jaro-Winkler similarity of two folded names: 0 shares nothing, 1 is equal. Scale 0.1, prefix of
 * at most 4, boosted only above a Jaro of 0.7, transpositions halved and not floored: digit for
 * digit what npm's jaro-winkler answers, which the tests hold it to.
 *
 * Why bit-parallel: one name (the query) is compared with thousands. It is laid out once as bit
 * sets, one per distinct character; each character of the other name then finds its first free
 * partner inside the window with a few bit operations in place of a loop. Matching is greedy from
 * the left on one side or on the other: both pick the same pairs, so the order of the arguments
 * does not matter.
 *
 * A thread makes one JaroWinkler per query form and reuses it: nothing is allocated per comparison.
 */
import assert from 'node:assert/strict';

/** UTF-16 units of a folded name; foldName caps names below it. */
export const NAME_UNITS_MAX = 1024;
const WORDS_MAX = NAME_UNITS_MAX / 32;
const PREFIX_MAX = 4;
const SCALE = 0.1;
const BOOST_ABOVE = 0.7;
const ASCII = 128;
const ROUNDING = 1e-9;

/** Matched characters of the other name, in its order; one comparison at a time per thread. */
const matchedUnits = new Uint16Array(NAME_UNITS_MAX);
const matchedBits = new Int32Array(WORDS_MAX);

/** All bits from `low` to `high` of one word, both included. */
function bitRange(low: number, high: number): number {
  return (-1 << low) & (-1 >>> (31 - high));
}

/** One name made ready to be compared with many. */
export class JaroWinkler {
  /** Row of a unit in `#rows`, 0 where the name does not hold it. */
  readonly #rowOf = new Uint8Array(0x10000);
  #rows = new Int32Array(WORDS_MAX * 64);
  readonly #units = new Uint16Array(NAME_UNITS_MAX);
  #rowCount = 0;
  #words = 0;
  #length = 0;
  /** Bit sets of ASCII units for names of up to 64 of them, which nearly all are. */
  readonly #low = new Int32Array(ASCII);
  readonly #high = new Int32Array(ASCII);
  #isShortAscii = true;

  /** Takes `units[start..end)` as the name; what was set before is forgotten. */
  set(units: Uint16Array, start: number, end: number): void {
    assert(end - start <= NAME_UNITS_MAX, 'a name is capped when it is folded');
    for (let at = 0; at < this.#length; at++) this.#forget(this.#units[at] ?? 0);
    this.#length = end - start;
    this.#isShortAscii = this.#length <= 64;
    this.#words = (this.#length + 31) >>> 5;
    this.#rowCount = 0;
    for (let at = 0; at < this.#length; at++) this.#place(at, units[start + at] ?? 0);
  }

  #forget(unit: number): void {
    this.#rowOf[unit] = 0;
    if (unit >= ASCII) return;
    this.#low[unit] = 0;
    this.#high[unit] = 0;
  }

  #place(at: number, unit: number): void {
    this.#units[at] = unit;
    if (unit >= ASCII) this.#isShortAscii = false;
    else if (at < 32) this.#low[unit] = (this.#low[unit] ?? 0) | (1 << at);
    else this.#high[unit] = (this.#high[unit] ?? 0) | (1 << (at & 31));
    let row = this.#rowOf[unit] ?? 0;
    if (row === 0) {
      // A name of over 254 distinct characters is no name: later ones count as unmatched.
      if (this.#rowCount === 254) return;
      this.#rowCount += 1;
      row = this.#rowCount;
      this.#rowOf[unit] = row;
      const needed = (row + 1) * this.#words;
      if (needed > this.#rows.length) this.#grow(needed);
      this.#rows.fill(0, row * this.#words, needed);
    }
    const word = row * this.#words + (at >>> 5);
    this.#rows[word] = (this.#rows[word] ?? 0) | (1 << (at & 31));
  }

  #grow(needed: number): void {
    const rows = new Int32Array(needed * 2);
    rows.set(this.#rows);
    this.#rows = rows;
  }

  /**
   * Similarity of the name and `units[start..end)`. Where the matches alone show that it is below
   * `least`, the rest is spared and 0 given.
   */
  compare(units: Uint16Array, start: number, end: number, least = 0): number {
    const length = end - start;
    if (length === 0 || this.#length === 0) return 0;
    const window = (Math.max(length, this.#length) >>> 1) - 1;
    const matches = this.#match(units, start, length, window);
    if (matches === 0) return length === 1 && this.#isEqual(units, start, length) ? 1 : 0;
    if (matches === length && length === this.#length && this.#isEqual(units, start, length)) {
      return 1;
    }
    const most = (matches / this.#length + matches / length + 1) / 3 + ROUNDING;
    if (least > 0 && this.#boosted(most, units, start, length) < least) return 0;
    const half = this.#transpositions() / 2;
    const jaro = (matches / this.#length + matches / length + (matches - half) / matches) / 3;
    return this.#boosted(jaro, units, start, length);
  }

  #isEqual(units: Uint16Array, start: number, length: number): boolean {
    if (length !== this.#length) return false;
    for (let at = 0; at < length; at++) if (units[start + at] !== this.#units[at]) return false;
    return true;
  }

  #boosted(jaro: number, units: Uint16Array, start: number, length: number): number {
    if (jaro <= BOOST_ABOVE) return jaro;
    const most = Math.min(PREFIX_MAX, length, this.#length);
    let prefix = 0;
    while (prefix < most && units[start + prefix] === this.#units[prefix]) prefix += 1;
    return jaro + prefix * SCALE * (1 - jaro);
  }

  #match(units: Uint16Array, start: number, length: number, window: number): number {
    if (!this.#isShortAscii) return this.#matchWords(units, start, length, window);
    if (this.#words === 1) return this.#matchOneWord(units, start, length, window);
    return this.#matchTwoWords(units, start, length, window);
  }

  #matchOneWord(units: Uint16Array, start: number, length: number, window: number): number {
    const sets = this.#low;
    const last = this.#length - 1;
    const end = Math.min(length, last + window + 1);
    let free = -1;
    let matches = 0;
    for (let at = 0; at < end; at++) {
      const unit = units[start + at] as number;
      if (unit >= ASCII) continue;
      const low = at > window ? at - window : 0;
      const high = Math.min(at + window, last);
      if (high < low) continue;
      const found = (sets[unit] as number) & free & (-1 << low) & (-1 >>> (31 - high));
      if (found === 0) continue;
      free &= ~(found & -found);
      matchedUnits[matches] = unit;
      matches += 1;
    }
    matchedBits[0] = ~free;
    return matches;
  }

  #matchTwoWords(units: Uint16Array, start: number, length: number, window: number): number {
    const last = this.#length - 1;
    const end = Math.min(length, last + window + 1);
    let freeLow = -1;
    let freeHigh = -1;
    let matches = 0;
    for (let at = 0; at < end; at++) {
      const unit = units[start + at] as number;
      if (unit >= ASCII) continue;
      const low = at > window ? at - window : 0;
      const high = Math.min(at + window, last);
      if (high < low) continue;
      let found = 0;
      if (low < 32) {
        const until = high < 32 ? -1 >>> (31 - high) : -1;
        found = (this.#low[unit] as number) & freeLow & (-1 << low) & until;
        freeLow &= ~(found & -found);
      }
      if (found === 0 && high >= 32) {
        const from = low > 32 ? -1 << (low - 32) : -1;
        found = (this.#high[unit] as number) & freeHigh & from & (-1 >>> (63 - high));
        freeHigh &= ~(found & -found);
      }
      if (found === 0) continue;
      matchedUnits[matches] = unit;
      matches += 1;
    }
    matchedBits[0] = ~freeLow;
    matchedBits[1] = ~freeHigh;
    return matches;
  }

  #matchWords(units: Uint16Array, start: number, length: number, window: number): number {
    const words = this.#words;
    const last = this.#length - 1;
    matchedBits.fill(0, 0, words);
    let matches = 0;
    for (let at = 0; at < length; at++) {
      const unit = units[start + at] ?? 0;
      const row = this.#rowOf[unit] ?? 0;
      if (row === 0) continue;
      const low = at > window ? at - window : 0;
      if (low > last) break;
      const high = Math.min(at + window, last);
      if (high >= low && this.#takeFirst(row * words, low, high)) {
        matchedUnits[matches] = unit;
        matches += 1;
      }
    }
    return matches;
  }

  /** Marks the first free bit of a row between `low` and `high`; false where there is none. */
  #takeFirst(rowStart: number, low: number, high: number): boolean {
    const lastWord = high >>> 5;
    for (let word = low >>> 5; word <= lastWord; word++) {
      const from = word === low >>> 5 ? low & 31 : 0;
      const to = word === lastWord ? high & 31 : 31;
      const taken = matchedBits[word] ?? 0;
      const found = (this.#rows[rowStart + word] ?? 0) & ~taken & bitRange(from, to);
      if (found === 0) continue;
      matchedBits[word] = taken | (found & -found);
      return true;
    }
    return false;
  }

  /** Matched characters that differ from the one at their place in the other name's order. */
  #transpositions(): number {
    let count = 0;
    let order = 0;
    for (let word = 0; word < this.#words; word++) {
      let bits = matchedBits[word] ?? 0;
      while (bits !== 0) {
        const at = (word << 5) + 31 - Math.clz32(bits & -bits);
        if (this.#units[at] !== matchedUnits[order]) count += 1;
        order += 1;
        bits &= bits - 1;
      }
    }
    return count;
  }
}

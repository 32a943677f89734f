/**
 * The words of a dictionary that differ from a word by one slip of the keyboard: a letter more, one
 * less, another one, or two that changed places; from longer words by two of them. Each word of the
 * dictionary is entered under itself and under itself without each of its letters; two words that
 * are near share such an entry.
 *
 * Eight bytes an entry, nine entries a word of eight letters.
 */
import { words } from './growingArray.ts';
import type { Snapshot } from './snapshotFormat.ts';
import { lowerBound, sortPairs } from './sortedPairs.ts';

type Dictionary = Pick<Snapshot, 'tokenStart' | 'tokenUnits'>;

/** Shorter words have too many neighbours that are other words. */
const NEAR_UNITS_MIN = 4;
/** From so many letters on two slips are forgiven. */
const TWO_SLIPS_UNITS_MIN = 8;
/** Longer words are names of nobody. */
const NEAR_UNITS_MAX = 40;
const ASCII_END = 0x80;

const hashOf = (text: string, without: number): number => {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) {
    if (at !== without) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  hash ^= hash >>> 15;
  return hash >>> 0;
};

const isFit = (text: string): boolean =>
  text.length >= NEAR_UNITS_MIN && text.length <= NEAR_UNITS_MAX;

/** See the head of the file. */
export class NearWords {
  readonly #dictionary: Dictionary;
  readonly #keys: Uint32Array;
  readonly #tokens: Uint32Array;

  constructor(dictionary: Dictionary) {
    this.#dictionary = dictionary;
    const keys = words();
    const tokens = words();
    const count = dictionary.tokenStart.length - 1;
    for (let token = 0; token < count; token++) {
      const text = this.text(token);
      if (!isFit(text) || !isLatin(text)) continue;
      for (let without = -1; without < text.length; without++) {
        keys.push(hashOf(text, without));
        tokens.push(token);
      }
    }
    const sorted = sortPairs(keys.view(), tokens.view());
    this.#keys = sorted.keys;
    this.#tokens = sorted.values;
  }

  /** The word of a token. */
  text(token: number): string {
    const { tokenStart, tokenUnits } = this.#dictionary;
    return String.fromCharCode(...tokenUnits.subarray(tokenStart[token], tokenStart[token + 1]));
  }

  /** The token of exactly this word; -1 where the dictionary lacks it. */
  exact(word: string): number {
    const count = this.#dictionary.tokenStart.length - 1;
    let [low, high] = [0, count];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#order(middle, word) < 0) low = middle + 1;
      else high = middle;
    }
    return low < count && this.#order(low, word) === 0 ? low : -1;
  }

  /** Negative, zero or positive, as the token stands before, at or behind the word. */
  #order(token: number, word: string): number {
    const { tokenStart, tokenUnits } = this.#dictionary;
    const start = tokenStart[token] as number;
    const length = (tokenStart[token + 1] as number) - start;
    for (let at = 0; at < length && at < word.length; at++) {
      const difference = (tokenUnits[start + at] as number) - word.charCodeAt(at);
      if (difference !== 0) return difference;
    }
    return length - word.length;
  }

  /** Tokens near this word, itself among them, with the slips between. */
  near(word: string): ReadonlyMap<number, number> {
    const found = new Map<number, number>();
    if (!isFit(word) || !isLatin(word)) return found;
    const most = word.length >= TWO_SLIPS_UNITS_MIN ? 2 : 1;
    for (let without = -1; without < word.length; without++) {
      const key = hashOf(word, without);
      for (let at = lowerBound(this.#keys, key); this.#keys[at] === key; at++) {
        const token = this.#tokens[at] as number;
        if (found.has(token)) continue;
        const count = slips(word, this.text(token));
        if (count <= most) found.set(token, count);
      }
    }
    return found;
  }
}

function isLatin(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) >= ASCII_END) return false;
  return true;
}

/** Slips between two words: the distance of Damerau, no stretch edited twice. */
export function slips(one: string, other: string): number {
  const width = other.length + 1;
  let [before, last] = [new Uint8Array(width), new Uint8Array(width)];
  for (let at = 0; at < width; at++) last[at] = at;
  for (let row = 1; row <= one.length; row++) {
    const next = new Uint8Array(width);
    next[0] = row;
    for (let at = 1; at < width; at++) {
      const isSame = one[row - 1] === other[at - 1];
      let least = Math.min(
        (last[at] as number) + 1,
        (next[at - 1] as number) + 1,
        (last[at - 1] as number) + (isSame ? 0 : 1),
      );
      const isTurned = row > 1 && at > 1 && one[row - 1] === other[at - 2];
      if (isTurned && one[row - 2] === other[at - 1]) {
        least = Math.min(least, (before[at - 2] as number) + 1);
      }
      next[at] = least;
    }
    [before, last] = [last, next];
  }
  return last[width - 1] as number;
}

/**
 * Which entities are worth comparing: those that share a key with an entity of another list. Keys
 * are an identifier, or a full date of birth together with the beginning of a word of a name.
 *
 * A million entities have millions of keys, and few of them are shared. So a first pass over all
 * lists keeps keys only as numbers (48 bits of a hash and the list's place) and sorts them; only
 * shared keys are read again. Two keys with one hash cost a comparison and decide nothing.
 */
import assert from 'node:assert/strict';
import type { Facts } from './resolveFacts.ts';

export const LISTS_MAX = 16;
const HASH_RANGE = 2 ** 48;
const PREFIX_LETTERS = 3;
const FULL_DATE = /^\d{4}-\d{2}-\d{2}$/;

/** Full dates that are not the first of a year, which often stands for a year alone. */
export const fullDates = (facts: Facts): readonly string[] =>
  facts.dates.filter((date) => FULL_DATE.test(date) && !date.endsWith('-01-01'));

export function* blockKeys(facts: Facts): Generator<string> {
  for (const { key } of facts.identifiers) yield key;
  if (facts.kind !== 'person') return;
  const dates = fullDates(facts);
  if (dates.length === 0) return;
  const prefixes = new Set(facts.names.flat().map((word) => word.slice(0, PREFIX_LETTERS)));
  for (const date of dates) for (const prefix of prefixes) yield `${date} ${prefix}`;
}

/** Keys of all lists, as numbers. */
export class KeyCounter {
  #keys = new Float64Array(1 << 16);
  #count = 0;

  add(key: string, list: number): void {
    assert(list < LISTS_MAX);
    if (this.#count === this.#keys.length) {
      const larger = new Float64Array(this.#keys.length * 2);
      larger.set(this.#keys);
      this.#keys = larger;
    }
    this.#keys[this.#count++] = hash48(key) * LISTS_MAX + list;
  }

  /** Hashes of the keys that two lists at least have. */
  shared(): ReadonlySet<number> {
    const sorted = this.#keys.subarray(0, this.#count).sort();
    const shared = new Set<number>();
    for (let index = 1; index < sorted.length; index++) {
      const key = sorted[index] ?? 0;
      const former = sorted[index - 1] ?? 0;
      if (key !== former && Math.floor(key / LISTS_MAX) === Math.floor(former / LISTS_MAX)) {
        shared.add(Math.floor(key / LISTS_MAX));
      }
    }
    return shared;
  }
}

/** FNV-1a in two halves. */
export function hash48(text: string): number {
  let low = 0x811c9dc5;
  let high = 0x01000193;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    low = Math.imul(low ^ unit, 0x01000193);
    high = Math.imul(high ^ unit, 0x85ebca6b);
  }
  low ^= low >>> 15;
  high ^= high >>> 13;
  return ((high >>> 16) * 2 ** 32 + (low >>> 0)) % HASH_RANGE;
}

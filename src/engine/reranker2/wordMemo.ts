/**
 * What was said of two words is said again: a query meets the same words in hundreds of names. One
 * instance per thread; a table in which a later pair takes the place of an earlier one, so that
 * what it forgets is only worked out again.
 */
import type { NameToken } from './nameToken.ts';
import { lastReason, similarity } from './tokenSimilarity.ts';

const PLACE_BITS = 13;
const PLACES = 1 << PLACE_BITS;
/** Thousandths take the low bits of an answer, the reason those above. */
const ALIKE_BITS = 10;
const ALIKE_MASK = (1 << ALIKE_BITS) - 1;

/** Likenesses of words of one kind of names. */
export class WordMemo {
  /** Why the words of the last `similarity` stand for each other: REASON. */
  reason = 0;
  readonly #queries = new Float64Array(PLACES);
  readonly #entries = new Float64Array(PLACES);
  readonly #answers = new Int32Array(PLACES);

  /** As `similarity` of tokenSimilarity.ts. */
  similarity(query: NameToken, entry: NameToken, isPerson: boolean): number {
    const hash = Math.imul(query.id, 0x9e3779b1) + Math.imul(entry.id, 0x85ebca6b);
    const place = (hash ^ (hash >>> PLACE_BITS)) & (PLACES - 1);
    if (this.#queries[place] !== query.id || this.#entries[place] !== entry.id) {
      const alike = similarity(query, entry, isPerson);
      this.#answers[place] = (lastReason() << ALIKE_BITS) | alike;
      this.#queries[place] = query.id;
      this.#entries[place] = entry.id;
    }
    const answer = this.#answers[place] as number;
    this.reason = answer >> ALIKE_BITS;
    return answer & ALIKE_MASK;
  }
}

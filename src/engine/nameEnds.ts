/**
 * Ends of names as numbers of tokens → the same with the legal form folded. Only a run of single
 * letters and words of legal forms at the end of a name decides the result, and lists have few
 * different runs. Each run is mapped once by mapNameEnd, and then known.
 */
import { mapNameEnd, NAME_END_WORDS_MAX, type NameReading, WORD_ROLE } from './nameWords.ts';
import type { TokenTable } from './tokenTable.ts';

/**
 * Nodes of the tree of known runs; a hostile list that has more kinds of them maps names one by
 * one.
 */
const NODES_MAX = 200_000;
/** Roots of the tree: runs of persons and of others, each with words in front and without. */
const ROOTS = 4;
/** Token numbers are below this. */
const TOKENS = 2 ** 32;
/** Stands for the words in front: neither a single letter nor part of any legal form. */
const WORD_IN_FRONT = '  ';

/** Maps the ends of names while one index is built; token numbers are those of `tokens`. */
export class NameEnds {
  readonly #tokens: TokenTable;
  /** The next node, by node and token. */
  readonly #next = new Map<number, number>();
  #nodes = ROOTS;
  readonly #mapped: (Uint32Array | undefined)[] = [];

  constructor(tokens: TokenTable) {
    this.#tokens = tokens;
  }

  /**
   * Maps the first `count` tokens in place and returns the new count. Only for names without
   * honorifics and titles; undefined where mapNameWords must do it.
   */
  map(tokens: Uint32Array, count: number, reading: NameReading): number | undefined {
    const roles = this.#tokens.roles;
    const role = (back: number) =>
      count < back ? 0 : (roles[tokens[count - back] as number] as number);
    const isSpelt = reading !== 'person' && (role(1) & role(2) & WORD_ROLE.single) !== 0;
    if (!isSpelt && (role(1) & WORD_ROLE.legalEnd) === 0) return count;
    let run = 0;
    while (run < count && (role(run + 1) & WORD_ROLE.end) !== 0) run += 1;
    if (run >= NAME_END_WORDS_MAX) return undefined;
    const start = count - run;
    const node = this.#nodeOf(tokens, start, count, reading);
    if (node === undefined) return undefined;
    let end = this.#mapped[node];
    if (end === undefined) {
      end = this.#mapEnd(tokens.subarray(start, count), start > 0, reading);
      this.#mapped[node] = end;
    }
    tokens.set(end, start);
    return start + end.length;
  }

  #nodeOf(
    tokens: Uint32Array,
    start: number,
    end: number,
    reading: NameReading,
  ): number | undefined {
    let node = (reading === 'person' ? 0 : 1) + (start > 0 ? 2 : 0);
    for (let at = start; at < end; at++) {
      const key = node * TOKENS + (tokens[at] as number);
      let next = this.#next.get(key);
      if (next === undefined) {
        if (this.#nodes === NODES_MAX) return undefined;
        next = this.#nodes++;
        this.#next.set(key, next);
      }
      node = next;
    }
    return node;
  }

  #mapEnd(run: Uint32Array, hasFront: boolean, reading: NameReading): Uint32Array {
    // Two words in front, so that a form before the last one is read as in any longer name.
    const front = hasFront ? [WORD_IN_FRONT, WORD_IN_FRONT] : [];
    const texts = [...front, ...Array.from(run, (token) => this.#tokens.text(token))];
    const mapped = mapNameEnd(texts, reading).slice(front.length);
    return Uint32Array.from(mapped, (text) => this.#tokens.intern(text));
  }
}

/**
 * Ends of names as numbers of tokens → the same with its legal form folded. Only a run of single
 * letters and words of legal forms at the end of a name decides what becomes of it, and lists have
 * few different ones: each is mapped once, by mapNameEnd, and then known.
 */
import { mapNameEnd, NAME_END_WORDS_MAX, type NameReading, WORD_ROLE } from './nameWords.ts';
import type { TokenTable } from './tokenTable.ts';

/** Runs are kept as a tree; a hostile list that has more kinds of them maps names one by one. */
const NODES_MAX = 200_000;
/** Nodes from which runs of persons and others, with words in front and without, are followed. */
const ROOTS = 4;
/** Numbers of tokens are below. */
const TOKENS = 2 ** 32;
/** Stands for the words in front: neither a single letter nor in any legal form. */
const WORD_IN_FRONT = '  ';

/** Of one index in the making. */
export class NameEnds {
  readonly #tokens: TokenTable;
  /** Of a node and a token: the next node. */
  readonly #next = new Map<number, number>();
  #nodes = ROOTS;
  readonly #mapped: (Uint32Array | undefined)[] = [];

  constructor(tokens: TokenTable) {
    this.#tokens = tokens;
  }

  /** In place, for names without honorifics and titles; undefined where mapNameWords must do it. */
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
    // Two, so that a form before the last one is read as in any longer name.
    const front = hasFront ? [WORD_IN_FRONT, WORD_IN_FRONT] : [];
    const texts = [...front, ...Array.from(run, (token) => this.#tokens.text(token))];
    const mapped = mapNameEnd(texts, reading).slice(front.length);
    return Uint32Array.from(mapped, (text) => this.#tokens.intern(text));
  }
}

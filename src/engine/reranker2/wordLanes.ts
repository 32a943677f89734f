/**
 * Costs of turning one word into up to 16 others at once (native/wordCosts.ts), in a memory of this
 * thread: as WebAssembly where the machine has shared memories, else as the twin.
 */
import { instantiate, type Kernels } from '../kernelHost.ts';
import * as twin from '../native/kernels.ts';
import { bind } from '../native/machine.ts';
import {
  WORD_BYTES,
  WORD_CHANGED,
  WORD_COLUMNS,
  WORD_COSTS,
  WORD_DROPPED,
  WORD_LANES,
  WORD_LENGTHS,
  WORD_LETTERS_MAX,
  WORD_QUERY,
} from '../native/wordScratch.ts';
import { sharedMemory } from '../sharedMemory.ts';
import { CHANGED, DROPPED } from './editCost.ts';

/** Words that are compared at once. */
export const LANES = WORD_LANES;
/** Costs from this on are not told apart: words that differ so much are not alike. */
export const COST_MAX = 255;

const PAGES = Math.ceil(WORD_BYTES / 65_536);

/** One word against the words of the lanes; an instance is used again for the next ones. */
export class WordLanes {
  /** What was found for each lane. */
  readonly costs: Uint8Array;
  readonly #buffer: SharedArrayBuffer;
  readonly #kernels: Kernels;
  readonly #isTwin: boolean;
  readonly #query: Uint8Array;
  readonly #lengths: Uint8Array;
  readonly #columns: Uint8Array;
  #most = 0;

  /** `isTwin` does without WebAssembly. */
  constructor(isTwin = false) {
    const memory = isTwin ? undefined : sharedMemory(PAGES);
    this.#isTwin = memory === undefined;
    this.#buffer = memory?.buffer ?? new SharedArrayBuffer(WORD_BYTES);
    this.#kernels = memory === undefined ? twin : instantiate(memory);
    new Uint8Array(this.#buffer, WORD_CHANGED, CHANGED.length).set(CHANGED);
    new Uint8Array(this.#buffer, WORD_DROPPED, DROPPED.length).set(DROPPED);
    this.costs = new Uint8Array(this.#buffer, WORD_COSTS, LANES);
    this.#query = new Uint8Array(this.#buffer, WORD_QUERY, WORD_LETTERS_MAX);
    this.#lengths = new Uint8Array(this.#buffer, WORD_LENGTHS, LANES);
    this.#columns = new Uint8Array(this.#buffer, WORD_COLUMNS, WORD_LETTERS_MAX * LANES);
  }

  /** Empties the lanes. */
  clear(): void {
    this.#columns.fill(0, 0, this.#most * LANES);
    this.#lengths.fill(0);
    this.#most = 0;
  }

  /** Puts a word into an empty lane. */
  set(lane: number, codes: Uint8Array): void {
    const columns = this.#columns;
    for (let at = 0; at < codes.length; at++) columns[at * LANES + lane] = codes[at] as number;
    this.#lengths[lane] = codes.length;
    if (codes.length > this.#most) this.#most = codes.length;
  }

  /** Compares a word with those in the lanes; `costs` has the outcome until the next run. */
  run(query: Uint8Array): void {
    if (this.#isTwin) bind(this.#buffer);
    for (let at = 0; at < query.length; at++) this.#query[at] = query[at] as number;
    this.#kernels.wordCosts(query.length, this.#most);
  }
}

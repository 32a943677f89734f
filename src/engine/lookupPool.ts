/**
 * The thread of look-ups by text. It starts with the first one, so that a gateway that only
 * screens never has it, and gives way to the threads that screen. What it makes of a list takes a
 * second or two of a million entries: once it runs, it does that as lists are switched.
 */
import assert from 'node:assert/strict';
import { Piscina } from 'piscina';
import { EngineError } from './errors.ts';
import type { LookupTask } from './lookupThread.ts';
import type { LookupPart } from './nameLookup.ts';
import type { LookupAnswer, LookupAsk } from './ports.ts';

/** Look-ups that may wait: what people type, each some milliseconds. */
const WAITING_MAX = 64;
const NICE_INCREMENT = 5;

/** `inUse` answers the buffers of all lists in use, at the time of the call. */
export class LookupPool {
  readonly #inUse: () => LookupTask['inUse'];
  #threads: Piscina<LookupTask, LookupAnswer | undefined> | undefined;
  #waiting = 0;
  #closed = false;

  constructor(inUse: () => LookupTask['inUse']) {
    this.#inUse = inUse;
  }

  /** Rejects with `engine-queue-full` where too many wait. */
  async run(parts: readonly LookupPart[], ask: LookupAsk): Promise<LookupAnswer> {
    if (this.#closed) throw new Error('engine: closed');
    if (this.#waiting >= WAITING_MAX) {
      throw new EngineError(
        'engine-queue-full',
        `look-ups: expected at most ${WAITING_MAX} waiting`,
      );
    }
    this.#threads ??= new Piscina({
      filename: new URL('./lookupThread.ts', import.meta.url).href,
      idleTimeout: Number.POSITIVE_INFINITY,
      maxThreads: 1,
      minThreads: 0,
      name: 'runLookup',
      niceIncrement: NICE_INCREMENT,
    });
    this.#waiting++;
    try {
      const answer = await this.#threads.run({ ask, inUse: this.#inUse(), parts });
      assert(answer !== undefined, 'a look-up is answered');
      return answer;
    } finally {
      this.#waiting--;
    }
  }

  /** Indexes came or went: the thread forgets those that are gone, and makes the new ones. */
  refresh(): void {
    if (this.#closed || this.#threads === undefined) return;
    // What cannot be made is told to the next one who looks something up.
    this.#threads.run({ inUse: this.#inUse(), parts: [] }).catch(() => undefined);
  }

  /** Look-ups under way reject. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#threads?.destroy();
  }
}

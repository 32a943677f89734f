/**
 * The thread of look-ups by text. It starts with the first one, so that a gateway that only
 * screens never has it, and gives way to the threads that screen. What it makes of a list takes a
 * second or two of a million entries: once it runs, it does that as lists are switched.
 *
 * Tenants take turns for it. Who has left is dropped, and who waits too long is told.
 */
import assert from 'node:assert/strict';
import { Piscina } from 'piscina';
import { LineError, TurnLine } from '#platform/turnLine';
import { callerGoneError, deadlineError } from './deadline.ts';
import { EngineError } from './errors.ts';
import type { LookupTask } from './lookupThread.ts';
import type { LookupPart } from './nameLookup.ts';
import type { LookupAnswer, LookupAsk, LookupCaller } from './ports.ts';

/** Look-ups that may wait: what people type, each some milliseconds. */
const WAITING_MAX = 64;
const NICE_INCREMENT = 5;
/** Milliseconds that who types may wait; making what is asked of a new list fits. */
const DEADLINE_MS = 5_000;
/** Callers without a turn of their own share this one. */
const COMMON_TURN = '';

/** `inUse` answers the buffers of all lists in use, at the time of the call. */
export class LookupPool {
  readonly #inUse: () => LookupTask['inUse'];
  #threads: Piscina<LookupTask, LookupAnswer | undefined> | undefined;
  readonly #line = new TurnLine({ places: 1, waitingMax: WAITING_MAX, what: 'look-ups' });
  #closed = false;

  constructor(inUse: () => LookupTask['inUse']) {
    this.#inUse = inUse;
  }

  /** Rejects with `engine-queue-full`, `deadline-exceeded` or `caller-gone`. */
  async run(
    parts: readonly LookupPart[],
    ask: LookupAsk,
    { signal, turn = COMMON_TURN }: LookupCaller = {},
  ): Promise<LookupAnswer> {
    if (this.#closed) throw new Error('engine: closed');
    const answer = await this.#line
      .run({ deadlineMs: DEADLINE_MS, signal, turn }, () => this.#look({ ask, parts }))
      .catch(rethrow);
    assert(answer !== undefined, 'a look-up is answered');
    return answer;
  }

  #look(task: Omit<LookupTask, 'inUse'>): Promise<LookupAnswer | undefined> {
    this.#threads ??= new Piscina({
      filename: new URL('./lookupThread.ts', import.meta.url).href,
      idleTimeout: Number.POSITIVE_INFINITY,
      maxThreads: 1,
      minThreads: 0,
      name: 'runLookup',
      niceIncrement: NICE_INCREMENT,
    });
    return this.#threads.run({ ...task, inUse: this.#inUse() });
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
    this.#line.refuseAll(new Error('engine: closed'));
    await this.#threads?.destroy();
  }
}

function rethrow(error: unknown): never {
  if (!(error instanceof LineError)) throw error;
  if (error.code === 'line-full') throw new EngineError('engine-queue-full', error.message);
  throw error.code === 'caller-gone' ? callerGoneError() : deadlineError();
}

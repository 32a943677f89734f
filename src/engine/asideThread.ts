/**
 * A thread beside those that screen, for work over whole lists of another kind. It starts with the
 * first piece of work, so that a process that only screens never has it. What it makes of a list
 * takes a second or two of a million entities: once it runs, it does that as lists are switched.
 *
 * Tenants take turns for it. Who has left is dropped, and who waits too long is told.
 */
import assert from 'node:assert/strict';
import { Piscina } from 'piscina';
import { LineError, TurnLine } from '#platform/turnLine';
import { callerGoneError, deadlineError } from './deadline.ts';
import { EngineError } from './errors.ts';
import type { LookupPart } from './nameLookup.ts';
import type { LookupCaller } from './ports.ts';

/** Work, or without an ask only the parts that are in use now. */
export interface AsideTask<Ask> {
  readonly inUse: readonly Pick<LookupPart, 'buffer'>[];
  readonly parts: readonly LookupPart[];
  readonly ask?: Ask;
}

/** What a thread is. */
export interface AsideOptions {
  /** Its entry. */
  readonly file: URL;
  /** The function that Piscina calls. */
  readonly name: string;
  /** Names its work in errors, in the plural. */
  readonly what: string;
  readonly waitingMax: number;
  /** Covers waiting and running alike. */
  readonly deadlineMs: number;
  /** Above 0: it gives way to the threads that screen. */
  readonly niceIncrement: number;
}

/** Callers without a turn of their own share this one. */
const COMMON_TURN = '';

/** `inUse` answers the buffers of all lists in use, at the time of the call. */
export class AsideThread<Ask, Answer> {
  readonly #inUse: () => AsideTask<Ask>['inUse'];
  readonly #options: AsideOptions;
  readonly #line: TurnLine;
  #threads: Piscina<AsideTask<Ask>, Answer | undefined> | undefined;
  #closed = false;

  constructor(options: AsideOptions, inUse: () => AsideTask<Ask>['inUse']) {
    this.#inUse = inUse;
    this.#options = options;
    this.#line = new TurnLine({ places: 1, waitingMax: options.waitingMax, what: options.what });
  }

  /** Rejects with `engine-queue-full`, `deadline-exceeded` or `caller-gone`. */
  async run(
    parts: readonly LookupPart[],
    ask: Ask,
    { signal, turn = COMMON_TURN }: LookupCaller = {},
  ): Promise<Answer> {
    if (this.#closed) throw new Error('engine: closed');
    const { deadlineMs, what } = this.#options;
    const answer = await this.#line
      .run({ deadlineMs, signal, turn }, () => this.#hand({ ask, parts }))
      .catch(rethrow);
    assert(answer !== undefined, `${what} are answered`);
    return answer;
  }

  #hand(task: Omit<AsideTask<Ask>, 'inUse'>): Promise<Answer | undefined> {
    const { file, name, niceIncrement } = this.#options;
    this.#threads ??= new Piscina({
      filename: file.href,
      idleTimeout: Number.POSITIVE_INFINITY,
      maxThreads: 1,
      minThreads: 0,
      name,
      niceIncrement,
    });
    return this.#threads.run({ ...task, inUse: this.#inUse() });
  }

  /** Indexes came or went: the thread forgets those that are gone, and makes the new ones. */
  refresh(): void {
    if (this.#closed || this.#threads === undefined) return;
    // What cannot be made is told to the next one who asks.
    this.#threads.run({ inUse: this.#inUse(), parts: [] }).catch(() => undefined);
  }

  /** Work under way rejects. */
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

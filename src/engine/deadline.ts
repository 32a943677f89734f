/**
 * The time until which a query may run. The clock is the process's monotonic one, counted from its
 * time origin: all threads share it, and changes of the wall clock do not move it.
 *
 * Loops report their work in units of about one comparison of names. The clock is read once per
 * SPENT_MAX units, which costs nothing beside them and keeps the overrun to some milliseconds even
 * with names of 512 characters.
 */
import { systemClock } from '#platform/clock';
import { EngineError } from './errors.ts';

/** Comparisons of names between two readings of the clock. */
const SPENT_MAX = 256;

/** Milliseconds on the monotonic clock that all threads of the process share; not a date. */
export function sharedMonotonicMs(): number {
  return performance.timeOrigin + systemClock.monotonicMs();
}

/** The same instant on the monotonic clock of this thread. */
export const ownMonotonicMs = (sharedMs: number): number => sharedMs - performance.timeOrigin;

/**
 * The error that a caller gets in place of an answer (code `deadline-exceeded`); no part of an
 * answer is ever given.
 */
export function deadlineError(): EngineError {
  return new EngineError('deadline-exceeded', 'engine: the deadline passed before the answer');
}

/** The error of a query whose caller has left (code `caller-gone`): it has no answer, either. */
export function callerGoneError(): EngineError {
  return new EngineError('caller-gone', 'engine: the caller left before the answer');
}

/** A number in shared memory that is not 0 once the query's caller has left. */
export interface StopFlag {
  readonly flags: Int32Array;
  readonly at: number;
}

/** Whether the caller of a query has left. */
export function isStopped({ at, flags }: StopFlag): boolean {
  return Atomics.load(flags, at) !== 0;
}

/**
 * The deadline of the query that a thread runs; one instance per thread, set anew for each query.
 * It never passes until it is set.
 */
export class Deadline {
  #expiresAt = Number.POSITIVE_INFINITY;
  #stop: StopFlag | undefined;
  #spent = 0;

  set(expiresAt: number, stop?: StopFlag): void {
    this.#expiresAt = expiresAt;
    this.#stop = stop;
    this.#spent = 0;
  }

  /**
   * Reads the clock; called between steps. Throws EngineError `deadline-exceeded` once the time is
   * over, and `caller-gone` once the caller has left.
   */
  check(): void {
    this.#spent = 0;
    if (sharedMonotonicMs() > this.#expiresAt) throw deadlineError();
    if (this.#stop !== undefined && isStopped(this.#stop)) throw callerGoneError();
  }

  /** Counts work in a loop, and checks once per SPENT_MAX units. */
  spend(units: number): void {
    this.#spent += units;
    if (this.#spent >= SPENT_MAX) this.check();
  }
}

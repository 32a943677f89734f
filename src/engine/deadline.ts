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

/**
 * The error that a caller gets in place of an answer (code `deadline-exceeded`); no part of an
 * answer is ever given.
 */
export function deadlineError(): EngineError {
  return new EngineError('deadline-exceeded', 'engine: the deadline passed before the answer');
}

/**
 * The deadline of the query that a thread runs; one instance per thread, set anew for each query.
 * It never passes until it is set.
 */
export class Deadline {
  #expiresAt = Number.POSITIVE_INFINITY;
  #spent = 0;

  set(expiresAt: number): void {
    this.#expiresAt = expiresAt;
    this.#spent = 0;
  }

  /**
   * Reads the clock; called between steps. Throws EngineError `deadline-exceeded` once the time is
   * over.
   */
  check(): void {
    this.#spent = 0;
    if (sharedMonotonicMs() > this.#expiresAt) throw deadlineError();
  }

  /** Counts work in a loop, and checks once per SPENT_MAX units. */
  spend(units: number): void {
    this.#spent += units;
    if (this.#spent >= SPENT_MAX) this.check();
  }
}

/**
 * Until when a query may run. The clock is the process's monotonic one, counted from its time
 * origin: the same on every thread, and deaf to changes of the wall clock.
 *
 * Loops report what they do in units of about one comparison of names; the clock is read once per
 * SPENT_MAX units, which costs nothing beside them and keeps the overrun to some milliseconds even
 * with names of 512 characters.
 */
import { systemClock } from '#platform/clock';
import { EngineError } from './errors.ts';

/** Comparisons of names between two looks at the clock. */
const SPENT_MAX = 256;

/** Milliseconds on the clock that all threads of the process share. */
export function sharedMonotonicMs(): number {
  return performance.timeOrigin + systemClock.monotonicMs();
}

/** What a caller gets in place of an answer: never a part of one. */
export function deadlineError(): EngineError {
  return new EngineError('deadline-exceeded', 'engine: the deadline passed before the answer');
}

/** A thread has one and sets it per query. */
export class Deadline {
  #expiresAt = Number.POSITIVE_INFINITY;
  #spent = 0;

  set(expiresAt: number): void {
    this.#expiresAt = expiresAt;
    this.#spent = 0;
  }

  /** Between steps: throws EngineError `deadline-exceeded` once the time is over. */
  check(): void {
    this.#spent = 0;
    if (sharedMonotonicMs() > this.#expiresAt) throw deadlineError();
  }

  /** In loops: a check once per SPENT_MAX units. */
  spend(units: number): void {
    this.#spent += units;
    if (this.#spent >= SPENT_MAX) this.check();
  }
}

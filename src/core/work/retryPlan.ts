/**
 * How failed work is tried again, as data: after which pauses, how often at the most, and what
 * counts. A worker asks `afterFault` what is to be done; nothing else decides it.
 */

/**
 * `transient`: no fault of the work, it waits however long (a full disk, a store that is away).
 * `counted`: it may be its own fault. `final`: another try cannot mend it.
 */
export type FaultKind = 'transient' | 'counted' | 'final';

/** The plan of a kind of work. */
export interface RetryPlan {
  /** Before each try, from the first one on, in milliseconds; the last one stands for the rest. */
  readonly pausesMs: readonly number[];
  /** Tries at the most that count: those that failed, and those whose worker died. */
  readonly triesMax: number;
  /** Tries after which it may be what kills workers (poison.ts); absent: it is never suspected. */
  readonly suspectTries?: number;
  /** What an error code says of the work. */
  readonly kindOf: (code: string) => FaultKind;
}

/** What is to be done after a fault. */
export type AfterFault =
  | { readonly isOver: true }
  | { readonly isOver: false; readonly isTried: boolean; readonly pauseMs: number };

/** What to do after the `tries`'th try, this one included, ended in `code`. */
export function afterFault(
  plan: RetryPlan,
  { code, tries }: { readonly code: string; readonly tries: number },
): AfterFault {
  const kind = plan.kindOf(code);
  const isOver = kind === 'final' || (kind === 'counted' && tries >= plan.triesMax);
  if (isOver) return { isOver };
  return { isOver, isTried: kind === 'counted', pauseMs: pauseBefore(plan, tries + 1) };
}

/** Milliseconds before the `tries`'th try, counted from 1. */
export function pauseBefore({ pausesMs }: Pick<RetryPlan, 'pausesMs'>, tries: number): number {
  return pausesMs[Math.min(tries, pausesMs.length) - 1] ?? 0;
}

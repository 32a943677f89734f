/**
 * How failed work is tried again, as data: after which pauses, how often at most, and which tries
 * count. Only `afterFault` decides what a worker does next.
 */

/**
 * `transient`: no fault of the work, which waits as long as it takes (a full disk, a store that is
 * away). `counted`: it may be the work's own fault. `final`: another try cannot mend it.
 */
export type FaultKind = 'transient' | 'counted' | 'final';

/** The plan of a kind of work. */
export interface RetryPlan {
  /** Milliseconds before each try, from the first one on; the last one stands for the rest. */
  readonly pausesMs: readonly number[];
  /** Tries that count, at most: those that failed, and those whose worker died. */
  readonly triesMax: number;
  /** Tries after which it may be a poison job (poison.ts); absent: it is never suspected. */
  readonly suspectTries?: number;
  /** The kind of fault that an error code stands for. */
  readonly kindOf: (code: string) => FaultKind;
}

/** What to do after a fault. */
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

/**
 * The one way to change a record that others may change at the same time: read it, make its next
 * state, commit by compare-and-set, and start again if another writer was first.
 */
import { StaleChange } from './committed.ts';

/** Attempts to write a record that others write too. */
export const OVERWRITE_TRIES_MAX = 50;

/** How often to try, and after which refusals. */
export interface OverwriteOptions {
  /** 1 to OVERWRITE_TRIES_MAX, the default. */
  readonly triesMax?: number;
  /** Called after a stale change; false throws it. Absent: every stale change is tried again. */
  readonly mayRepeat?: (stale: StaleChange) => boolean | Promise<boolean>;
  /** Awaited before each attempt after the first; `attempt` counts from 1. */
  readonly pause?: (attempt: number) => Promise<unknown>;
}

/**
 * Runs `attempt` until it succeeds, and returns its value. It reads, decides and commits, and may
 * run several times, so only the commit may have an effect. A StaleChange means that another writer
 * was first; every other error is thrown at once, and so is the last StaleChange.
 */
export async function overwrite<Value>(
  attempt: () => Promise<Value>,
  { mayRepeat, pause, triesMax = OVERWRITE_TRIES_MAX }: OverwriteOptions = {},
): Promise<Value> {
  for (let count = 1; ; count++) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof StaleChange) || count >= triesMax) throw error;
      if (mayRepeat !== undefined && !(await mayRepeat(error))) throw error;
      await pause?.(count);
    }
  }
}

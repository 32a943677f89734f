/**
 * The one way to change a record that others may change at the same time: read it, make its next
 * state, commit by compare-and-set, and begin anew where somebody else was first.
 */
import { StaleChange } from './committed.ts';

/** Attempts under which a record is read again. */
export const OVERWRITE_TRIES_MAX = 50;

/** How often an attempt is made, and after which refusal. */
export interface OverwriteOptions {
  /** 1 to OVERWRITE_TRIES_MAX, the default. */
  readonly triesMax?: number;
  /** Asked after a stale change: false lets it go up. Absent: each one is tried again. */
  readonly mayRepeat?: (stale: StaleChange) => boolean | Promise<boolean>;
  /** Waited for before each attempt after the first; `attempt` counts from 1. */
  readonly pause?: (attempt: number) => Promise<unknown>;
}

/**
 * What `attempt` answers. It reads, decides and commits, and may run several times: nothing but the
 * commit has an effect. A StaleChange means that another writer was first; every other error goes
 * up at once, and so does the last StaleChange.
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

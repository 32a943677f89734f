/** Trying again: three times, later each time, and not all installations at the same moment. */
import type { Random } from '#platform/random';

/** Attempts after the first one. */
export const FETCH_RETRIES_MAX = 3;
const BACKOFF_MS = 2_000;
const BACKOFF_FACTOR = 4;
/** A publisher that asks for more is left alone until the next run. */
export const RETRY_AFTER_MS_MAX = 5 * 60_000;

const TRANSIENT = new Set([408, 425, 429]);
/** Whether a status is transient: another attempt may get another answer. */
export const isPassingStatus = (code: number): boolean => code >= 500 || TRANSIENT.has(code);

/** Failure of one attempt. `message` is for the log: no secret, no query. */
export class FetchFailure extends Error {
  override readonly name = 'FetchFailure';
  readonly isWorthRetrying: boolean;
  readonly retryAfterMs: number | undefined;
  /** Status of the answer, where there was one. */
  readonly statusCode: number | undefined;

  constructor(
    message: string,
    options: {
      isWorthRetrying: boolean;
      retryAfterMs?: number | undefined;
      statusCode?: number;
      cause?: unknown;
    },
  ) {
    super(message, { cause: options.cause });
    this.isWorthRetrying = options.isWorthRetrying;
    this.retryAfterMs = options.retryAfterMs;
    this.statusCode = options.statusCode;
  }
}

export interface RetryTools {
  readonly random: Random;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Rejects with the last FetchFailure, or at once with anything else. */
export async function withRetries<Value>(
  attempt: () => Promise<Value>,
  tools: RetryTools & {
    readonly signal: AbortSignal;
    readonly onRetry: (failure: FetchFailure, afterMs: number) => void;
  },
): Promise<Value> {
  for (let retry = 0; ; retry++) {
    try {
      return await attempt();
    } catch (error) {
      tools.signal.throwIfAborted();
      if (!(error instanceof FetchFailure) || !error.isWorthRetrying) throw error;
      const asked = error.retryAfterMs ?? 0;
      if (retry === FETCH_RETRIES_MAX || asked > RETRY_AFTER_MS_MAX) throw error;
      const afterMs = Math.max(asked, jittered(BACKOFF_MS * BACKOFF_FACTOR ** retry, tools.random));
      tools.onRetry(error, afterMs);
      await tools.sleep(afterMs, tools.signal);
    }
  }
}

/** Half to one and a half of it. */
function jittered(ms: number, random: Random): number {
  const [high = 0, low = 0] = random.bytes(2);
  return Math.round(ms * (0.5 + (high * 256 + low) / 65_536));
}

/** RFC 9110, 10.2.3: seconds or a date. */
export function readRetryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1_000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

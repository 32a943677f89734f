/** What a part declares of a limit that its callers can reach, in its `limits.ts`. */
import type { ErrorCode } from './errors.ts';

/** A row of the first table of docs/limits.md. */
export interface LimitRow {
  readonly what: string;
  readonly max: number;
  /** The code with which a request beyond the limit is refused. */
  readonly beyond: ErrorCode;
}

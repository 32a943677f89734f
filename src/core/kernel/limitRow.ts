/** What a part says of a limit that its callers meet, in its `limits.ts`. */
import type { ErrorCode } from './errors.ts';

/** A row of the first table of docs/limits.md. */
export interface LimitRow {
  readonly what: string;
  readonly max: number;
  /** The code of what is refused beyond it. */
  readonly beyond: ErrorCode;
}

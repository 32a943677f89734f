/**
 * What a caller can act on. A broken invariant is an `assert`, never a code. The code is the slug
 * of the problem document; what it means stands in the row that declares it (problemRows.ts).
 */
import type { CodesOf } from './problemRows.ts';
import type { problems } from './problems.ts';

/** Extended by each part with the codes of its rows; nothing is listed here. */
export interface ProblemCodes extends CodesOf<typeof problems> {}

/** Every code that some part declares. */
export type ErrorCode = keyof ProblemCodes;

/** One violated expectation. `pointer` is RFC 6901 into the body, or `?name` / `header:Name`. */
export interface Violation {
  readonly pointer: string;
  /** missing, type, format, range, too-long, unknown-member, … */
  readonly code: string;
  /** What was expected, never the value that came. */
  readonly detail: string;
}

interface DomainErrorOptions {
  /** Field, expected and got; ids and counts only, never a name or a document number. */
  readonly detail?: string;
  readonly violations?: readonly Violation[];
  /** Seconds after which the same call may pass. */
  readonly retryAfterS?: number;
  readonly cause?: unknown;
}

/** Something the caller can act on. `code` is stable; `message` is for people. */
export class DomainError extends Error {
  override readonly name = 'DomainError';
  readonly code: ErrorCode;
  readonly violations: readonly Violation[];
  readonly retryAfterS: number | undefined;

  constructor(code: ErrorCode, options: DomainErrorOptions = {}) {
    super(options.detail ?? code, { cause: options.cause });
    this.code = code;
    this.violations = options.violations ?? [];
    this.retryAfterS = options.retryAfterS;
  }
}

/** Whether the state was another one than expected, or another writer was first. */
export const isConflict = (error: unknown): error is DomainError =>
  error instanceof DomainError && error.code === 'state-conflict';

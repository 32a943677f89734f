/**
 * Errors that a caller can act on. A broken invariant is an `assert`, never a code. The code is the
 * slug of the problem document; the row that declares it says what it means (problemRows.ts).
 */
import type { CodesOf } from './problemRows.ts';
import type { problems } from './problems.ts';

/**
 * Every declared code with its row. Each part extends it with the codes of its rows; none is listed
 * here.
 */
export interface ProblemCodes extends CodesOf<typeof problems> {}

/** Code that some part declares. */
export type ErrorCode = keyof ProblemCodes;

/** One violated expectation. `pointer` is RFC 6901 into the body, or `?name` / `header:Name`. */
export interface Violation {
  readonly pointer: string;
  /** missing, type, format, range, too-long, unknown-member, … */
  readonly code: string;
  /** What was expected, never the value that was sent. */
  readonly detail: string;
}

interface DomainErrorOptions {
  /** Field, expected and got. Ids and counts only, never a name or a document number. */
  readonly detail?: string;
  readonly violations?: readonly Violation[];
  /** Seconds after which the same call may pass. */
  readonly retryAfterS?: number;
  /** What the caller must bring instead, as a product and its version. */
  readonly upgrade?: string;
  readonly cause?: unknown;
}

/** Something the caller can act on. `code` is stable; `message` is for people. */
export class DomainError extends Error {
  override readonly name = 'DomainError';
  readonly code: ErrorCode;
  readonly violations: readonly Violation[];
  readonly retryAfterS: number | undefined;
  readonly upgrade: string | undefined;

  constructor(code: ErrorCode, options: DomainErrorOptions = {}) {
    super(options.detail ?? code, { cause: options.cause });
    this.code = code;
    this.violations = options.violations ?? [];
    this.retryAfterS = options.retryAfterS;
    this.upgrade = options.upgrade;
  }
}

/**
 * Whether the error says that the state was not the expected one, or that another writer was first.
 */
export const isConflict = (error: unknown): error is DomainError =>
  error instanceof DomainError && error.code === 'state-conflict';

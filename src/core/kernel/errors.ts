/**
 * The closed list of what a caller can act on. A broken invariant is an `assert`, never a code.
 * The code is the slug of the problem document; HTTP status lives in src/api/presentError.ts.
 */
export const ERROR_CODES = [
  'json-malformed',
  'body-invalid',
  'body-missing',
  'body-too-large',
  'body-aborted',
  'body-timeout',
  'multipart-malformed',
  'upload-damaged',
  'csv-invalid',
  'media-type-unsupported',
  'query-invalid',
  'path-invalid',
  'header-invalid',
  'headers-too-large',
  'framing-ambiguous',
  'route-unknown',
  'method-not-allowed',
  'not-found',
  'limit-out-of-range',
  'cursor-invalid',
  'credential-missing',
  'credential-invalid',
  'credential-expired',
  'role-insufficient',
  'mfa-required',
  'host-tenant-mismatch',
  'identity-provider-unavailable',
  'idempotency-key-missing',
  'idempotency-key-invalid',
  'idempotency-key-reused',
  'idempotency-key-in-progress',
  'rate-limited',
  'list-unknown',
  'list-unavailable',
  'list-damaged',
  'list-foreign',
  'list-shrunk',
  'list-stale',
  'list-unreachable',
  'batch-base-missing',
  'source-unknown',
  'run-unknown',
  'cron-invalid',
  'air-gap-path-invalid',
  'link-expired',
  'range-unsatisfiable',
  'name-empty',
  'state-conflict',
  'precondition-failed',
  'audit-chain-broken',
  'dual-control-header-missing',
  'dual-control-same-person',
  'dual-control-roles',
  'dual-control-signature-invalid',
  'dual-control-expired',
  'dual-control-replayed',
  'setting-unknown',
  'setting-invalid',
  'public-key-invalid',
  'store-unavailable',
  'storage-full',
  'engine-queue-full',
  'deadline-exceeded',
  'not-ready',
  'internal',
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

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

/**
 * A failure as the caller sees it: an RFC 9457 problem document (decisions 1.1). HTTP statuses live
 * here and nowhere else; a code without one does not compile.
 *
 * Nothing of the cause leaves: an unexpected error is `internal` and one fixed sentence, and the
 * request id leads from the answer to the log. Details of a DomainError hold no personal data.
 */
import type { DomainError, ErrorCode } from '#core/kernel';
import type { HttpReply } from './http/port.ts';
import { PROBLEM_TEXTS } from './problemTexts.ts';

export const PROBLEM_MEDIA_TYPE = 'application/problem+json';
const JSON_TYPE = 'application/json';

export const STATUS_OF: Readonly<Record<ErrorCode, number>> = {
  'json-malformed': 400,
  'body-invalid': 400,
  'body-missing': 400,
  'body-too-large': 413,
  'body-aborted': 400,
  'body-timeout': 408,
  'multipart-malformed': 400,
  'upload-damaged': 400,
  'csv-invalid': 400,
  'media-type-unsupported': 415,
  'query-invalid': 400,
  'path-invalid': 400,
  'header-invalid': 400,
  'headers-too-large': 431,
  'framing-ambiguous': 400,
  'route-unknown': 404,
  'method-not-allowed': 405,
  'not-found': 404,
  'limit-out-of-range': 400,
  'cursor-invalid': 400,
  'credential-missing': 401,
  'credential-invalid': 401,
  'credential-expired': 401,
  'role-insufficient': 403,
  'mfa-required': 403,
  'host-tenant-mismatch': 403,
  'identity-provider-unavailable': 503,
  'idempotency-key-missing': 400,
  'idempotency-key-invalid': 400,
  'idempotency-key-reused': 422,
  'idempotency-key-in-progress': 409,
  'rate-limited': 429,
  'list-unknown': 400,
  'list-unavailable': 422,
  'list-damaged': 422,
  'list-foreign': 422,
  'list-shrunk': 422,
  'list-stale': 409,
  'list-unreachable': 502,
  'batch-base-missing': 422,
  'source-unknown': 404,
  'run-unknown': 404,
  'cron-invalid': 422,
  'air-gap-path-invalid': 422,
  'link-expired': 403,
  'range-unsatisfiable': 416,
  'name-empty': 422,
  'state-conflict': 409,
  'precondition-failed': 412,
  'audit-chain-broken': 423,
  'dual-control-header-missing': 400,
  'dual-control-same-person': 403,
  'dual-control-roles': 403,
  'dual-control-signature-invalid': 403,
  'dual-control-expired': 403,
  'dual-control-replayed': 403,
  'setting-unknown': 400,
  'setting-invalid': 400,
  'public-key-invalid': 422,
  'store-unavailable': 503,
  'storage-full': 507,
  'engine-queue-full': 503,
  'deadline-exceeded': 503,
  'not-ready': 503,
  internal: 500,
};

/** When the same call may pass, where the error itself does not say. */
const RETRY_AFTER_S: Partial<Record<ErrorCode, number>> = {
  'identity-provider-unavailable': 5,
  'idempotency-key-in-progress': 1,
  'rate-limited': 1,
  'store-unavailable': 1,
  'engine-queue-full': 1,
  'deadline-exceeded': 1,
  'not-ready': 1,
};

export interface ProblemContext {
  readonly requestId: string;
  /** `https://api.example.com`, without a slash at the end. */
  readonly origin: string;
  /** Media type that the operation takes, where it is another than JSON. */
  readonly accept?: string | undefined;
}

type Header = readonly [name: string, value: string];

export function presentError(error: DomainError, context: ProblemContext): HttpReply {
  const { code } = error;
  const status = STATUS_OF[code];
  const problem = {
    type: problemType(context.origin, code),
    title: PROBLEM_TEXTS[code].title,
    status,
    detail: detailOf(error),
    instance: `urn:uuid:${context.requestId}`,
    code,
    request_id: context.requestId,
    errors: error.violations,
  };
  return { body: JSON.stringify(problem), headers: headersOf(error, context), status };
}

export function problemType(origin: string, code: ErrorCode): string {
  return `${origin}/problems/${code}`;
}

/** DomainError falls back to its code where nobody gave a detail: the general text says more. */
function detailOf(error: DomainError): string {
  const { meaning } = PROBLEM_TEXTS[error.code];
  if (error.code === 'internal' || error.message === error.code) return meaning;
  return error.message;
}

function headersOf(error: DomainError, { accept }: ProblemContext): Header[] {
  const headers: Header[] = [['content-type', PROBLEM_MEDIA_TYPE]];
  const retryAfterS = error.retryAfterS ?? RETRY_AFTER_S[error.code];
  if (retryAfterS !== undefined) headers.push(['retry-after', String(Math.ceil(retryAfterS))]);
  if (STATUS_OF[error.code] === 401) headers.push(['www-authenticate', challengeOf(error.code)]);
  if (error.code === 'media-type-unsupported') headers.push(['accept', accept ?? JSON_TYPE]);
  if (error.code === 'range-unsatisfiable') headers.push(['content-range', error.message]);
  return headers;
}

/** RFC 6750, 3: a call without a credential is told of no error. X-API-Key has no scheme name. */
function challengeOf(code: ErrorCode): string {
  return code === 'credential-missing' ? 'Bearer' : 'Bearer error="invalid_token"';
}

/**
 * A failure as the caller sees it: an RFC 9457 problem document (decisions 1.1), made from the row
 * that declares its code.
 *
 * Nothing of the cause leaves: an unexpected error is `internal` and one fixed sentence, and the
 * request id leads from the answer to the log. Details of a DomainError hold no personal data.
 */
import type { DomainError, ErrorCode, ProblemTable } from '#core/kernel';
import type { HttpReply } from './http/port.ts';

export const PROBLEM_MEDIA_TYPE = 'application/problem+json';
const JSON_TYPE = 'application/json';

export interface ProblemContext {
  readonly problems: ProblemTable;
  readonly requestId: string;
  /** `https://api.example.com`, without a slash at the end. */
  readonly origin: string;
  /** Media type that the operation takes, where it is another than JSON. */
  readonly accept?: string | undefined;
}

type Header = readonly [name: string, value: string];

export function presentError(error: DomainError, context: ProblemContext): HttpReply {
  const { code } = error;
  const { status, title } = context.problems[code];
  const problem = {
    type: problemType(context.origin, code),
    title,
    status,
    detail: detailOf(error, context),
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

/** DomainError falls back to its code where no detail was given: the general text says more. */
function detailOf(error: DomainError, { problems }: ProblemContext): string {
  const { meaning } = problems[error.code];
  if (error.code === 'internal' || error.message === error.code) return meaning;
  return error.message;
}

function headersOf(error: DomainError, { accept, problems }: ProblemContext): Header[] {
  const row = problems[error.code];
  const headers: Header[] = [['content-type', PROBLEM_MEDIA_TYPE]];
  const retryAfterS = error.retryAfterS ?? row.retryAfterS;
  if (retryAfterS !== undefined) headers.push(['retry-after', String(Math.ceil(retryAfterS))]);
  if (row.status === 401) headers.push(['www-authenticate', challengeOf(error.code)]);
  if (error.upgrade !== undefined) headers.push(['upgrade', error.upgrade]);
  if (error.code === 'media-type-unsupported') headers.push(['accept', accept ?? JSON_TYPE]);
  if (error.code === 'range-unsatisfiable') headers.push(['content-range', error.message]);
  return headers;
}

/**
 * RFC 6750, 3: the challenge to a call without a credential names no error. X-API-Key has no scheme
 * name.
 */
function challengeOf(code: ErrorCode): string {
  return code === 'credential-missing' ? 'Bearer' : 'Bearer error="invalid_token"';
}

import type { Problem as ProblemDocument } from './generated/types.gen.js';

export type { ProblemDocument };
export type ProblemCode = ProblemDocument['code'];

/**
 * What the service refused, and why: RFC 9457. `code` is stable and meant for programs; the message
 * is for people. Subclasses stand for what a caller does next.
 */
export class Problem extends Error {
  override readonly name: string = 'Problem';
  readonly code: ProblemCode;
  readonly document: ProblemDocument;
  readonly requestId: string;
  /** Seconds, where the service said when to come back. */
  readonly retryAfter: number | undefined;
  readonly status: number;

  constructor(document: ProblemDocument, retryAfter?: number) {
    super(`${document.code}: ${document.detail ?? document.title}`);
    this.code = document.code;
    this.document = document;
    this.requestId = document.request_id;
    this.retryAfter = retryAfter;
    this.status = document.status;
  }

  is<Code extends ProblemCode>(...codes: readonly Code[]): this is this & { readonly code: Code } {
    return (codes as readonly ProblemCode[]).includes(this.code);
  }
}

/** 4xx without a class of its own: the request must be corrected; `document.errors` says where. */
export class InvalidRequest extends Problem {
  override readonly name = 'InvalidRequest';
}

/** 401: the credential is missing, wrong or expired. */
export class Unauthenticated extends Problem {
  override readonly name = 'Unauthenticated';
}

/** 403: the credential is good, and may not do this. */
export class Forbidden extends Problem {
  override readonly name = 'Forbidden';
}

/** 404, 410: there is no such thing, or it is gone. */
export class NotFound extends Problem {
  override readonly name = 'NotFound';
}

/** 409, 412: the state is another one than the request supposes. */
export class Conflict extends Problem {
  override readonly name = 'Conflict';
}

/** 423, and any `…-altered`: what is stored is not what was signed, which no repeat mends. */
export class Locked extends Problem {
  override readonly name = 'Locked';
}

/**
 * 408, 429, 503, and 409 `idempotency-key-in-progress`: the same request may be sent again under the
 * same key, after `retryAfter`.
 */
export class TryLater extends Problem {
  override readonly name = 'TryLater';
}

/** 500, 502, 507: the service could not; its operator finds out by `requestId`. */
export class ServiceFailed extends Problem {
  override readonly name = 'ServiceFailed';
}

const BY_CODE: Readonly<Partial<Record<ProblemCode, typeof Problem>>> = {
  'idempotency-key-in-progress': TryLater,
};

const BY_STATUS: Readonly<Record<number, typeof Problem>> = {
  401: Unauthenticated,
  403: Forbidden,
  404: NotFound,
  408: TryLater,
  409: Conflict,
  410: NotFound,
  412: Conflict,
  423: Locked,
  429: TryLater,
  503: TryLater,
};

/** An answer of 400 and above as an error; one that is no problem document keeps its status. */
export function problemOf(body: unknown, response: Response): Error {
  const { status } = response;
  if (!isProblemDocument(body)) return new Error(`HTTP ${status} from ${response.url}`);
  const Class = ofCode(body.code) ?? BY_STATUS[status] ?? classOf(status);
  return new Class(body, retryAfterOf(response));
}

const ofCode = (code: ProblemCode): typeof Problem | undefined =>
  code.endsWith('-altered') ? Locked : BY_CODE[code];

const classOf = (status: number) => (status < 500 ? InvalidRequest : ServiceFailed);

/** Seconds of Retry-After (RFC 9110 10.2.3), which the service gives as a number. */
export function retryAfterOf(response: Response): number | undefined {
  const text = response.headers.get('Retry-After');
  return text !== null && /^\d{1,6}$/.test(text) ? Number(text) : undefined;
}

function isProblemDocument(body: unknown): body is ProblemDocument {
  if (typeof body !== 'object' || body === null) return false;
  const { code, status } = body as Partial<ProblemDocument>;
  return typeof code === 'string' && typeof status === 'number';
}

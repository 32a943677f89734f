/** A refusal of the API, as its problem document says it. */
export interface Violation {
  /** Into the body (RFC 6901), or `header:…`, `?…`. */
  readonly pointer: string;
  readonly code: string;
  readonly detail: string;
}

export class Problem extends Error {
  override readonly name = 'Problem';
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  /** All that is wrong with what was sent. */
  readonly errors: readonly Violation[];

  constructor(
    status: number,
    body: {
      readonly code?: string;
      readonly detail?: string;
      readonly errors?: readonly Violation[];
    },
  ) {
    super(body.detail ?? body.code ?? String(status));
    this.status = status;
    this.code = body.code ?? 'internal';
    this.detail = body.detail ?? '';
    this.errors = body.errors ?? [];
  }
}

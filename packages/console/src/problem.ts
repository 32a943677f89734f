/** A refusal of the API, as its problem document says it. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly status: number;
  readonly code: string;
  readonly detail: string;

  constructor(status: number, body: { readonly code?: string; readonly detail?: string }) {
    super(body.detail ?? body.code ?? String(status));
    this.status = status;
    this.code = body.code ?? 'internal';
    this.detail = body.detail ?? '';
  }
}

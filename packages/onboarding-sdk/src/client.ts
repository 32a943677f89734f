/**
 * The calls of a session. Every change goes under a key of its own, and is sent again under the
 * same key where the network or the service failed: it is done once.
 */
import type { FormDefinition, FormSchema } from '../../../src/slices/forms/definition.ts';

/** Version of this SDK, as the service is told it. */
export const VERSION = '1.0.0';

/** A form as it is filled in. */
export interface ActiveForm extends Omit<FormDefinition, 'schema'> {
  readonly form_id: string;
  readonly version: string;
  readonly schema: FormSchema & {
    readonly data: { readonly $defs?: { readonly country?: { readonly enum: readonly string[] } } };
  };
}

/** The customer's own session. */
export interface OwnSession {
  readonly case_id: string;
  readonly draft: { readonly data: Readonly<Record<string, unknown>> } | null;
  readonly expires_at: string;
  readonly form_id: string;
  readonly locale: string;
  readonly return_url: string | null;
  readonly submitted: boolean;
}

/** A refusal of the service, by its code. */
export class OnboardingError extends Error {
  override readonly name = 'OnboardingError';
  readonly status: number;
  readonly code: string;
  readonly errors: readonly { readonly code: string; readonly pointer: string }[];

  constructor(status: number, problem: Partial<OnboardingError>) {
    super(problem.code ?? `status ${status}`);
    this.status = status;
    this.code = problem.code ?? 'unreachable';
    this.errors = problem.errors ?? [];
  }

  /** The same request may pass a moment later. */
  get isTransient(): boolean {
    return (
      this.status === 0 || this.status === 429 || this.status >= 500 || this.code === IN_PROGRESS
    );
  }

  /** The link opens nothing: whatever the reason, the customer is told the same. */
  get isEnded(): boolean {
    return this.status === 401 || this.status === 403;
  }
}

const TRIES = 3;
const PAUSE_MS = 1_000;
/** A customer waits no longer at a stretch: he is told, and tries again himself. */
const PAUSE_MS_MAX = 15_000;
/** A request under this key is being worked on: its answer is there when it has ended. */
const IN_PROGRESS = 'idempotency-key-in-progress';

/** `randomUUID` is there on HTTPS and loopback alone. */
function freshKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

export class Client {
  readonly #token: string;
  readonly #origin: string;

  constructor(token: string, origin: string) {
    this.#token = token;
    this.#origin = origin;
  }

  own(): Promise<OwnSession> {
    return this.#send('GET', '/v1/onboarding/sessions/own');
  }

  form(formId: string): Promise<ActiveForm> {
    return this.#send('GET', `/v1/forms/${formId}/active`);
  }

  submit(formId: string, body: object): Promise<object> {
    return this.#send('POST', `/v1/forms/${formId}/submissions`, JSON.stringify(body));
  }

  async upload(caseId: string, kind: string, file: Blob): Promise<string> {
    const form = new FormData();
    form.set('kind', kind);
    form.set('file', file);
    const path = `/v1/kyc/cases/${caseId}/documents`;
    const { document_id } = await this.#send<{ document_id: string }>('POST', path, form);
    return document_id;
  }

  /** A fresh link goes to the address on file; the answer says nothing. */
  regenerate(): Promise<object> {
    return this.#send('POST', '/v1/onboarding/sessions/regenerate', '');
  }

  async #send<Answer>(method: string, path: string, body?: FormData | string): Promise<Answer> {
    const headers: Record<string, string> = {
      Authorization: `Bearer ${this.#token}`,
      'X-SDK-Version': `web/${VERSION}`,
      ...(method === 'POST' && { 'Idempotency-Key': freshKey() }),
      ...(typeof body === 'string' && body !== '' && { 'Content-Type': 'application/json' }),
    };
    const init: RequestInit = { cache: 'no-store', credentials: 'omit', headers, method };
    if (body !== undefined && body !== '') init.body = body;
    for (let tries = 1; ; tries++) {
      const response = await fetch(this.#origin + path, init).catch(() => undefined);
      if (response?.ok) return (await response.json()) as Answer;
      const failure = await failureOf(response);
      const pauseMs = Math.max(PAUSE_MS * tries, askedMs(response));
      if (tries === TRIES || !failure.isTransient || pauseMs > PAUSE_MS_MAX) throw failure;
      await new Promise((done) => setTimeout(done, pauseMs));
    }
  }
}

/** Of Retry-After, which the service gives in seconds; a proxy may give a date, which is left. */
function askedMs(response: Response | undefined): number {
  const text = response?.headers.get('retry-after') ?? '';
  return /^\d{1,6}$/.test(text) ? Number(text) * 1_000 : 0;
}

async function failureOf(response: Response | undefined): Promise<OnboardingError> {
  if (response === undefined) return new OnboardingError(0, {});
  const text = await response.text();
  const isProblem = response.headers.get('content-type')?.includes('json') === true;
  return new OnboardingError(response.status, isProblem ? JSON.parse(text) : {});
}

import { follow, type StreamedEvent } from './eventStream.js';
import { createClient, createConfig } from './generated/client/index.js';
import { Operations } from './generated/sdk.gen.js';
import { problemOf } from './problem.js';
import { sendingAgain, sleepFor } from './sending.js';

export type { StreamedEvent } from './eventStream.js';
export type * from './generated/types.gen.js';
export { type Page, rowsOf } from './pages.js';
export {
  Conflict,
  Forbidden,
  InvalidRequest,
  Locked,
  NotFound,
  Problem,
  type ProblemCode,
  ServiceFailed,
  TryLater,
  Unauthenticated,
} from './problem.js';
export { ForgedWebhook, verifyWebhook, type WebhookCall, type WebhookEvent } from './webhooks.js';

export interface Connection {
  /** As `https://compliance.bank.example`, without a path. */
  readonly baseUrl: string;
  /** `cp_live_…` or `cp_test_…`; or */
  readonly apiKey?: string;
  /** a token of the identity provider, asked for before each call. */
  readonly token?: () => Promise<string> | string;
  readonly fetch?: typeof fetch;
  /** How often a call is sent again that was not done, or whose answer was lost (3). */
  readonly retries?: number;
  /** No call is sent again later than this after it was first sent (120,000 ms). */
  readonly retryForMs?: number;
}

export interface Upload {
  /** A file, or a stream of it, which is sent as it is read and therefore once. */
  readonly body: Blob | ReadableStream<Uint8Array<ArrayBuffer>>;
  readonly contentType: string;
  /** Of the order, so that it can be sent again by the caller; else a fresh one. */
  readonly idempotencyKey?: string;
  readonly method?: 'POST' | 'PUT';
  /** With its query, as `/v1/aml/transactions/ingest?format=csv_service`. */
  readonly path: string;
  readonly signal?: AbortSignal;
}

const RETRIES = 3;
const RETRY_FOR_MS = 120_000;

/** Every operation of the service as a method of its operationId; a refusal is a `Problem`. */
export class ComplianceClient extends Operations {
  readonly #connection: Connection;
  readonly #send: typeof fetch;

  constructor(connection: Connection) {
    const { apiKey, baseUrl, token } = connection;
    if ((apiKey === undefined) === (token === undefined)) {
      throw new TypeError('expected either apiKey or token');
    }
    const send = sender(connection, connection.retries ?? RETRIES);
    const client = createClient(
      createConfig({
        baseUrl,
        fetch: send,
        throwOnError: true,
        // Asked for each way that an operation names; what is undefined is not sent.
        auth: ({ type }) => (type === 'apiKey' ? apiKey : token?.()),
      }),
    );
    client.interceptors.error.use((error, response) =>
      response === undefined ? error : problemOf(error, response),
    );
    super({ client });
    this.#connection = connection;
    this.#send = send;
  }

  /** Alerts as they are raised and worked on, without end; goes on behind `lastEventId`. */
  async *alerts(
    options: { readonly lastEventId?: string; readonly signal?: AbortSignal } = {},
  ): AsyncGenerator<StreamedEvent, void> {
    const signal = options.signal ?? new AbortController().signal;
    yield* follow({
      lastEventId: options.lastEventId,
      open: async (lastEventId, ended) => {
        const headers = await this.#credential();
        if (lastEventId !== undefined) headers.set('Last-Event-ID', lastEventId);
        return this.#send(this.#at('/v1/aml/alerts/stream'), { headers, signal: ended });
      },
      signal,
      sleep: sleepFor,
    });
  }

  /** Sends a file of any size without holding it, and answers what the operation answers. */
  async upload<Answer>(upload: Upload): Promise<Answer> {
    const { body, contentType, idempotencyKey, method = 'POST', path, signal } = upload;
    const headers = await this.#credential();
    headers.set('Content-Type', contentType);
    if (idempotencyKey !== undefined) headers.set('Idempotency-Key', idempotencyKey);
    const isStream = body instanceof ReadableStream;
    const streamed = { duplex: 'half' } as RequestInit;
    // A stream cannot be sent again: the first answer counts.
    const send = isStream ? sender(this.#connection, 0) : this.#send;
    const answer = await send(this.#at(path), {
      body,
      headers,
      method,
      ...(isStream && streamed),
      ...(signal && { signal }),
    });
    const text = await answer.text();
    const read = jsonOf(text);
    if (!answer.ok) throw problemOf(read, answer);
    return read as Answer;
  }

  #at(path: string): string {
    return new URL(path, this.#connection.baseUrl).href;
  }

  async #credential(): Promise<Headers> {
    const { apiKey, token } = this.#connection;
    if (apiKey !== undefined) return new Headers({ 'X-API-Key': apiKey });
    return new Headers({ Authorization: `Bearer ${await token?.()}` });
  }
}

function sender(connection: Connection, retries: number): typeof fetch {
  return sendingAgain({
    fetch: connection.fetch ?? ((input, init) => fetch(input, init)),
    now: () => performance.now(),
    retries,
    retryForMs: connection.retryForMs ?? RETRY_FOR_MS,
    sleep: sleepFor,
  });
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What an attack is, and how it asks. */
import { randomUUID } from 'node:crypto';
import { pick } from './hostileText.ts';

export interface Target {
  readonly origin: string;
  /** Keys of the hostile tenants. */
  readonly apiKeys: readonly string[];
  /** Hostile tenants with a batch each that is over and has hits. */
  readonly prepared: readonly { readonly apiKey: string; readonly batchId: string }[];
  /** Subjects of a costly batch. */
  readonly subjects: number;
}

export interface Attack {
  readonly name: string;
  readonly perSecond: number;
  /** No more of them are under way. */
  readonly atOnce: number;
  readonly run: (target: Target) => Promise<string>;
  /** Its body is long: what it costs is judged by what it holds up alone. */
  readonly isUpload?: boolean;
  /** What must not come of it, beside a fault of ours. */
  readonly mustNot?: RegExp;
}

export const PATIENCE_MS = 60_000;
export const keyOf = ({ apiKeys }: Target): string => apiKeys[pick(apiKeys.length)] ?? '';

export async function ask(
  target: Target,
  path: string,
  {
    body,
    headers = {},
    ms = PATIENCE_MS,
  }: {
    readonly body?: string | Buffer | FormData;
    readonly headers?: Readonly<Record<string, string>>;
    readonly ms?: number;
  } = {},
): Promise<string> {
  const isPlain = typeof body === 'string' || Buffer.isBuffer(body);
  return fetch(target.origin + path, {
    headers: {
      'idempotency-key': randomUUID(),
      ...(isPlain && { 'content-type': 'application/json' }),
      ...headers,
    },
    signal: AbortSignal.timeout(ms),
    ...(body !== undefined && { body: body as NonNullable<RequestInit['body']>, method: 'POST' }),
  }).then(
    async (response) => {
      await response.arrayBuffer();
      return `${response.status}`;
    },
    (error: unknown) => (error instanceof Error && error.name === 'TimeoutError' ? 'late' : 'cut'),
  );
}

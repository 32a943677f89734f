/**
 * Requests to a bucket: signed (AWS Signature Version 4), tried again with backoff, with a time
 * limit on every wait. Bodies are bytes in memory, a part of an upload at most, so that each
 * attempt sends the same ones and the signature covers them.
 *
 * Every unexpected answer is `store-unavailable`. The cause describes it and contains no
 * credential: keys are in headers, and no header is repeated anywhere.
 */
import { createHash } from 'node:crypto';
import { AwsV4Signer } from 'aws4fetch';
import { Agent, type Dispatcher, request } from 'undici';
import { DomainError } from '#core/kernel';
import { type Clock, toTimestamp } from '#platform/clock';
import type { Random } from '#platform/random';
import { readElements } from './s3Xml.ts';

export const S3_ATTEMPTS_MAX = 5;
const BACKOFF_MS = 200;
const CONNECT_TIMEOUT_MS = 5_000;
/** From the end of a request to the head of its answer: putting a large object together is slow. */
const HEADERS_TIMEOUT_MS = 60_000;
/** Between two pieces of a body. */
const IDLE_TIMEOUT_MS = 30_000;
const SOCKETS_MAX = 32;
/** Bytes of an answer that is read as text: a page of a thousand keys is a third of it. */
const TEXT_BYTES_MAX = 4 * 1024 * 1024;
const WEATHER: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);
/** Refusals that S3 itself asks to try again. */
const WEATHER_CODES = /^(RequestTimeout|SlowDown|ConditionalRequestConflict|OperationAborted)$/;

/** SHA-256 in the header's form: the server checks it, keeps it, and answers it. */
export function checksumOf(body: Uint8Array): Readonly<Record<string, string>> {
  return {
    'x-amz-checksum-sha256': createHash('sha256').update(body).digest('base64'),
    'x-amz-sdk-checksum-algorithm': 'SHA256',
  };
}

export interface S3Place {
  /** Origin, and a path where the bucket is not in the host name. No slash at its end. */
  readonly bucketUrl: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export interface S3Tools {
  readonly clock: Clock;
  readonly random: Random;
  readonly sleep: (ms: number) => Promise<void>;
  /** For tests: shorter ones. */
  readonly timeoutsMs?: { readonly idle: number; readonly headers: number };
}

export interface S3Ask {
  readonly method: 'DELETE' | 'GET' | 'HEAD' | 'POST' | 'PUT';
  /** Absent: the bucket itself. Letters, digits and `._-/`: nothing that is spelled two ways. */
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Statuses that are answers; every other one is a failure. */
  readonly answers: readonly number[];
}

export interface S3Answer {
  readonly status: number;
  header(name: string): string | undefined;
  /** To be read, or ended by leaving it half read: it holds a connection. */
  readonly body: AsyncIterable<Uint8Array>;
}

export interface S3TextAnswer {
  readonly status: number;
  header(name: string): string | undefined;
  readonly content: string;
}

/** One attempt that came to nothing. */
export class S3Failure extends Error {
  override readonly name = 'S3Failure';
  /** None: no answer came. */
  readonly status: number | undefined;
  readonly isWeather: boolean;

  constructor(message: string, of: { status?: number; isWeather: boolean; cause?: unknown }) {
    super(message, { cause: of.cause });
    this.status = of.status;
    this.isWeather = of.isWeather;
  }
}

export class S3Client {
  readonly #place: S3Place;
  readonly #tools: S3Tools;
  readonly #agent: Agent;
  /** Keys derived from the secret, one a day. */
  readonly #derivedKeys = new Map<string, ArrayBuffer>();

  constructor(place: S3Place, tools: S3Tools) {
    this.#place = place;
    this.#tools = tools;
    this.#agent = new Agent({
      bodyTimeout: tools.timeoutsMs?.idle ?? IDLE_TIMEOUT_MS,
      connect: { timeout: CONNECT_TIMEOUT_MS },
      connections: SOCKETS_MAX,
      headersTimeout: tools.timeoutsMs?.headers ?? HEADERS_TIMEOUT_MS,
    });
  }

  /** Idempotent asks only: an attempt whose answer is lost is made again. */
  async send(ask: S3Ask): Promise<S3Answer> {
    return this.retried(() => this.#attempt(ask));
  }

  async sendForText(ask: S3Ask): Promise<S3TextAnswer> {
    return this.retried(() => this.sendOnce(ask));
  }

  /** For use in `retried`: throws S3Failure. */
  async sendOnce(ask: S3Ask): Promise<S3TextAnswer> {
    const { body, header, status } = await this.#attempt(ask);
    return { content: (await wholeOf(body)).toString('utf8'), header, status };
  }

  /** `store-unavailable` after the last attempt, and at once where another is of no use. */
  async retried<Value>(attempt: () => Promise<Value>): Promise<Value> {
    for (let failed = 1; ; failed++) {
      try {
        return await attempt();
      } catch (error) {
        const failure = error instanceof S3Failure ? error : brokenOff(error);
        if (!failure.isWeather || failed >= S3_ATTEMPTS_MAX) throw unavailable(failure);
        await this.backOff(failed);
      }
    }
  }

  /** Half to one and a half of a time that doubles. */
  async backOff(failed: number): Promise<void> {
    const share = 0.5 + (this.#tools.random.bytes(1)[0] ?? 0) / 256;
    await this.#tools.sleep(Math.round(BACKOFF_MS * 2 ** (failed - 1) * share));
  }

  /** Exactly `bytes`: the range that the ask names. */
  async sendForBytes(ask: S3Ask, bytes: number): Promise<Uint8Array> {
    return this.retried(async () => {
      const { body } = await this.#attempt(ask);
      const whole = await wholeOf(body, bytes);
      if (whole.length === bytes) return whole;
      throw brokenOff(new Error(`${whole.length} of ${bytes} bytes`));
    });
  }

  async #attempt(ask: S3Ask): Promise<S3Answer> {
    const { headers, url } = await this.#signed(ask);
    const response = await request(url, {
      body: ask.body ?? null,
      dispatcher: this.#agent,
      headers,
      method: ask.method,
    }).catch((error: unknown) => {
      throw brokenOff(error);
    });
    if (ask.answers.includes(response.statusCode)) return answerOf(response);
    const text = (await wholeOf(response.body)).toString('utf8');
    const code = readElements(text, ['Code'])?.[0]?.text ?? '';
    const status = response.statusCode;
    const isWeather = WEATHER.has(status) || WEATHER_CODES.test(code);
    const what = `${ask.method} of ${ask.key === undefined ? 'the bucket' : 'an object'}`;
    throw new S3Failure(`${what}: HTTP ${status} ${code}`.trimEnd(), { isWeather, status });
  }

  async #signed(ask: S3Ask): Promise<{ url: string; headers: Record<string, string> }> {
    const { accessKeyId, bucketUrl, region, secretAccessKey } = this.#place;
    const url = new URL(ask.key === undefined ? `${bucketUrl}/` : `${bucketUrl}/${ask.key}`);
    for (const [name, value] of Object.entries(ask.query ?? {})) url.searchParams.set(name, value);
    const payload = createHash('sha256').update(ask.body ?? new Uint8Array());
    const signer = new AwsV4Signer({
      accessKeyId,
      cache: this.#derivedKeys,
      // Its own would come from the system's clock.
      datetime: toTimestamp(this.#tools.clock.now()).replace(/[:-]|\.\d{3}/g, ''),
      headers: { ...ask.headers, 'x-amz-content-sha256': payload.digest('hex') },
      method: ask.method,
      region,
      secretAccessKey,
      service: 's3',
      url: url.href,
    });
    const signed = await signer.sign();
    return { headers: Object.fromEntries(signed.headers), url: signed.url.href };
  }
}

function answerOf({ body, headers, statusCode }: Dispatcher.ResponseData): S3Answer {
  return {
    body,
    header: (name) => {
      const value = headers[name];
      return Array.isArray(value) ? value[0] : value;
    },
    status: statusCode,
  };
}

async function wholeOf(
  body: AsyncIterable<Uint8Array>,
  bytesMax = TEXT_BYTES_MAX,
): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const piece of body) {
      bytes += piece.length;
      if (bytes > bytesMax) throw new Error(`an answer of more than ${bytesMax} bytes`);
      pieces.push(piece);
    }
  } catch (error) {
    throw brokenOff(error);
  }
  return Buffer.concat(pieces);
}

/** A connection that could not be had, was reset, or fell silent. */
export function brokenOff(cause: unknown): S3Failure {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'broken off';
  return new S3Failure(`no answer: ${code}`, { cause, isWeather: true });
}

/** Also for an answer that itself means this. */
export function unavailable(failure: S3Failure): DomainError {
  return new DomainError('store-unavailable', {
    cause: failure,
    detail: `the object store: ${failure.message}`,
    ...(failure.isWeather && { retryAfterS: 5 }),
  });
}

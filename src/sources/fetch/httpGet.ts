/**
 * One conditional GET of a list, redirects followed, its body spooled. Only over https; over http
 * only to this host itself, where the operator allows it. A redirect is checked as the first
 * address is, and leads to a place that the operator named only from another such place. Errors
 * name only host and path of an address, because queries contain tokens.
 */
import { type Dispatcher, request } from 'undici';
import { DomainError } from '#core/kernel';
import { gunzip } from './gunzip.ts';
import { codeOf, failureOf } from './networkErrors.ts';
import { FetchFailure, isPassingStatus, readRetryAfter } from './retry.ts';
import { type SpooledFile, spool } from './spool.ts';
import { isPlainlyLocal, type Way, type WayOut } from './wayOut.ts';

export const FETCH_REDIRECTS_MAX = 3;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

export interface HttpGet {
  readonly url: URL;
  /** Sent to the first host only: a credential goes to no host for which it was not made. */
  readonly secretHeaders: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly way: WayOut;
  readonly signal: AbortSignal;
  readonly spoolDirectory: string;
  readonly onBytes?: (bytes: number) => void;
  /** Every piece of the body, without its content encoding. */
  readonly onChunk?: (chunk: Uint8Array) => void;
  readonly bytesMax?: number;
  readonly now: () => number;
}

export type HttpAnswer =
  | { readonly status: 'not-modified' }
  | {
      readonly status: 'fetched';
      readonly file: SpooledFile;
      readonly etag?: string;
      readonly lastModified?: string;
    };

/** Rejects with FetchFailure, DomainError `list-damaged`, or the signal's reason. */
export async function httpGet(get: HttpGet): Promise<HttpAnswer> {
  const { named, publicOnly } = get.way;
  const wayOfRedirects = named.guard.isNamed(get.url) ? named : publicOnly;
  let url = get.url;
  for (let redirects = 0; ; redirects++) {
    const response = await send(get, url, redirects === 0 ? named : wayOfRedirects);
    const next = await redirectOf(response, url);
    if (next === undefined) return receive(get, url, response);
    if (redirects === FETCH_REDIRECTS_MAX) throw final(`${shown(get.url)}: too many redirects`);
    url = next;
  }
}

/** An address as it may be logged. */
export const shown = (url: URL): string => `${url.host}${url.pathname}`;

/** Throws FetchFailure for an address that may not be called. */
export function refuseAddress(url: URL, { guard }: Pick<Way, 'guard'>): void {
  if (!guard.allows(url)) throw final(`${shown(url)}: ${guard.refusal().message}`);
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isPlainlyLocal(url))) return;
  throw final(`${shown(url)}: expected https, got ${url.protocol.slice(0, -1)}`);
}

async function send(get: HttpGet, url: URL, way: Way): Promise<Dispatcher.ResponseData> {
  refuseAddress(url, way);
  const secrets = url.origin === get.url.origin ? get.secretHeaders : {};
  try {
    return await request(url, {
      dispatcher: way.dispatcher,
      headers: { 'accept-encoding': 'gzip', ...get.headers, ...secrets },
      signal: get.signal,
    });
  } catch (error) {
    throw networkFailure(get, url, error);
  }
}

async function redirectOf(response: Dispatcher.ResponseData, from: URL): Promise<URL | undefined> {
  if (!REDIRECTS.has(response.statusCode)) return undefined;
  await drop(response);
  const location = one(response, 'location');
  if (location === undefined || !URL.canParse(location, from.href)) {
    throw final(`${shown(from)}: a redirect to nowhere`);
  }
  return new URL(location, from);
}

/** Its rest is read and thrown away, so that the connection may serve again. */
async function drop(response: Dispatcher.ResponseData): Promise<void> {
  await response.body.dump({ limit: 65_536 }).catch(() => undefined); // cut: the body is not needed
}

/** Closes the connection: the rest may be long. Its own error is of no interest. */
function abandon({ body }: Dispatcher.ResponseData): void {
  body.on('error', () => undefined).destroy();
}

async function receive(
  get: HttpGet,
  url: URL,
  response: Dispatcher.ResponseData,
): Promise<HttpAnswer> {
  const { statusCode } = response;
  if (statusCode === 304) {
    await drop(response);
    if (isConditional(get.headers)) return { status: 'not-modified' };
    // A server that answers 304 without a condition may do so for ever: perhaps a cache on the way.
    const message = `${shown(url)}: HTTP 304 to a request without conditions`;
    throw new FetchFailure(message, { isWorthRetrying: true });
  }
  if (statusCode !== 200) {
    await drop(response);
    throw new FetchFailure(`${shown(url)}: HTTP ${statusCode}`, {
      isWorthRetrying: isPassingStatus(statusCode),
      retryAfterMs: readRetryAfter(one(response, 'retry-after'), get.now()),
      statusCode,
    });
  }
  const file = await receiveBody(get, url, response);
  const etag = one(response, 'etag');
  const lastModified = one(response, 'last-modified');
  return {
    file,
    status: 'fetched',
    ...(etag !== undefined && { etag }),
    ...(lastModified !== undefined && { lastModified }),
  };
}

const isConditional = (headers: HttpGet['headers']): boolean =>
  headers['if-none-match'] !== undefined || headers['if-modified-since'] !== undefined;

async function receiveBody(
  get: HttpGet,
  url: URL,
  response: Dispatcher.ResponseData,
): Promise<SpooledFile> {
  const encoding = (one(response, 'content-encoding') ?? 'identity').toLowerCase();
  const isGzip = encoding === 'gzip' || encoding === 'x-gzip';
  if (!isGzip && encoding !== 'identity') {
    abandon(response);
    throw final(`${shown(url)}: content encoding '${encoding.slice(0, 20)}'`);
  }
  const body = whole(response, url);
  try {
    return await spool(isGzip ? gunzip(body) : body, {
      directory: get.spoolDirectory,
      ...(get.bytesMax !== undefined && { bytesMax: get.bytesMax }),
      ...(get.onBytes !== undefined && { onBytes: get.onBytes }),
      ...(get.onChunk !== undefined && { onChunk: get.onChunk }),
    });
  } catch (error) {
    abandon(response);
    if (error instanceof DomainError || error instanceof FetchFailure) throw error;
    throw networkFailure(get, url, error);
  }
}

/** The body, no byte less than its length says. */
async function* whole(response: Dispatcher.ResponseData, url: URL): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of response.body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    yield chunk;
  }
  const length = one(response, 'content-length');
  if (length === undefined || Number(length) === bytes) return;
  throw new FetchFailure(`${shown(url)}: cut after ${bytes} of ${length} bytes`, {
    isWorthRetrying: true,
  });
}

function one(response: Dispatcher.ResponseData, name: string): string | undefined {
  const value = response.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

const final = (message: string) => new FetchFailure(message, { isWorthRetrying: false });

/**
 * A transient failure, unless it is the disk's: another attempt may help. The error's own text is
 * not reported, since it may quote the address.
 */
function networkFailure(get: HttpGet, url: URL, error: unknown): unknown {
  if (get.signal.aborted) return get.signal.reason;
  const code = codeOf(error);
  if (code === 'ENOSPC' || code === 'EROFS' || code === 'EACCES') return error;
  const { isWorthRetrying, words } = failureOf(error);
  return new FetchFailure(`${shown(url)}: ${words}`, { cause: error, isWorthRetrying });
}

/**
 * Lists over HTTP (interface.md 4.9): conditional requests, tried again with backoff, through the
 * configured proxy, brought into the spool whole.
 *
 * After a 401 a feed with credentials is asked once more with a new token: the old one may have
 * been withdrawn.
 */
import { request } from 'undici';
import { DomainError } from '#core/kernel';
import type { Clock } from '#platform/clock';
import { AddressRefused } from '#platform/outbound/outboundGuard';
import { ProxyFailure } from '#platform/outbound/proxiedConnector';
import type { FetchedList, FetchListAsk, ListFetcher } from '#slices/ingestion';
import type { ListSource } from '#slices/lists';
import type { Authorizer, SendForm } from '../commercial/oauth2.ts';
import { type FtmAnswer, fetchFtm, type GetFile } from './ftmFetch.ts';
import { type HttpAnswer, type HttpGet, httpGet, refuseAddress, shown } from './httpGet.ts';
import { failureOf } from './networkErrors.ts';
import { FetchFailure, type RetryTools, withRetries } from './retry.ts';
import { openWayOut, type Way, type WayOut, type WayOutOptions } from './wayOut.ts';

/** Milliseconds for a whole list, with all attempts. */
const TOTAL_TIMEOUT_MS = 45 * 60_000;
const TOKEN_TIMEOUT_MS = 30_000;
const UNAUTHORIZED = 401;

/** Headers that a publisher requires beside the address. */
const SOURCE_HEADERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  EU_CFSP: { 'accept-language': 'en' },
};

export interface HttpFetcherOptions extends RetryTools, WayOutOptions {
  readonly clock: Clock;
  readonly spoolDirectory: string;
  readonly userAgent: string;
  /** For feeds that require credentials; called once a source. */
  readonly authorizerOf?: (source: ListSource, send: SendForm) => Authorizer | undefined;
}

export interface HttpFetcher extends ListFetcher {
  close(): Promise<void>;
}

export function createHttpFetcher(options: HttpFetcherOptions): HttpFetcher {
  const { close, ...way } = openWayOut(options);
  const send: SendForm = (form) => sendForm(way.named, options.userAgent, form);
  const authorizers = new Map<string, Authorizer | undefined>();
  const authorizerOf = (source: ListSource): Authorizer | undefined => {
    const { sourceId } = source;
    if (!authorizers.has(sourceId)) authorizers.set(sourceId, options.authorizerOf?.(source, send));
    return authorizers.get(sourceId);
  };
  return {
    close,
    fetch: (ask) => fetchList(ask, { ...options, authorizer: authorizerOf(ask.source), way }),
  };
}

interface Tools extends HttpFetcherOptions {
  readonly authorizer: Authorizer | undefined;
  readonly way: WayOut;
}

async function fetchList(ask: FetchListAsk, tools: Tools): Promise<FetchedList> {
  const url = addressOf(ask.source);
  const signal = AbortSignal.any([ask.signal, AbortSignal.timeout(TOTAL_TIMEOUT_MS)]);
  const validators = ask.kind === 'full' ? undefined : ask.source.validators;
  ask.onLog?.('info', `fetch ${shown(url)}${validators === undefined ? '' : ' if it changed'}`);
  if (tools.authorizer !== undefined && tools.authorizer.origin !== url.origin) {
    ask.onLog?.('warn', `without a token: that is for ${tools.authorizer.origin} alone`);
  }
  const get: GetFile = (at, { isConditional = false, ...options } = {}) =>
    getAuthorized(ask, {
      options,
      signal,
      tools,
      url: at,
      validators: isConditional ? validators : undefined,
    });
  const attempt = (): Promise<FtmAnswer> =>
    ask.source.format === 'FtM_JSON'
      ? fetchFtm(ask, url, { get, spoolDirectory: tools.spoolDirectory })
      : get(url, { isConditional: true });
  try {
    const answer = await withRetries(attempt, {
      ...tools,
      onRetry: ({ message }, afterMs) =>
        ask.onLog?.('warn', `${message}: again in ${Math.round(afterMs / 1_000)} s`),
      signal,
    });
    return presentAnswer(answer);
  } catch (error) {
    ask.signal.throwIfAborted();
    if (signal.aborted) throw unreachable(`${shown(url)}: not whole after the time for it`, error);
    if (error instanceof FetchFailure) throw unreachable(error.message, error);
    throw error;
  }
}

function addressOf({ sourceId, url }: ListSource): URL {
  if (url !== undefined && URL.canParse(url)) return new URL(url);
  throw new DomainError('list-unreachable', { detail: `${sourceId}: no address is configured` });
}

interface Get {
  readonly tools: Tools;
  readonly url: URL;
  readonly signal: AbortSignal;
  readonly validators: ListSource['validators'];
  readonly options: Pick<HttpGet, 'bytesMax' | 'onChunk'>;
}

async function getAuthorized(ask: FetchListAsk, get: Get): Promise<HttpAnswer> {
  const { authorizer } = get.tools;
  try {
    return await getOnce(ask, get);
  } catch (error) {
    const isDenied = error instanceof FetchFailure && error.statusCode === UNAUTHORIZED;
    if (!isDenied || authorizer === undefined) throw error;
    authorizer.forget();
    return getOnce(ask, get);
  }
}

async function getOnce(ask: FetchListAsk, get: Get): Promise<HttpAnswer> {
  const { options, signal, tools, url, validators } = get;
  return httpGet({
    ...options,
    headers: {
      'user-agent': tools.userAgent,
      ...SOURCE_HEADERS[ask.source.sourceId],
      ...(validators?.etag !== undefined && { 'if-none-match': validators.etag }),
      ...(validators?.lastModified !== undefined && {
        'if-modified-since': validators.lastModified,
      }),
    },
    now: () => tools.clock.now(),
    secretHeaders: (await tools.authorizer?.authorize({ url: url.href })) ?? {},
    signal,
    spoolDirectory: tools.spoolDirectory,
    url,
    way: tools.way,
    ...(ask.onBytes !== undefined && { onBytes: ask.onBytes }),
  });
}

function presentAnswer(answer: FtmAnswer): FetchedList {
  if (answer.status === 'not-modified') return answer;
  return { ...answer, file: { ...answer.file, isBundle: false } };
}

const unreachable = (detail: string, cause: unknown) =>
  new DomainError('list-unreachable', { cause, detail });

/** One POST of a form, no redirects. The answer may be a secret, so none of it is logged. */
async function sendForm(
  way: Way,
  userAgent: string,
  form: Parameters<SendForm>[0],
): ReturnType<SendForm> {
  const url = new URL(form.url);
  refuseAddress(url, way);
  const cannot = (what: string, options?: { cause: unknown; isWorthRetrying: boolean }) =>
    new FetchFailure(`${shown(url)}: ${what}`, options ?? { isWorthRetrying: true });
  try {
    const { body, statusCode } = await request(url, {
      body: form.body,
      dispatcher: way.dispatcher,
      headers: { ...form.headers, 'user-agent': userAgent },
      method: 'POST',
      signal: AbortSignal.timeout(TOKEN_TIMEOUT_MS),
    });
    const pieces: Buffer[] = [];
    let bytes = 0;
    for await (const piece of body as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (bytes > form.bytesMax) throw cannot('an answer that is too long');
      pieces.push(piece);
    }
    return { body: Buffer.concat(pieces), status: statusCode };
  } catch (error) {
    if (error instanceof FetchFailure) throw error;
    const isRefused = error instanceof AddressRefused;
    const words = isRefused || error instanceof ProxyFailure ? failureOf(error).words : 'no answer';
    throw cannot(words, { cause: error, isWorthRetrying: !isRefused });
  }
}

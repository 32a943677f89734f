/**
 * One POST to an address that people gave us, hop by hop, within one deadline. It never throws: how
 * the call ended is its answer.
 *
 * Only 307 and 308 keep method and body, so only these are followed, and each hop is checked and
 * connected to as the first one is. Of the answer no more than its first bytes are read, as they
 * come: nothing is unpacked, and an answer without end costs what is kept of it.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { type Dispatcher, errors, request } from 'undici';
import { AddressRefused } from './outboundGuard.ts';

/** Why no answer came. */
export type CallFault =
  | 'connect'
  | 'dns'
  | 'malformed'
  | 'mtls'
  | 'redirect'
  | 'refused'
  | 'timeout'
  | 'tls';

/** How a call ended. */
export type CallResult = {
  readonly redirects: number;
} & (
  | {
      readonly code: number;
      readonly headers: IncomingHttpHeaders;
      /** The first bytes as UTF-8, cut between characters. */
      readonly body: string;
    }
  | { readonly fault: CallFault }
);

export interface CallOptions {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Its connections are guarded (guardedConnector.ts). */
  readonly dispatcher: Dispatcher;
  /** Whether a URL may be called as it is spelt: asked for each hop after the first. */
  readonly mayFollow: (url: URL) => boolean;
  readonly timeoutMs: number;
  readonly redirectsMax: number;
  readonly bodyBytesMax: number;
}

const FOLLOWED: ReadonlySet<number> = new Set([307, 308]);
/** Milliseconds for the rest of a body once its status is known. */
const BODY_MS_MAX = 2_000;
/** What is read past the kept bytes, so that a connection may be used again. */
const DRAIN_BYTES_MAX = 16 * 1_024;

export async function callOut(options: CallOptions): Promise<CallResult> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(new CallTimeout()), options.timeoutMs);
  let redirects = 0;
  try {
    for (let url = options.url; ; redirects++) {
      const answer = await post(options, url, deadline.signal);
      const next = nextHop(answer, url);
      if (next === undefined) {
        const body = await firstBytes(answer.body, options.bodyBytesMax);
        return { body, code: answer.statusCode, headers: answer.headers, redirects };
      }
      drop(answer.body);
      if (redirects === options.redirectsMax) return { fault: 'redirect', redirects };
      if (!options.mayFollow(next)) return { fault: 'refused', redirects };
      url = next;
    }
  } catch (error) {
    return { fault: faultOf(error), redirects };
  } finally {
    clearTimeout(timer);
  }
}

class CallTimeout extends Error {
  override readonly name = 'CallTimeout';
}

const post = (
  { body, dispatcher, headers, timeoutMs }: CallOptions,
  url: URL,
  signal: AbortSignal,
): Promise<Dispatcher.ResponseData> =>
  request(url, {
    body,
    bodyTimeout: timeoutMs,
    dispatcher,
    headers,
    headersTimeout: timeoutMs,
    method: 'POST',
    signal,
  });

function nextHop(answer: Dispatcher.ResponseData, from: URL): URL | undefined {
  const { location } = answer.headers;
  if (!FOLLOWED.has(answer.statusCode) || typeof location !== 'string') return undefined;
  return URL.canParse(location, from.href) ? new URL(location, from) : undefined;
}

/** The status is known by now, so nothing that the body does changes how the call ended. */
async function firstBytes(body: Dispatcher.ResponseData['body'], max: number): Promise<string> {
  const timer = setTimeout(() => body.destroy(), BODY_MS_MAX);
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const piece of body) {
      if (bytes < max) pieces.push((piece as Buffer).subarray(0, max - bytes));
      bytes += (piece as Buffer).length;
      if (bytes > DRAIN_BYTES_MAX) break;
    }
  } catch (error) {
    // Cut off, or dropped by the timer above: what came is kept.
    if (!(error instanceof Error)) throw error;
  } finally {
    clearTimeout(timer);
    drop(body);
  }
  return utf8Of(Buffer.concat(pieces));
}

/** Ends the connection where the body has not ended. */
function drop(body: Dispatcher.ResponseData['body']): void {
  body.on('error', () => undefined);
  body.destroy();
}

/** A character that the cut has split is left out; other bytes that are none are replaced. */
const utf8Of = (bytes: Buffer): string =>
  new TextDecoder('utf-8').decode(bytes, { stream: true }).replaceAll('\0', '\uFFFD');

const DNS_CODES: ReadonlySet<string> = new Set(['EAI_AGAIN', 'ENODATA', 'ENOTFOUND', 'ESERVFAIL']);
const TLS_CODE =
  /^(?:CERT_|DEPTH_|ERR_SSL_|ERR_TLS_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|EPROTO)/;
/** Alerts by which a server says that it wants another certificate, or one at all. */
const CERTIFICATE_ALERT = /ALERT_(?:BAD_CERT|CERTIFICATE|UNKNOWN_CA|ACCESS_DENIED|HANDSHAKE_FAIL)/;

function faultOf(error: unknown): CallFault {
  if (error instanceof AddressRefused) return 'refused';
  if (error instanceof CallTimeout || error instanceof errors.ConnectTimeoutError) return 'timeout';
  if (error instanceof errors.HeadersTimeoutError || error instanceof errors.BodyTimeoutError) {
    return 'timeout';
  }
  const { cause, code = '' } = error as { readonly cause?: unknown; readonly code?: string };
  if (cause instanceof AddressRefused) return 'refused';
  if (DNS_CODES.has(code)) return 'dns';
  if (TLS_CODE.test(code)) return CERTIFICATE_ALERT.test(code) ? 'mtls' : 'tls';
  if (code.startsWith('HPE_') || error instanceof errors.HTTPParserError) return 'malformed';
  return error instanceof errors.HeadersOverflowError ? 'malformed' : 'connect';
}

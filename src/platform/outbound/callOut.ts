/**
 * One POST to an address that people gave us, hop by hop, within one deadline. It never throws: how
 * the call ended is its answer.
 *
 * Only 307 and 308 keep method and body, so only these are followed, and each hop is checked and
 * connected to as the first one is. Of the answer no more than its first bytes are read, as they
 * come: nothing is unpacked, and an answer without end costs what is kept of it.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { type Dispatcher, errors } from 'undici';
import { AddressRefused } from './outboundGuard.ts';
import type { Peer } from './peer.ts';
import { type PostAnswer, PostHandler } from './postHandler.ts';
import { ProxyFailure } from './proxiedConnector.ts';

/** Why no answer came. */
export type CallFault =
  | 'connect'
  | 'dns'
  | 'malformed'
  | 'mtls'
  | 'proxy'
  | 'redirect'
  | 'refused'
  | 'timeout'
  | 'tls';

/** How a call ended. */
export type CallResult = {
  readonly redirects: number;
  /** The connection of the last hop; absent: there was none. */
  readonly peer?: Peer;
  /** The address that was called says that it has moved for good. */
  readonly isMoved?: true;
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
  /** Its connections are guarded (guardedConnector.ts), and told of (peer.ts). */
  readonly dispatcher: Dispatcher;
  /** Whether a URL may be called as it is spelt: asked for each hop after the first. */
  readonly mayFollow: (url: URL) => boolean;
  readonly timeoutMs: number;
  readonly redirectsMax: number;
  readonly bodyBytesMax: number;
  /** A certificate of our own is shown: what the other end says of certificates may be of ours. */
  readonly hasCertificate?: boolean;
}

const FOLLOWED: ReadonlySet<number> = new Set([307, 308]);
const MOVED: ReadonlySet<number> = new Set([301, 308]);

export async function callOut(options: CallOptions): Promise<CallResult> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(new CallTimeout()), options.timeoutMs);
  let redirects = 0;
  let isMoved = false;
  let peer: Peer | undefined;
  const told = () => ({
    redirects,
    ...(peer !== undefined && { peer }),
    ...(isMoved && { isMoved }),
  });
  try {
    for (let url = options.url; ; redirects++) {
      const handler = new PostHandler({ bodyBytesMax: options.bodyBytesMax, isHop });
      const answer = await post(options, url, handler, deadline.signal).finally(() => {
        peer = handler.connection?.peer;
      });
      if (redirects === 0) isMoved = MOVED.has(answer.code);
      const next = nextHop(answer, url);
      if (next === undefined) {
        const body = utf8Of(answer.bytes, options.bodyBytesMax);
        return { ...told(), body, code: answer.code, headers: answer.headers };
      }
      if (redirects === options.redirectsMax) return { ...told(), fault: 'redirect' };
      if (!options.mayFollow(next)) return { ...told(), fault: 'refused' };
      url = next;
    }
  } catch (error) {
    return { ...told(), fault: faultOf(error, options.hasCertificate === true) };
  } finally {
    clearTimeout(timer);
  }
}

class CallTimeout extends Error {
  override readonly name = 'CallTimeout';
}

async function post(
  { body, dispatcher, headers, timeoutMs }: CallOptions,
  url: URL,
  handler: PostHandler,
  deadline: AbortSignal,
): Promise<PostAnswer> {
  deadline.throwIfAborted();
  const giveUp = (): void => handler.giveUp(deadline.reason as Error);
  deadline.addEventListener('abort', giveUp, { once: true });
  const asked = {
    body,
    bodyTimeout: timeoutMs,
    headers: { ...headers },
    headersTimeout: timeoutMs,
    method: 'POST',
    origin: url.origin,
    path: `${url.pathname}${url.search}`,
  };
  try {
    dispatcher.dispatch(asked, handler);
    return await handler.answered;
  } finally {
    deadline.removeEventListener('abort', giveUp);
  }
}

const isHop = (code: number, { location }: IncomingHttpHeaders): boolean =>
  FOLLOWED.has(code) && typeof location === 'string';

function nextHop({ code, headers }: PostAnswer, from: URL): URL | undefined {
  const { location = '' } = headers;
  if (!isHop(code, headers) || !URL.canParse(location, from.href)) return undefined;
  return new URL(location, from);
}

/**
 * A character that the cut has split is left out; other bytes that are none are replaced. What
 * stands for them is longer than they were, so the text is cut once more.
 */
function utf8Of(bytes: Buffer, max: number): string {
  if (bytes.length === 0) return '';
  const text = new TextDecoder('utf-8').decode(bytes, { stream: true }).replaceAll('\0', '\uFFFD');
  const written = new Uint8Array(max);
  const { written: length } = new TextEncoder().encodeInto(text, written);
  return new TextDecoder('utf-8').decode(written.subarray(0, length));
}

const DNS_CODES: ReadonlySet<string> = new Set(['EAI_AGAIN', 'ENODATA', 'ENOTFOUND', 'ESERVFAIL']);
const TLS_CODE =
  /^(?:CERT_|DEPTH_|ERR_SSL_|ERR_TLS_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|EPROTO)/;
/** Alerts by which a server says that it wants a certificate of a caller that has shown none. */
const CERTIFICATE_MISSED = /ALERT_(?:BAD_CERT|CERTIFICATE_REQUIRED)/;
/** Alerts for a certificate that was shown. Some say no more than that there is no handshake. */
const CERTIFICATE_REFUSED =
  /ALERT_(?:BAD_CERT|CERTIFICATE|UNSUPPORTED_CERT|UNKNOWN_CA|ACCESS_DENIED|HANDSHAKE_FAIL)/;
const AUTHENTICATION_REQUIRED = 407;

function faultOf(error: unknown, hasCertificate: boolean): CallFault {
  if (error instanceof AddressRefused) return 'refused';
  if (error instanceof ProxyFailure) {
    const { statusCode = AUTHENTICATION_REQUIRED } = error;
    return statusCode === AUTHENTICATION_REQUIRED ? 'proxy' : 'connect';
  }
  if (error instanceof CallTimeout || error instanceof errors.ConnectTimeoutError) return 'timeout';
  if (error instanceof errors.HeadersTimeoutError || error instanceof errors.BodyTimeoutError) {
    return 'timeout';
  }
  const { cause, code = '' } = error as { readonly cause?: unknown; readonly code?: string };
  if (cause instanceof AddressRefused) return 'refused';
  if (DNS_CODES.has(code)) return 'dns';
  if (TLS_CODE.test(code)) {
    const certificates = hasCertificate ? CERTIFICATE_REFUSED : CERTIFICATE_MISSED;
    return certificates.test(code) ? 'mtls' : 'tls';
  }
  return isMalformed(error, code) ? 'malformed' : 'connect';
}

/** The client's words for an answer of 100 or 101 that nobody asked for. */
const UNASKED = /^bad (?:response|upgrade)$/;

const isMalformed = (error: unknown, code: string): boolean =>
  code.startsWith('HPE_') ||
  error instanceof errors.HTTPParserError ||
  error instanceof errors.HeadersOverflowError ||
  (error instanceof errors.SocketError && UNASKED.test(error.message));

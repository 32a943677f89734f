/**
 * Connections of undici through the operator's proxy, by CONNECT. The proxy is given the address
 * that the guard checked and resolves nothing itself: otherwise the DNS could answer the guard with
 * one place and the proxy with another. TLS is with the host by its name, as without a proxy.
 *
 * A network without a DNS for outside names, and a proxy that knows places by their names alone,
 * need `resolvesNames`: then the guard goes by spelling, and the rest is the proxy's to judge.
 */
import { type ClientRequest, request as requestPlainly } from 'node:http';
import { request as requestByTls } from 'node:https';
import { isIP, isIPv6, type Socket } from 'node:net';
import type { SecureContextOptions } from 'node:tls';
import { buildConnector, errors } from 'undici';
import type { OutboundGuard } from './outboundGuard.ts';

/** Addresses of one name that are tried; the proxy may reach only some of them. */
const ADDRESSES_MAX = 4;
const AUTHENTICATION_REQUIRED = 407;

/** No connection to the proxy, or none by it. `statusCode` is its answer, where it gave one. */
export class ProxyFailure extends Error {
  override readonly name = 'ProxyFailure';
  readonly statusCode: number | undefined;

  constructor(options: { readonly cause?: unknown; readonly statusCode?: number | undefined }) {
    super('the proxy', { cause: options.cause });
    this.statusCode = options.statusCode;
  }
}

export interface ProxyOptions {
  /** `http:` or `https:`; may contain credentials. */
  readonly proxyUrl: string;
  /** For a tunnel, with all addresses that are tried, and once more for TLS through it. */
  readonly timeoutMs: number;
  /** The proxy is given names, not addresses. */
  readonly resolvesNames: boolean;
  /** For TLS through it: certificates of our own, and whom we believe. */
  readonly tls?: SecureContextOptions;
}

const tunnelled = new WeakMap<Socket, string>();

/** What the proxy was asked for, for a connection by it; undefined for any other. */
export const tunnelledAddress = (socket: Socket): string | undefined => tunnelled.get(socket);

/** Rejects with AddressRefused, with the failure of the DNS, or with ProxyFailure. */
export function proxiedConnector(
  guard: OutboundGuard,
  options: ProxyOptions,
): buildConnector.connector {
  const secure = buildConnector({ ...options.tls, timeout: options.timeoutMs });
  return (to, done) => {
    openTunnel(guard.forPort(portOf(to)), options, to).then(
      ({ host, socket }) => {
        const named = (...[error, by]: Parameters<typeof done>): void => {
          if (error === null) tunnelled.set(by, host);
          done(...([error, by] as Parameters<typeof done>));
        };
        if (to.protocol === 'https:') secure({ ...to, httpSocket: socket }, named);
        else named(null, socket);
      },
      (error: Error) => done(error, null),
    );
  };
}

async function openTunnel(
  guard: OutboundGuard,
  options: ProxyOptions,
  to: buildConnector.Options,
): Promise<{ readonly host: string; readonly socket: Socket }> {
  const signal = AbortSignal.timeout(options.timeoutMs);
  let failure: ProxyFailure | undefined;
  for (const host of await placesOf(guard, options, to.hostname)) {
    try {
      const authority = `${inAuthority(host)}:${portOf(to)}`;
      return { host, socket: await connectTo(authority, options.proxyUrl, signal) };
    } catch (error) {
      if (!(error instanceof ProxyFailure)) throw error;
      failure = error;
      // Without an answer, or without our credentials, it leads nowhere else either.
      if ((error.statusCode ?? AUTHENTICATION_REQUIRED) === AUTHENTICATION_REQUIRED) break;
    }
  }
  throw failure ?? guard.refusal();
}

const portOf = ({ port, protocol }: buildConnector.Options): number =>
  Number(port || (protocol === 'https:' ? 443 : 80));

/** What the proxy is asked for: checked addresses, or the name where it is the one to resolve. */
async function placesOf(
  guard: OutboundGuard,
  { resolvesNames }: ProxyOptions,
  hostname: string,
): Promise<readonly string[]> {
  if (!guard.allows(hostname)) throw guard.refusal();
  const bare = hostname.replace(/^\[|\]$/g, '');
  if (isIP(bare) !== 0 || resolvesNames) return [bare];
  const addresses = await new Promise<readonly string[]>((resolve, reject) => {
    guard.lookup(bare, { all: true }, (error, found) => {
      if (error) reject(error);
      else resolve((Array.isArray(found) ? found : []).map(({ address }) => address));
    });
  });
  return addresses.slice(0, ADDRESSES_MAX);
}

const inAuthority = (host: string): string => (isIPv6(host) ? `[${host}]` : host);

async function connectTo(
  authority: string,
  proxyUrl: string,
  signal: AbortSignal,
): Promise<Socket> {
  const asked = askFor(authority, new URL(proxyUrl));
  const { promise, reject, resolve } = Promise.withResolvers<Socket>();
  const fail = (cause: unknown): void => reject(new ProxyFailure({ cause }));
  const onLate = () => void asked.destroy(new errors.ConnectTimeoutError());
  signal.addEventListener('abort', onLate, { once: true });
  asked.once('error', fail);
  asked.once('close', () => fail(new errors.SocketError('closed without an answer')));
  asked.once('connect', ({ statusCode = 0 }, socket: Socket, head) => {
    if (statusCode >= 200 && statusCode <= 299) {
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
      return;
    }
    socket.on('error', () => undefined).destroy(); // its further errors are of no use
    reject(new ProxyFailure({ statusCode }));
  });
  asked.end();
  try {
    return await promise;
  } finally {
    signal.removeEventListener('abort', onLate);
  }
}

/** A request of its own connection: a tunnel is used by nobody else. */
function askFor(authority: string, proxy: URL): ClientRequest {
  const { hostname, password, port, protocol, username } = proxy;
  const isTls = protocol === 'https:';
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return (isTls ? requestByTls : requestPlainly)({
    agent: false,
    headers: {
      host: authority,
      ...(username !== '' && {
        'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}`,
      }),
    },
    host: hostname.replace(/^\[|\]$/g, ''),
    method: 'CONNECT',
    path: authority,
    port: port === '' ? (isTls ? 443 : 80) : Number(port),
  });
}

/**
 * The way to the publishers: directly, or through the operator's proxy. Services on this host are
 * reached directly in either case: the proxy's loopback is another one, and the proxy could read
 * requests over plain http, with a token in the query.
 *
 * Both ways stand under a guard (platform/outbound). Through a proxy names are resolved by the
 * proxy, so there an address is checked by its spelling; what names lead to, the proxy judges.
 *
 * A failure between us and the proxy is reported as the proxy's, so that the operator looks there.
 */
import { BlockList, isIPv4, isIPv6 } from 'node:net';
import { Agent, type Dispatcher, Pool, ProxyAgent } from 'undici';
import { isLoopback } from '#platform/config';
import type { AllowedHost } from '#platform/outbound/allowedHosts';
import { FETCH_ALLOWED_HOSTS } from '#platform/outbound/fetchGuard';
import { guardedConnector } from '#platform/outbound/guardedConnector';
import {
  createOutboundGuard,
  type OutboundGuard,
  type ResolveHost,
} from '#platform/outbound/outboundGuard';

const CONNECT_TIMEOUT_MS = 10_000;
const HEADERS_TIMEOUT_MS = 60_000;
/** Between two pieces of a body. */
const IDLE_TIMEOUT_MS = 60_000;
const TUNNEL_STATUS = 200;
const LOCALHOST = /^(?:.+\.)?localhost\.?$/;

/** IPv4 within IPv6 too: `::ffff:127.0.0.1`. A connection to no address, `0.0.0.0`, ends here. */
const THIS_HOST = new BlockList();
THIS_HOST.addSubnet('127.0.0.0', 8, 'ipv4');
THIS_HOST.addSubnet('0.0.0.0', 8, 'ipv4');
THIS_HOST.addAddress('::1', 'ipv6');
THIS_HOST.addAddress('::', 'ipv6');

/** No connection to the proxy, or none by it. `statusCode` is its answer, where it gave one. */
export class ProxyFailure extends Error {
  override readonly name = 'ProxyFailure';
  readonly statusCode: number | undefined;

  constructor(options: { readonly cause?: unknown; readonly statusCode?: number }) {
    super('the proxy', { cause: options.cause });
    this.statusCode = options.statusCode;
  }
}

/** A dispatcher, and the guard under which it stands. */
export interface Way {
  readonly dispatcher: Dispatcher;
  readonly guard: OutboundGuard;
}

export interface WayOut {
  /** To the public internet, and to the places that the operator named. */
  readonly named: Way;
  /** To the public internet alone: for redirects from there. */
  readonly publicOnly: Way;
}

export interface WayOutOptions {
  /** Places beside the public internet that may be called. */
  readonly allowedHosts: readonly AllowedHost[];
  readonly proxyUrl?: string;
  /** Absent: the system's. */
  readonly resolve?: ResolveHost;
}

export function openWayOut(options: WayOutOptions): WayOut & { close(): Promise<void> } {
  const ways = [openWay(options), openWay({ ...options, allowedHosts: [] })] as const;
  return {
    async close() {
      await Promise.all(ways.map((way) => way.close()));
    },
    named: ways[0],
    publicOnly: ways[1],
  };
}

function openWay(options: WayOutOptions): Way & { close(): Promise<void> } {
  const { allowedHosts: allowed, proxyUrl, resolve } = options;
  const variable = FETCH_ALLOWED_HOSTS;
  const guard = createOutboundGuard({ allowed, variable, ...(resolve && { resolve }) });
  const timeouts = { bodyTimeout: IDLE_TIMEOUT_MS, headersTimeout: HEADERS_TIMEOUT_MS };
  const direct = new Agent({
    ...timeouts,
    connect: guardedConnector(guard, { timeoutMs: CONNECT_TIMEOUT_MS }),
  });
  if (proxyUrl === undefined) return { close: () => direct.destroy(), dispatcher: direct, guard };
  const connect = { timeout: CONNECT_TIMEOUT_MS };
  const proxied = new ProxyAgent({
    ...timeouts,
    clientFactory: (origin, clientOptions) =>
      proxyPool(origin, { ...clientOptions, headersTimeout: HEADERS_TIMEOUT_MS }),
    proxyTls: connect,
    requestTls: connect,
    uri: proxyUrl,
  });
  return {
    async close() {
      await Promise.all([direct.destroy(), proxied.destroy()]);
    },
    dispatcher: proxied.compose((dispatch) => (request, handler) => {
      const { origin } = request;
      const isHere = origin !== undefined && isLocal(new URL(origin));
      return isHere ? direct.dispatch(request, handler) : dispatch(request, handler);
    }),
    guard,
  };
}

/** An address on this host, however it is spelt; `URL` has made one spelling of most. */
export function isLocal(url: URL): boolean {
  const host = hostOf(url);
  if (isIPv4(host)) return THIS_HOST.check(host, 'ipv4');
  if (isIPv6(host)) return THIS_HOST.check(host, 'ipv6');
  return LOCALHOST.test(host);
}

/**
 * Whether an address names this host so that http is enough: `a.localhost` is wherever its DNS
 * says.
 */
export const isPlainlyLocal = (url: URL): boolean => isLoopback(hostOf(url));

const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '');

/** Connections to the proxy itself; a tunnel through it is its `connect`. */
function proxyPool(origin: URL, options: object): Dispatcher {
  const pool = new Pool(origin, options);
  const open: (asked: Dispatcher.ConnectOptions) => Promise<Dispatcher.ConnectData> =
    pool.connect.bind(pool);
  const connect = async (asked: Dispatcher.ConnectOptions): Promise<Dispatcher.ConnectData> => {
    const tunnel = await open(asked).catch((cause: unknown) => {
      throw new ProxyFailure({ cause });
    });
    const { socket, statusCode } = tunnel;
    if (statusCode === TUNNEL_STATUS) return tunnel;
    socket.on('error', () => undefined).destroy(); // its further errors are of no use
    throw new ProxyFailure({ statusCode });
  };
  return Object.assign(pool, { connect });
}

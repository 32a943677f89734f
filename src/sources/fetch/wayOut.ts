/**
 * The way to the publishers: directly, or through the operator's proxy. Services on this host are
 * reached directly in either case: the proxy's loopback is another one, and the proxy could read
 * requests over plain http, with a token in the query.
 *
 * Both ways stand under a guard (platform/outbound): the proxy is asked for the address that was
 * checked, unless the operator says that it resolves names.
 *
 * A failure between us and the proxy is reported as the proxy's, so that the operator looks there.
 */
import { BlockList, isIPv4, isIPv6 } from 'node:net';
import { Agent, type buildConnector, type Dispatcher } from 'undici';
import { isLoopback } from '#platform/config';
import type { AllowedHost } from '#platform/outbound/allowedHosts';
import { FETCH_ALLOWED_HOSTS } from '#platform/outbound/fetchGuard';
import { guardedConnector } from '#platform/outbound/guardedConnector';
import {
  createOutboundGuard,
  type OutboundGuard,
  type ResolveHost,
} from '#platform/outbound/outboundGuard';
import { proxiedConnector } from '#platform/outbound/proxiedConnector';

const CONNECT_TIMEOUT_MS = 10_000;
const HEADERS_TIMEOUT_MS = 60_000;
/** Between two pieces of a body. */
const IDLE_TIMEOUT_MS = 60_000;
const LOCALHOST = /^(?:.+\.)?localhost\.?$/;

/** IPv4 within IPv6 too: `::ffff:127.0.0.1`. A connection to no address, `0.0.0.0`, ends here. */
const THIS_HOST = new BlockList();
THIS_HOST.addSubnet('127.0.0.0', 8, 'ipv4');
THIS_HOST.addSubnet('0.0.0.0', 8, 'ipv4');
THIS_HOST.addAddress('::1', 'ipv6');
THIS_HOST.addAddress('::', 'ipv6');

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
  /** The proxy is asked for names, not for checked addresses. */
  readonly proxyResolvesNames?: boolean;
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
  const { allowedHosts: allowed, resolve } = options;
  const variable = FETCH_ALLOWED_HOSTS;
  const guard = createOutboundGuard({ allowed, variable, ...(resolve && { resolve }) });
  const dispatcher = new Agent({
    bodyTimeout: IDLE_TIMEOUT_MS,
    connect: connectorOf(guard, options),
    headersTimeout: HEADERS_TIMEOUT_MS,
  });
  return { close: () => dispatcher.destroy(), dispatcher, guard };
}

function connectorOf(
  guard: OutboundGuard,
  { proxyResolvesNames = false, proxyUrl }: WayOutOptions,
): buildConnector.connector {
  const timeoutMs = CONNECT_TIMEOUT_MS;
  const direct = guardedConnector(guard, { timeoutMs });
  if (proxyUrl === undefined) return direct;
  const resolvesNames = proxyResolvesNames;
  const proxied = proxiedConnector(guard, { proxyUrl, resolvesNames, timeoutMs });
  return (to, done) => (isThisHost(to.hostname) ? direct : proxied)(to, done);
}

/** An address on this host, however it is spelt; `URL` has made one spelling of most. */
export const isLocal = (url: URL): boolean => isThisHost(url.hostname);

function isThisHost(hostname: string): boolean {
  const host = bare(hostname);
  if (isIPv4(host)) return THIS_HOST.check(host, 'ipv4');
  if (isIPv6(host)) return THIS_HOST.check(host, 'ipv6');
  return LOCALHOST.test(host);
}

/**
 * Whether an address names this host so that http is enough: `a.localhost` is wherever its DNS
 * says.
 */
export const isPlainlyLocal = (url: URL): boolean => isLoopback(bare(url.hostname));

const bare = (hostname: string): string => hostname.replace(/^\[|\]$/g, '');

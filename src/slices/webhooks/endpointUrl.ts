/**
 * Which URLs webhooks are sent to (W1, W19): https, to a public address or one that the operator
 * named, on a port that is no other protocol's. A sandbox on an installation of one machine may
 * take this machine, by http too.
 */
import { DomainError } from '#core/kernel';
import { AddressRefused, type OutboundGuard } from '#platform/outbound/outboundGuard';
import { URL_CHARS_MAX } from './limits.ts';
import type { EndpointGuards } from './ports.ts';
import type { WebhookEndpoint } from './tables.ts';

/** Codes of `errors` under `webhook-url-refused`. */
export type UrlFault =
  | 'scheme'
  | 'userinfo'
  | 'fragment'
  | 'port'
  | 'private-address'
  | 'unresolvable'
  | 'too-long'
  | 'format';

const EXPECTED: Readonly<Record<UrlFault, string>> = {
  format: 'expected an absolute URL',
  fragment: 'expected no fragment',
  port: 'expected 443, 8443 or a port from 1024 on that is no other protocol’s',
  'private-address': 'expected an address of the public internet',
  scheme: 'expected https',
  unresolvable: 'expected a host whose name can be resolved now',
  'too-long': `expected at most ${URL_CHARS_MAX} characters`,
  userinfo: 'expected neither user nor password',
};

const LOW_PORTS: ReadonlySet<number> = new Set([443, 8443]);
const PORT_MIN = 1_024;
/** Databases, queues, consoles and control planes; browsers' blocked ports from 1024 on too. */
const REFUSED_PORTS: ReadonlySet<number> = new Set([
  1433, 1521, 1719, 1720, 1723, 2049, 2375, 2376, 2379, 2380, 3306, 3389, 3659, 4045, 4190, 5060,
  5061, 5432, 5672, 5900, 5984, 6000, 6379, 6443, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697,
  8086, 8500, 9042, 9092, 9200, 9300, 10250, 10255, 11211, 15672, 16379, 26379, 27017, 27018, 27019,
  50000,
]);

/** The guard under which an endpoint's URL is checked, and called. */
export function guardOf(guards: EndpointGuards, url: URL, isSandbox: boolean): OutboundGuard {
  const { common, loopback } = guards;
  return isSandbox && loopback?.isNamed(url) === true ? loopback : common;
}

/** Why the URL is refused as it is spelt; undefined where it may be. */
export function urlFault(
  guards: EndpointGuards,
  url: URL,
  isSandbox: boolean,
): UrlFault | undefined {
  const guard = guardOf(guards, url, isSandbox);
  const isLocal = guard !== guards.common;
  if (url.protocol !== 'https:' && !(isLocal && url.protocol === 'http:')) return 'scheme';
  if (url.username !== '' || url.password !== '') return 'userinfo';
  if (url.hash !== '') return 'fragment';
  const port = portOf(url);
  if (!LOW_PORTS.has(port) && (port < PORT_MIN || REFUSED_PORTS.has(port))) return 'port';
  return guard.forPort(port).allows(url) ? undefined : 'private-address';
}

const portOf = ({ port }: URL): number => (port === '' ? 443 : Number(port));

/** The URL in its one spelling. Throws `webhook-url-refused`. */
export async function requireUrl(
  guards: EndpointGuards,
  text: string,
  of: { readonly isSandbox: boolean; readonly pointer: string },
): Promise<string> {
  const { isSandbox, pointer } = of;
  if (text.length > URL_CHARS_MAX) throw refused('too-long', pointer);
  if (!URL.canParse(text)) throw refused('format', pointer);
  const url = new URL(text);
  const fault = urlFault(guards, url, isSandbox);
  if (fault !== undefined) throw refused(fault, pointer);
  const guard = guardOf(guards, url, isSandbox).forPort(portOf(url));
  const isResolved = await guard.check(url).catch((error: unknown) => {
    throw error instanceof AddressRefused ? refused('private-address', pointer) : error;
  });
  if (!isResolved) throw refused('unresolvable', pointer);
  return url.href;
}

/** Certificates are nothing without TLS. Throws `webhook-url-refused`. */
export function requireHttps(
  { caPem, clientCertificate, url }: Pick<WebhookEndpoint, 'caPem' | 'clientCertificate' | 'url'>,
  pointer: string,
): void {
  const hasTls = caPem !== undefined || clientCertificate !== undefined;
  if (hasTls && new URL(url).protocol !== 'https:') throw refused('scheme', pointer);
}

function refused(code: UrlFault, pointer: string): DomainError {
  const detail = EXPECTED[code];
  return new DomainError('webhook-url-refused', {
    detail: `url: ${detail}`,
    violations: [{ code, detail, pointer }],
  });
}

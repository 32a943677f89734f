/**
 * Where a link may sign somebody in: on the machine itself, in a sandbox, where no identity
 * provider does it. A page of another host that leads its own name to 127.0.0.1 (DNS rebinding) is
 * told apart by the Host header, and a proxy by the setting that it needs.
 */
import { type Config, isLoopback } from '#platform/config';

/** Why the installation signs nobody in by a link; undefined where it does. */
export function localRefusal(
  config: Pick<Config, 'console' | 'host' | 'http' | 'oidc'>,
): string | undefined {
  if (config.console === 'off') return 'CONSOLE is off';
  if (config.oidc !== undefined) return 'OIDC_ISSUER signs people in';
  if (config.http.trustProxy) return 'TRUST_PROXY: requests come from elsewhere';
  return isLoopback(config.host) ? undefined : 'HOST is no loopback address';
}

/** Whether a request came from this machine, to a name of this machine. */
export const isLocalCall = (of: {
  readonly host: string | undefined;
  readonly remoteAddress: string;
}): boolean =>
  isLoopback(of.remoteAddress) && HOSTS.has((of.host ?? '').toLowerCase().replace(/:\d{1,5}$/, ''));

const HOSTS: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]', 'localhost']);

/** Where a gateway of this machine is reached, where no public address is configured. */
import type { Config } from './config.ts';

export function localOrigin({ host, http }: Pick<Config, 'host' | 'http'>, port: number): string {
  const scheme = http.tls === undefined ? 'http' : 'https';
  // Every address is none that one can call.
  const named = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return `${scheme}://${named.includes(':') ? `[${named}]` : named}:${port}`;
}

/** The address of a gateway of this machine, where no public address is configured. */
import type { Config } from './config.ts';

export function localOrigin({ host, http }: Pick<Config, 'host' | 'http'>, port: number): string {
  const scheme = http.tls === undefined ? 'http' : 'https';
  // These addresses stand for all of them and cannot be called.
  const named = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return `${scheme}://${named.includes(':') ? `[${named}]` : named}:${port}`;
}

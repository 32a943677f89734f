/** Connections of undici under a guard: no socket is opened to a place that it refuses. */
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { buildConnector } from 'undici';
import type { OutboundGuard } from './outboundGuard.ts';

/** The host is checked here too, since no lookup is made for an address in a URL. */
export function guardedConnector(
  guard: OutboundGuard,
  options: { readonly timeoutMs: number; readonly tls?: SecureContextOptions },
): buildConnector.connector {
  const { timeoutMs: timeout, tls } = options;
  // Once, and not for each connection: it reads the certificates.
  const secure = tls && { ...tls, secureContext: createSecureContext(tls) };
  const connectUnder = ({ lookup }: OutboundGuard) =>
    buildConnector({ ...secure, lookup, timeout });
  const connect = connectUnder(guard);
  return (to, done) => {
    const guardThere = guard.forPort(Number(to.port || (to.protocol === 'https:' ? 443 : 80)));
    if (!guardThere.allows(to.hostname)) queueMicrotask(() => done(guard.refusal(), null));
    else if (guardThere === guard) connect(to, done);
    else connectUnder(guardThere)(to, done);
  };
}

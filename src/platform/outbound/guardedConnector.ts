/** Connections of undici under a guard: no socket is opened to a place that it refuses. */
import { buildConnector } from 'undici';
import type { OutboundGuard } from './outboundGuard.ts';

/** The host is checked here too, since no lookup is made for an address in a URL. */
export function guardedConnector(
  guard: OutboundGuard,
  options: { readonly timeoutMs: number },
): buildConnector.connector {
  const connect = buildConnector({ lookup: guard.lookup, timeout: options.timeoutMs });
  return (to, done) => {
    if (guard.allows(to.hostname)) connect(to, done);
    else queueMicrotask(() => done(guard.refusal(), null));
  };
}

/**
 * The operator's hook: each message is a POST of JSON, over connections that are guarded as those
 * of webhooks are. The operator named the host, so that one place may be called wherever it is; a
 * redirect to another is not followed.
 */
import { Agent } from 'undici';
import { parseAllowedHost } from '#platform/outbound/allowedHosts';
import { callOut } from '#platform/outbound/callOut';
import { guardedConnector } from '#platform/outbound/guardedConnector';
import { createOutboundGuard } from '#platform/outbound/outboundGuard';
import { type OperatorHook, SendFault } from './ports.ts';

const CONNECT_MS_MAX = 10_000;
const CALL_MS_MAX = 30_000;

export function createOperatorHook(address: string): OperatorHook {
  const url = new URL(address);
  const own = parseAllowedHost(url.hostname);
  const guard = createOutboundGuard({
    allowed: own === undefined ? [] : [own],
    variable: 'OPERATIONS_HOOK_URL',
  });
  const dispatcher = new Agent({
    connect: guardedConnector(guard, { timeoutMs: CONNECT_MS_MAX }),
    connections: 2,
  });
  return {
    close: () => dispatcher.destroy(),
    async post({ body, id }) {
      const result = await callOut({
        body: JSON.stringify(body),
        bodyBytesMax: 0,
        dispatcher,
        headers: { 'content-type': 'application/json', 'idempotency-key': id },
        mayFollow: () => false,
        redirectsMax: 0,
        timeoutMs: CALL_MS_MAX,
        url,
      });
      if ('fault' in result) throw new SendFault('hook-unreachable');
      if (result.code < 200 || result.code > 299) throw new SendFault('hook-answer');
    },
  };
}

/**
 * An endpoint is opened for confidential events, or closed again, by a person who answers for what
 * they tell of (decision 8.5). It is the address that is opened: with another URL it lapses.
 */
import { entry } from '#core/audit';
import { closed } from './closed.ts';
import { type ConfigureAsk, configure, endpointIn, nextState } from './configure.ts';
import type { WebhookPorts } from './ports.ts';
import { heldTo } from './signedEndpoints.ts';
import { endpointTable, type WebhookEndpoint } from './tables.ts';

/** Throws `webhook-unknown`, `state-altered`, and what `checkVersion` throws. */
export function openConfidential(
  ports: WebhookPorts,
  ask: ConfigureAsk<WebhookEndpoint> & { readonly endpointId: string; readonly isOpen: boolean },
): Promise<WebhookEndpoint> {
  return configure(ports, ask, async (before) => {
    const former = await ports.signed.require(endpointIn(before, ask.endpointId));
    const now = ports.clock.now();
    const next: WebhookEndpoint = {
      ...nextState(closed(former)),
      updatedAt: now,
      ...(ask.isOpen && { confidentialBy: ask.actor, confidentialSince: now }),
    };
    return {
      answered: next,
      changes: [endpointTable.put(next, former.version)],
      events: [
        entry(ports, {
          action: ask.isOpen ? 'webhook.endpoint.opened' : 'webhook.endpoint.closed',
          actor: ask.actor,
          at: now,
          ...(ask.ip !== undefined && { ip: ask.ip }),
          members: { ...heldTo(next), confidential: true },
          target: next.endpointId,
        }),
      ],
    };
  });
}

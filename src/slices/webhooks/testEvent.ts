/** Test events (W13): an example of a type, signed and sent as a real one, in one attempt. */
import { type Asker, entry, type IdempotencyRecord } from '#core/audit';
import { chainOf, DomainError, type PublicData, type TenantId } from '#core/kernel';
import { uuidV7 } from '#platform/random';
import { deliveryOf, messageOf } from './message.ts';
import type { ConfigurePorts } from './ports.ts';
import { chosenEndpoint } from './rotateSecret.ts';
import { sealMessage } from './signedMessage.ts';
import { deliveryTable, messageTable, type WebhookDelivery } from './tables.ts';

/** The type of a test that names no other. */
export const TEST_EVENT = 'webhook.test';

/** Who orders a test, of which type, and for which endpoint. */
export interface TestAsk extends Asker {
  readonly tenantId: TenantId;
  readonly endpointId?: string;
  readonly eventType?: string;
  /** As data of TEST_EVENT names them. */
  readonly requestedBy: string;
  readonly idempotency?: (delivery: WebhookDelivery) => IdempotencyRecord;
}

/** Throws `webhook-unknown`, `webhook-endpoint-disabled`, `event-unknown`. */
export async function sendTest(ports: ConfigurePorts, ask: TestAsk): Promise<WebhookDelivery> {
  const { actor, endpointId, eventType = TEST_EVENT, idempotency, ip, tenantId } = ask;
  const endpoint = await chosenEndpoint(ports, tenantId, endpointId);
  if (endpoint.disabledReason !== undefined) throw new DomainError('webhook-endpoint-disabled');
  const data: PublicData =
    eventType === TEST_EVENT
      ? { endpoint_id: endpoint.endpointId, requested_by: ask.requestedBy }
      : await exampleOf(ports, eventType);
  const now = ports.clock.now();
  const source = { at: now, id: uuidV7(now, ports.random), tenantId };
  const message = sealMessage(ports.secrets, {
    ...messageOf(source, { data: { ...data, test: true }, eventType }),
    isTest: true,
  });
  const delivery = deliveryOf(message, endpoint);
  const ordered = entry(ports, {
    action: 'webhook.tested',
    actor,
    ...(ip !== undefined && { ip }),
    members: { delivery_id: delivery.deliveryId, event_type: eventType },
    target: endpoint.endpointId,
  });
  await ports.commit(chainOf(tenantId), {
    bus: [],
    changes: [messageTable.insert(message), deliveryTable.insert(delivery)],
    events: [ordered],
    ...(idempotency !== undefined && { idempotency: () => idempotency(delivery) }),
  });
  return delivery;
}

async function exampleOf(ports: ConfigurePorts, eventType: string): Promise<PublicData> {
  const found = (await ports.eventTypes()).find(({ name }) => name === eventType);
  if (found === undefined) throw new DomainError('event-unknown');
  return found.example;
}

/**
 * From an event of the bus to deliveries: one message a name, and a delivery for each endpoint that
 * asked for it. Both are written once, however often the event comes, since their ids follow from
 * it. They are no evidence yet: that begins with the first attempt. A message is sealed, so that no
 * other body is sent in its place.
 */
import type { PublicEvent, Tables, TenantId, ToldEvent } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import type { SecretBox } from '#platform/secretBox';
import { deliveryOf, isAskedFor, type MessageSource, messageOf } from './message.ts';
import { sealMessage } from './signedMessage.ts';
import { deliveryTable, messageTable, type WebhookEndpoint } from './tables.ts';

/** An endpoint, and whether its record is not what was signed. */
export interface KnownEndpoint {
  readonly endpoint: WebhookEndpoint;
  readonly isAltered: boolean;
}

/**
 * What is known of endpoints: those of a tenant, and the tenants that have any; with all that were
 * registered before `since`.
 */
export interface KnownEndpoints {
  of(tenantId: TenantId, since: number): Promise<readonly KnownEndpoint[]>;
  tenants(since: number): Promise<readonly TenantId[]>;
}

/** An event with its place in the outbox. */
export interface OutboxTold extends ToldEvent {
  readonly id: string;
}

export interface FanOutPorts<Means> {
  readonly tables: Pick<Tables, 'insertMissing'>;
  readonly endpoints: KnownEndpoints;
  readonly means: Means;
  readonly secrets: SecretBox;
  /** There is something to send. */
  readonly wake: () => void;
}

/** Writes what an event gives to send; answers how many deliveries that are. */
export async function fanOut<Means>(
  ports: FanOutPorts<Means>,
  event: PublicEvent<Means>,
  told: OutboxTold,
): Promise<number> {
  const { audience } = event;
  const tenants =
    audience === 'all'
      ? await ports.endpoints.tenants(told.createdAt)
      : [told.partition as TenantId];
  const asking: { tenantId: TenantId; endpoints: readonly KnownEndpoint[] }[] = [];
  for (const tenantId of tenants) {
    const endpoints = (await ports.endpoints.of(tenantId, told.createdAt)).filter(
      // An altered one may have asked for anything: what it has missed can be asked for later.
      ({ endpoint, isAltered }) => isAltered || isAskedFor(endpoint, event),
    );
    if (endpoints.length > 0) asking.push({ endpoints, tenantId });
  }
  if (asking.length === 0) return 0;
  const data = await event.dataOf(told, ports.means);
  if (data === undefined) return 0;
  const about = event.about === undefined ? undefined : String(data[event.about]);
  const id = event.isBeside ? `${told.id}:${event.name}` : told.id;
  let count = 0;
  for (const { endpoints, tenantId } of asking) {
    const source: MessageSource = { at: told.createdAt as EpochMs, id, tenantId };
    const message = sealMessage(ports.secrets, {
      ...messageOf(source, { data, eventType: event.name }),
      ...(about !== undefined && { about }),
      ...(event.isConfidential && { isConfidential: true }),
    });
    await ports.tables.insertMissing(messageTable, [message]);
    // A disabled endpoint may ask for what it has missed.
    const enabled = endpoints.filter(
      ({ endpoint, isAltered }) => endpoint.disabledReason === undefined && !isAltered,
    );
    await ports.tables.insertMissing(
      deliveryTable,
      enabled.map(({ endpoint }) => deliveryOf(message, endpoint)),
    );
    count += enabled.length;
  }
  ports.wake();
  return count;
}

/**
 * Many deliveries again, by one order (W12): those of an endpoint and a time, or what it has missed
 * while it was disabled or failing. They fall due at half of the tenant's rate, so that what
 * happens meanwhile is not behind them.
 *
 * Rows first, then the entry with the answer: an order that a crash cuts off is given again, and
 * what it had written is sent twice under the same keys.
 */
import { type Asker, entry, type IdempotencyRecord } from '#core/audit';
import { chainOf, DomainError, everyRecord, INSERT_RECORDS_MAX, type TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { uuidV7 } from '#platform/random';
import { findEndpoint } from './configure.ts';
import { firstIdOf, replayed } from './deliveries.ts';
import { BULK_REPLAY_MAX } from './limits.ts';
import { deliveryOf, isAskedFor } from './message.ts';
import type { EventType, WebhookPorts } from './ports.ts';
import {
  type DeliveryStatus,
  deliveryTable,
  messageTable,
  type WebhookDelivery,
  type WebhookEndpoint,
  type WebhookMessage,
} from './tables.ts';

/** Which deliveries, by whom. */
export interface BulkReplayAsk extends Asker {
  readonly tenantId: TenantId;
  readonly endpointId: string;
  readonly from: EpochMs;
  readonly to: EpochMs;
  readonly status?: DeliveryStatus;
  readonly eventTypes?: readonly string[];
  /** Instead of what was tried: what has not arrived. */
  readonly isMissing: boolean;
  /** Attempts a second of the tenant. */
  readonly perSecond: number;
  readonly idempotency?: (order: BulkReplay) => IdempotencyRecord;
}

/** What an order comes to. */
export interface BulkReplay {
  readonly replayJobId: string;
  readonly count: number;
}

type BulkPorts = WebhookPorts & { readonly eventTypes: () => Promise<readonly EventType[]> };

/** Throws `webhook-unknown`, `webhook-endpoint-disabled`. */
export async function replayMany(ports: BulkPorts, given: BulkReplayAsk): Promise<BulkReplay> {
  const { endpointId, tenantId } = given;
  const start = ports.clock.now();
  // What the order itself writes is later.
  const ask = { ...given, to: Math.min(given.to, start) as EpochMs };
  const endpoint = await findEndpoint(ports, { endpointId, tenantId });
  if (endpoint.disabledReason !== undefined) throw new DomainError('webhook-endpoint-disabled');
  const found = ask.isMissing ? missed(ports, ask, endpoint) : tried(ports, ask, endpoint);
  const gapMs = 2_000 / ask.perSecond;
  let count = 0;
  let block: WebhookDelivery[] = [];
  for await (const delivery of found) {
    const dueAt = Math.floor(start + count * gapMs) as EpochMs;
    block.push({ ...delivery, dueAt, nextAttemptAt: dueAt });
    count++;
    if (block.length === INSERT_RECORDS_MAX) {
      await ports.tables.insertMissing(deliveryTable, block);
      block = [];
    }
    if (count === BULK_REPLAY_MAX) break;
  }
  await ports.tables.insertMissing(deliveryTable, block);
  const order = { count, replayJobId: uuidV7(start, ports.random) };
  await commitOrder(ports, ask, order);
  return order;
}

async function commitOrder(
  ports: WebhookPorts,
  ask: BulkReplayAsk,
  order: BulkReplay,
): Promise<void> {
  const { actor, endpointId, from, idempotency, ip, isMissing, status, tenantId, to } = ask;
  const ordered = entry(ports, {
    action: 'webhook.replayed',
    actor,
    ...(ip !== undefined && { ip }),
    members: {
      count: order.count,
      from,
      missing: isMissing,
      replay_job_id: order.replayJobId,
      status: status ?? null,
      to,
    },
    target: endpointId,
  });
  await ports.commit(chainOf(tenantId), {
    bus: [],
    changes: [],
    events: [ordered],
    ...(idempotency !== undefined && { idempotency: () => idempotency(order) }),
  });
}

/** Those that have ended, oldest first, as new deliveries. A replay stands for its first one. */
async function* tried(
  ports: WebhookPorts,
  { endpointId, eventTypes, from, status, tenantId, to }: BulkReplayAsk,
  { url }: WebhookEndpoint,
): AsyncGenerator<WebhookDelivery> {
  const range = { from: firstIdOf(from), to: firstIdOf(to) };
  const ask = { equal: { endpointId, tenantId }, index: 'byEndpoint', ...range };
  for await (const delivery of everyRecord(ports.tables, deliveryTable, ask)) {
    const isEnded = delivery.status !== 'PENDING' && delivery.status !== 'RETRYING';
    if (!isEnded || delivery.isTest === true || delivery.replayOf !== undefined) continue;
    if (status !== undefined && delivery.status !== status) continue;
    if (eventTypes?.includes(delivery.eventType) === false) continue;
    yield replayed(ports, delivery, { isForced: false, url });
  }
}

/** Messages that the endpoint asks for and that have not arrived there. */
async function* missed(
  ports: BulkPorts,
  { endpointId, eventTypes, from, tenantId, to }: BulkReplayAsk,
  endpoint: WebhookEndpoint,
): AsyncGenerator<WebhookDelivery> {
  const again = await sentAgain(ports, { endpointId, from, tenantId });
  const types = new Map((await ports.eventTypes()).map((type) => [type.name, type]));
  const range = { from: firstIdOf(from), to: firstIdOf(to) };
  const ask = { equal: { tenantId }, index: 'key', ...range };
  for await (const message of everyRecord(ports.tables, messageTable, ask)) {
    if (message.isTest === true || again.has(message.eventId)) continue;
    const type = types.get(message.eventType);
    if (type === undefined || !isAskedFor(endpoint, type)) continue;
    if (eventTypes?.includes(message.eventType) === false) continue;
    const delivery = await notArrived(ports, message, endpoint);
    if (delivery !== undefined) yield delivery;
  }

  async function notArrived(
    { tables }: WebhookPorts,
    message: WebhookMessage,
    { url }: WebhookEndpoint,
  ): Promise<WebhookDelivery | undefined> {
    const first = deliveryOf(message, endpoint);
    const { deliveryId } = first;
    const known = await tables.find(deliveryTable, { deliveryId, tenantId });
    if (known === undefined) return first;
    const isOver = known.endpointId === endpointId && known.status === 'FAILED';
    return isOver ? replayed(ports, known, { isForced: false, url }) : undefined;
  }
}

/** Ids of events of which a replay has arrived, or is under way. */
async function sentAgain(
  { tables }: WebhookPorts,
  { endpointId, from, tenantId }: Pick<BulkReplayAsk, 'endpointId' | 'from' | 'tenantId'>,
): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  // No replay is older than what it repeats.
  const ask = { equal: { endpointId, tenantId }, from: firstIdOf(from), index: 'byEndpoint' };
  for await (const { eventId, replayOf, status } of everyRecord(tables, deliveryTable, ask)) {
    if (replayOf !== undefined && status !== 'FAILED') ids.add(eventId);
  }
  return ids;
}

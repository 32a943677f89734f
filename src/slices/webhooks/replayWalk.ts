/**
 * Which deliveries an order of replays sends again (W12): those of an endpoint and a time that have
 * ended, or what the endpoint asks for and has not got. It is walked in steps, each from the place
 * that the one before has reached.
 *
 * A delivery that is sent again has an id that follows from the order and the former one, so a step
 * that is made twice writes nothing twice.
 */
import { PAGE_RECORDS_MAX, type PageCursor, type Tables } from '#core/kernel';
import type { Clock } from '#platform/clock';
import type { Random } from '#platform/random';
import { firstIdOf, replayed } from './deliveries.ts';
import { deliveryOf, derivedId, isAskedFor } from './message.ts';
import type { EventType } from './ports.ts';
import type { ReplayJob } from './replayTables.ts';
import {
  deliveryTable,
  messageTable,
  type WebhookDelivery,
  type WebhookEndpoint,
  type WebhookMessage,
} from './tables.ts';

export interface WalkPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly tables: Pick<Tables, 'findMany' | 'page'>;
  readonly eventTypes: () => Promise<readonly EventType[]>;
}

/** From where, and how far at most. */
export interface WalkBounds {
  readonly after: PageCursor | undefined;
  readonly deliveriesMax: number;
  readonly examinedMax: number;
}

/** What a step has come to. */
export interface WalkStep {
  readonly deliveries: readonly WebhookDelivery[];
  readonly examined: number;
  /** Where the next step begins; absent: there is none. */
  readonly after?: PageCursor;
}

type Order = Omit<ReplayJob, 'after' | 'count' | 'dueAt' | 'examined' | 'version'>;

/** Deliveries as they are sent again, oldest first. */
export async function walkReplay(
  ports: WalkPorts,
  of: { readonly endpoint: WebhookEndpoint; readonly order: Order },
  bounds: WalkBounds,
): Promise<WalkStep> {
  const deliveries: WebhookDelivery[] = [];
  let { after } = bounds;
  let examined = 0;
  const stopped = (): WalkStep => ({ deliveries, examined, ...(after !== undefined && { after }) });
  while (examined < bounds.examinedMax) {
    const limit = Math.min(PAGE_RECORDS_MAX, bounds.examinedMax - examined);
    const page = await (of.order.isMissing ? missed : tried)(ports, of, { after, limit });
    for (const { cursor, delivery } of page.found) {
      examined++;
      after = cursor;
      if (delivery !== undefined) deliveries.push(delivery);
      if (deliveries.length === bounds.deliveriesMax) return stopped();
    }
    if (page.isLast) return { deliveries, examined };
  }
  return stopped();
}

/** Records in their order, each with its delivery if it is to be sent. */
interface Found {
  readonly found: readonly {
    readonly cursor: PageCursor;
    readonly delivery: WebhookDelivery | undefined;
  }[];
  readonly isLast: boolean;
}
interface PageOf {
  readonly after: PageCursor | undefined;
  readonly limit: number;
}
type Walked = Parameters<typeof walkReplay>[1];

/** Those that have ended. A replay stands for its first delivery. */
async function tried(ports: WalkPorts, of: Walked, { after, limit }: PageOf): Promise<Found> {
  const { endpointId, eventTypes, from, status, tenantId, to } = of.order;
  const { records } = await ports.tables.page(deliveryTable, {
    equal: { endpointId, tenantId },
    from: firstIdOf(from),
    index: 'byEndpoint',
    limit,
    to: firstIdOf(to),
    ...(after !== undefined && { after }),
  });
  const isWanted = (delivery: WebhookDelivery): boolean => {
    const isEnded = delivery.status !== 'PENDING' && delivery.status !== 'RETRYING';
    if (!isEnded || delivery.isTest === true || delivery.replayOf !== undefined) return false;
    // The person who orders many may not know of these: they are sent again one by one.
    if (delivery.isConfidential === true) return false;
    if (status !== undefined && delivery.status !== status) return false;
    return eventTypes?.includes(delivery.eventType) !== false;
  };
  const found = records.map((delivery) => ({
    cursor: [delivery.deliveryId, tenantId, delivery.deliveryId],
    delivery: isWanted(delivery) ? again(ports, of, delivery) : undefined,
  }));
  return { found, isLast: records.length < limit };
}

/** Messages that the endpoint asks for and that have not arrived there. */
async function missed(ports: WalkPorts, of: Walked, { after, limit }: PageOf): Promise<Found> {
  const { endpoint, order } = of;
  const { eventTypes, from, tenantId, to } = order;
  const { records } = await ports.tables.page(messageTable, {
    equal: { tenantId },
    from: firstIdOf(from),
    index: 'key',
    limit,
    to: firstIdOf(to),
    ...(after !== undefined && { after }),
  });
  const types = new Map((await ports.eventTypes()).map((type) => [type.name, type]));
  const asked = records.filter(({ eventType, isConfidential, isTest }) => {
    const type = types.get(eventType);
    if (isTest === true || isConfidential === true) return false;
    if (type === undefined || !isAskedFor(endpoint, type)) return false;
    return eventTypes?.includes(eventType) !== false;
  });
  const unsent = await unsentOf(ports, of, asked);
  const found = records.map((message) => ({
    cursor: [tenantId, message.eventId, message.eventType],
    delivery: unsent.get(message),
  }));
  return { found, isLast: records.length < limit };
}

/** Deliveries of the messages that have none, or none that has arrived or is under way. */
async function unsentOf(
  ports: WalkPorts,
  of: Walked,
  messages: readonly WebhookMessage[],
): Promise<ReadonlyMap<WebhookMessage, WebhookDelivery>> {
  const firsts = messages.map((message) => deliveryOf(message, of.endpoint));
  const keys = firsts.map(({ deliveryId, tenantId }) => ({ deliveryId, tenantId }));
  const stored = await ports.tables.findMany(deliveryTable, keys);
  const known = new Map(stored.map((delivery) => [delivery.deliveryId, delivery]));
  const unsent = new Map<WebhookMessage, WebhookDelivery>();
  for (const [place, message] of messages.entries()) {
    const first = firsts[place];
    if (first === undefined) continue;
    const before = known.get(first.deliveryId);
    // One of this order's own was written by a step that was cut off.
    const isOwn = before === undefined || before.orderedBy === of.order.replayJobId;
    if (isOwn) unsent.set(message, { ...first, orderedBy: of.order.replayJobId });
    else if (before.status === 'FAILED') {
      const next = again(ports, of, before);
      if (!(await isSentAgain(ports, before, next))) unsent.set(message, next);
    }
  }
  return unsent;
}

/** Whether a replay has arrived, or is under way: another than this order's own. */
async function isSentAgain(
  { tables }: WalkPorts,
  { deliveryId: firstOf, tenantId }: WebhookDelivery,
  own: WebhookDelivery,
): Promise<boolean> {
  const ask = { equal: { firstOf, tenantId }, index: 'byFirst', limit: PAGE_RECORDS_MAX };
  const { records } = await tables.page(deliveryTable, ask);
  return records.some((one) => one.status !== 'FAILED' && one.deliveryId !== own.deliveryId);
}

function again(
  ports: WalkPorts,
  { endpoint, order }: Walked,
  former: WebhookDelivery,
): WebhookDelivery {
  const { createdAt, replayJobId } = order;
  const { deliveryId } = former;
  return {
    ...replayed(ports, former, { url: endpoint.url }),
    createdAt,
    deliveryId: derivedId(createdAt, 'webhook-replay', replayJobId, deliveryId),
    orderedBy: replayJobId,
  };
}

/** Deliveries as their tenant reads them: pages, latest first, one with its payload, replays. */
import { type Asker, entry, type IdempotencyRecord, overwrite } from '#core/audit';
import { chainOf, DomainError, type PageAsk, type TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { uuidV7 } from '#platform/random';
import type { SecretBox } from '#platform/secretBox';
import { findEndpoint } from './configure.ts';
import type { WebhookPorts } from './ports.ts';
import { type ForcedReplays, forcedReplayTable } from './replayTables.ts';
import { isAsSealed } from './signedMessage.ts';
import {
  type DeliveryStatus,
  deliveryTable,
  messageTable,
  type WebhookDelivery,
  type WebhookMessage,
} from './tables.ts';

/** Which deliveries; a member that is absent matches all. */
export interface DeliveriesAsk {
  readonly tenantId: TenantId;
  readonly status?: DeliveryStatus;
  readonly endpointId?: string;
  /** Absent: deliveries of confidential events do not exist for the caller. */
  readonly seesConfidential?: boolean;
  readonly from?: EpochMs;
  readonly to?: EpochMs;
  /** Continues behind this delivery. */
  readonly after?: string;
  readonly limit: number;
  /** Asked before each further step of the walk; false ends the page there. */
  readonly mayReadOn?: () => Promise<boolean>;
}

/** One page, latest first. */
export interface DeliveriesPage {
  readonly deliveries: readonly WebhookDelivery[];
  /** Behind which the next page begins; absent: this was the last one. */
  readonly next?: string;
}

/** Records that a page looks at, where two filters meet. */
const EXAMINED_MAX = 5_000;
/** What one step reads of them. */
const STEP_RECORDS = 200;

export async function readDeliveries(
  { tables }: Pick<WebhookPorts, 'tables'>,
  ask: DeliveriesAsk,
): Promise<DeliveriesPage> {
  const { endpointId, limit, seesConfidential = false, status } = ask;
  const isFiltered = endpointId !== undefined && status !== undefined;
  const found: WebhookDelivery[] = [];
  let after = ask.after;
  for (let examined = 0; examined < EXAMINED_MAX; ) {
    const step = isFiltered ? STEP_RECORDS : limit + 1;
    const { records } = await tables.page(deliveryTable, pageOf(ask, after, step));
    examined += records.length;
    for (const record of records) {
      if (isFiltered && record.status !== status) continue;
      if (record.isConfidential && !seesConfidential) continue;
      // One more than the limit is looked for, so that the last page is known to be the last.
      if (found.length === limit) return pageWith(found, found.at(-1));
      found.push(record);
    }
    const last = records.at(-1);
    if (records.length < step || last === undefined) return pageWith(found, undefined);
    after = last.deliveryId;
    if ((await ask.mayReadOn?.()) === false) break;
  }
  return { deliveries: found, ...(after !== undefined && { next: after }) };
}

const pageWith = (
  deliveries: readonly WebhookDelivery[],
  last: WebhookDelivery | undefined,
): DeliveriesPage => ({ deliveries, ...(last !== undefined && { next: last.deliveryId }) });

function pageOf(ask: DeliveriesAsk, after: string | undefined, limit: number): PageAsk {
  const { endpointId, from, status, tenantId, to } = ask;
  const equal = {
    tenantId,
    ...(endpointId !== undefined && { endpointId }),
    ...(endpointId === undefined && status !== undefined && { status }),
  };
  const index = endpointId !== undefined ? 'byEndpoint' : status !== undefined ? 'byStatus' : 'key';
  const key = (deliveryId: string): readonly string[] => [tenantId, deliveryId];
  return {
    direction: 'descending',
    equal,
    index,
    limit,
    ...(after !== undefined && { after: index === 'key' ? key(after) : [after, ...key(after)] }),
    ...(from !== undefined && { from: firstIdOf(from) }),
    ...(to !== undefined && { to: firstIdOf(to) }),
  };
}

/** Before every id that was made at this instant or later, and behind every earlier one. */
export const firstIdOf = (at: EpochMs): string =>
  uuidV7(at, { bytes: (count) => new Uint8Array(count) });

/** A delivery, and whether those of confidential events exist for the caller. */
export type DeliveryPlace = Pick<WebhookDelivery, 'deliveryId' | 'tenantId'> &
  Pick<DeliveriesAsk, 'seesConfidential'>;

/** Throws `webhook-unknown`. */
export async function findDelivery(
  { tables }: Pick<WebhookPorts, 'tables'>,
  place: DeliveryPlace,
): Promise<WebhookDelivery> {
  const { deliveryId, seesConfidential = false, tenantId } = place;
  const found = await tables.find(deliveryTable, { deliveryId, tenantId });
  if (found === undefined || (found.isConfidential && !seesConfidential)) {
    throw new DomainError('webhook-unknown');
  }
  return found;
}

/** What reads messages as they were made. */
type MessagePorts = WebhookPorts & { readonly secrets: SecretBox };

/** Undefined: it is kept no longer. Throws `state-altered`. */
async function readMessage(
  { secrets, tables }: MessagePorts,
  { eventId, eventType, tenantId }: WebhookDelivery,
): Promise<WebhookMessage | undefined> {
  const message = await tables.find(messageTable, { eventId, eventType, tenantId });
  if (message === undefined || isAsSealed(secrets, message)) return message;
  const detail = `webhook message ${eventId}: it is not what was made of its event`;
  throw new DomainError('state-altered', { detail });
}

/**
 * The delivery with its bytes; that they were read is an entry. Throws `webhook-unknown`,
 * `state-altered`.
 */
export async function viewDelivery(
  ports: MessagePorts,
  { actor, ip, ...place }: DeliveryPlace & Asker,
): Promise<{ readonly delivery: WebhookDelivery; readonly message: WebhookMessage | undefined }> {
  const delivery = await findDelivery(ports, place);
  const message = await readMessage(ports, delivery);
  const viewed = entry(ports, {
    action: 'webhook.delivery.viewed',
    actor,
    ...(ip !== undefined && { ip }),
    ...(delivery.isConfidential && { members: { confidential: true } }),
    target: delivery.deliveryId,
  });
  await ports.commit(chainOf(delivery.tenantId), { bus: [], changes: [], events: [viewed] });
  return { delivery, message };
}

/** Who orders a replay. */
export interface ReplayAsk extends Asker, Pick<DeliveriesAsk, 'seesConfidential'> {
  readonly tenantId: TenantId;
  readonly deliveryId: string;
  /** A key of its own, so that a receiver which knows the event takes it once more. */
  readonly isForced: boolean;
  readonly idempotency?: (delivery: WebhookDelivery) => IdempotencyRecord;
}

/**
 * A new delivery of the same event, body and key. Throws `webhook-unknown`, `state-conflict` for
 * one that is under way or whose message is gone, `webhook-endpoint-disabled`, `state-altered`.
 */
export async function replayDelivery(
  ports: MessagePorts,
  ask: ReplayAsk,
): Promise<WebhookDelivery> {
  const { actor, deliveryId, idempotency, ip, isForced, tenantId } = ask;
  const former = await findDelivery(ports, ask);
  if (former.status === 'PENDING' || former.status === 'RETRYING') {
    throw new DomainError('state-conflict', { detail: 'the delivery is under way' });
  }
  const { endpointId } = former;
  if ((await readMessage(ports, former)) === undefined) {
    throw new DomainError('state-conflict', { detail: 'the message is kept no longer' });
  }
  const { disabledReason, url } = await findEndpoint(ports, { endpointId, tenantId });
  if (disabledReason !== undefined) throw new DomainError('webhook-endpoint-disabled');
  return overwrite(async () => {
    const forced = isForced ? await nextForced(ports, former) : undefined;
    const delivery = replayed(ports, former, { forced: forced?.version, url });
    const ordered = entry(ports, {
      action: 'webhook.replayed',
      actor,
      ...(ip !== undefined && { ip }),
      members: {
        delivery_id: delivery.deliveryId,
        force: isForced,
        replay_of: deliveryId,
        ...(former.isConfidential && { confidential: true }),
      },
      target: endpointId,
    });
    const counted = forced && [forcedReplayTable.put(forced, forced.version - 1)];
    await ports.commit(chainOf(tenantId), {
      bus: [],
      changes: [deliveryTable.insert(delivery), ...(counted ?? [])],
      events: [ordered],
      ...(idempotency !== undefined && { idempotency: () => idempotency(delivery) }),
    });
    return delivery;
  });
}

/** The number of the next replay under a key of its own: two at once never have the same one. */
async function nextForced(
  { clock, tables }: WebhookPorts,
  { deliveryId, firstOf = deliveryId, tenantId }: WebhookDelivery,
): Promise<ForcedReplays> {
  const place = { deliveryId: firstOf, tenantId };
  const before = await tables.find(forcedReplayTable, place);
  return { ...place, forcedAt: clock.now(), version: (before?.version ?? 0) + 1 };
}

/** The same event once more, as if it had just come. */
export function replayed(
  { clock, random }: Pick<WebhookPorts, 'clock' | 'random'>,
  former: WebhookDelivery,
  of: { readonly forced?: number | undefined; readonly url: string },
): WebhookDelivery {
  const now = clock.now();
  const deliveryId = uuidV7(now, random);
  const { about, catalog, endpointId, eventId, eventType, idempotencyKey, tenantId } = former;
  const { isConfidential } = former;
  return {
    attempts: [],
    catalog,
    createdAt: now,
    deliveryAttempt: 0,
    deliveryId,
    dueAt: now,
    endpointId,
    eventId,
    eventType,
    idempotencyKey:
      of.forced === undefined ? idempotencyKey : `${eventId}:${endpointId}:r${of.forced}`,
    nextAttemptAt: now,
    rateLimitWaits: 0,
    firstOf: former.firstOf ?? former.deliveryId,
    replayOf: former.deliveryId,
    status: 'PENDING',
    tenantId,
    url: of.url,
    version: 1,
    ...(about !== undefined && { about }),
    ...(isConfidential !== undefined && { isConfidential }),
  };
}

/**
 * Messages: the envelope of an event, in the canonical form that is signed (decision 5.1), and the
 * ids of event and delivery. Ids follow from the event of the bus, so that an event which is handed
 * on twice gives the same messages.
 */
import { type Catalog, DomainError, type PublicData, type TenantId } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import { type EpochMs, toTimestamp } from '#platform/clock';
import { sha256 } from '#platform/crypto';
import { uuidV7 } from '#platform/random';
import { MESSAGE_BYTES_MAX } from './limits.ts';
import type { WebhookDelivery, WebhookEndpoint, WebhookMessage } from './tables.ts';

/** A UUID that is the same whenever it is made of the same. */
export function derivedId(at: EpochMs, ...of: readonly string[]): string {
  const digest = sha256(of.join('\0'));
  return uuidV7(at, { bytes: (count) => new Uint8Array(digest.subarray(0, count)) });
}

/** The event of the outbox that a message tells of. */
export interface MessageSource {
  /** Its id in the outbox, or another text that stands for this very event. */
  readonly id: string;
  readonly at: EpochMs;
  readonly tenantId: TenantId;
}

/** The same for all endpoints of the tenant, whatever the catalogue calls it. */
export const eventIdOf = ({ at, id, tenantId }: MessageSource): string =>
  derivedId(at, 'webhook-event', id, tenantId);

export function messageOf(
  source: MessageSource,
  of: { readonly eventType: string; readonly data: PublicData },
): Omit<WebhookMessage, 'seal'> {
  const { at: createdAt, tenantId } = source;
  const { data, eventType } = of;
  const eventId = eventIdOf(source);
  const timestamp = toTimestamp(createdAt);
  const body = canonicalJson({ data, event: eventType, event_id: eventId, timestamp });
  if (Buffer.byteLength(body) > MESSAGE_BYTES_MAX) {
    throw new DomainError('internal', { detail: `${eventType}: a message of ${body.length}` });
  }
  return { body, createdAt, eventId, eventType, tenantId };
}

/** A delivery that waits for its first attempt. */
export function deliveryOf(
  message: Omit<WebhookMessage, 'body' | 'seal'>,
  endpoint: Pick<WebhookEndpoint, 'catalog' | 'endpointId' | 'url'>,
): WebhookDelivery {
  const { about, createdAt, eventId, eventType, isConfidential, isTest, tenantId } = message;
  const { catalog, endpointId, url } = endpoint;
  return {
    attempts: [],
    catalog,
    createdAt,
    deliveryAttempt: 0,
    deliveryId: derivedId(createdAt, 'webhook-delivery', eventId, endpointId),
    dueAt: createdAt,
    endpointId,
    eventId,
    eventType,
    idempotencyKey: `${eventId}:${endpointId}`,
    nextAttemptAt: createdAt,
    rateLimitWaits: 0,
    status: 'PENDING',
    tenantId,
    url,
    version: 1,
    ...(about !== undefined && { about }),
    ...(isConfidential !== undefined && { isConfidential }),
    ...(isTest !== undefined && { isTest }),
  };
}

/**
 * Whether an endpoint asks for an event: it is of its catalogue, and named. A confidential one has
 * to be named itself, by an endpoint that was opened for them.
 */
export function isAskedFor(
  endpoint: Pick<WebhookEndpoint, 'catalog' | 'confidentialSince' | 'events'>,
  event: {
    readonly name: string;
    readonly catalogs: readonly Catalog[];
    readonly isConfidential?: true;
  },
): boolean {
  const { catalog, confidentialSince, events } = endpoint;
  if (!event.catalogs.includes(catalog)) return false;
  const isNamed = events.includes(event.name);
  if (event.isConfidential) return isNamed && confidentialSince !== undefined;
  return isNamed || events.includes('*');
}

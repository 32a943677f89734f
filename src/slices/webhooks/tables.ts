/**
 * What webhooks store: endpoints, the count that orders changes of them, messages with their exact
 * bytes, and deliveries with their attempts.
 *
 * Workers lease deliveries by lanes, a lane an endpoint, in blocks. The state after an attempt is a
 * commit of its tenant's chain, beside the entry that tells of the attempt. What is only work (when
 * a delivery is due, how an endpoint has fared lately) is saved beside commits.
 */
import { type Catalog, type TenantId, table } from '#core/kernel';
import type { EpochMs } from '#platform/clock';

const DAY_MS = 24 * 3_600_000;
/** Messages and deliveries; the evidence of attempts stays as long as the chain. */
export const DELIVERIES_KEPT_MS = 90 * DAY_MS;

/** Why an endpoint gets nothing: a person's choice, a 410 of its own, or too long no success. */
export const DISABLED_REASONS = ['manual', 'gone', 'failing'] as const;
/** One of DISABLED_REASONS. */
export type DisabledReason = (typeof DISABLED_REASONS)[number];

/** One of an endpoint's secrets, sealed; the newest has no end. */
export interface SealedSecret {
  readonly secretVersion: number;
  readonly sealed: string;
  readonly createdAt: EpochMs;
  readonly expiresAt?: EpochMs;
}

/** A private key, sealed for its endpoint and its public half. */
export interface PendingKey {
  readonly keySha256: string;
  readonly sealedKey: string;
}

/** The client certificate that an endpoint asks for; its key is sealed. */
export interface ClientCertificate extends PendingKey {
  readonly subject: string;
  readonly issuer: string;
  readonly serial: string;
  readonly sha256: string;
  readonly notAfter: EpochMs;
  /** The chain, the endpoint's own first. */
  readonly certificatePem: string;
  /** Days left, as people were told last. */
  readonly toldDays?: number;
}

/** An address of a tenant that is told of events. */
export interface WebhookEndpoint {
  readonly tenantId: TenantId;
  readonly endpointId: string;
  readonly url: string;
  readonly description: string;
  /** Names of events, or `*` alone. */
  readonly events: readonly string[];
  readonly catalog: Catalog;
  readonly disabledReason?: DisabledReason;
  /** When a person last enabled it again: what had failed before counts no more. */
  readonly enabledAt?: EpochMs;
  /** Newest first, at most two. */
  readonly secrets: readonly SealedSecret[];
  /** The newest was made by a rotation, and was not shown again since. */
  readonly isRevealable: boolean;
  readonly clientCertificate?: ClientCertificate;
  /** A key that was made here, and waits for its certificate. */
  readonly pendingKey?: PendingKey;
  /** Certificates of the authority that signs the endpoint's own, in PEM. */
  readonly caPem?: string;
  readonly createdAt: EpochMs;
  readonly updatedAt: EpochMs;
  /** Who has opened it for confidential events, and when; it lapses with another URL. */
  readonly confidentialSince?: EpochMs;
  readonly confidentialBy?: string;
  /** Since when people know that it fails; absent where it does not. */
  readonly failingToldAt?: EpochMs;
  /** When they were told that it will be disabled. */
  readonly disablingToldAt?: EpochMs;
  /** When they were told that its URL has moved. */
  readonly movedToldAt?: EpochMs;
  /** Grows with each change that those who send have to know of. */
  readonly generation: number;
  readonly version: number;
  /**
   * Work, as several workers add to it: failed attempts in a row, and since when. `failuresOf` says
   * what of it still counts.
   */
  readonly consecutiveFailures?: number;
  readonly failingSince?: EpochMs;
  readonly lastSuccessAt?: EpochMs;
  readonly lastFailureAt?: EpochMs;
}

/**
 * Endpoints by tenant and id. Secrets and keys are sealed under SECRETS_KEY_FILE. That no two of a
 * catalogue have one URL is decided by the change, which moves the configuration's version with it:
 * one change may let two endpoints swap theirs.
 */
export const endpointTable = table<WebhookEndpoint, 'tenantId' | 'endpointId'>('webhook_endpoint', {
  key: ['tenantId', 'endpointId'],
  chain: 'tenantId',
  work: ['consecutiveFailures', 'failingSince', 'lastFailureAt', 'lastSuccessAt'],
  stamp: { fields: ['generation'], name: 'webhook_endpoints' },
  personal: {
    confidentialBy: { purpose: 'accountability: who opened the endpoint for confidential events' },
    description: { purpose: 'tells an endpoint from the others of its tenant' },
  },
});

/** The version of a tenant's endpoints as a whole: changes of any of them take turns by it. */
export interface WebhookConfiguration {
  readonly tenantId: TenantId;
  readonly of: 'endpoints';
  readonly version: number;
}

/** One record a tenant that ever had an endpoint. */
export const configurationTable = table<WebhookConfiguration, 'tenantId' | 'of'>(
  'webhook_configuration',
  { key: ['tenantId', 'of'], chain: 'tenantId', personal: 'none' },
);

/** What is sent of one event under one name: the very bytes that are signed. */
export interface WebhookMessage {
  readonly tenantId: TenantId;
  readonly eventId: string;
  readonly eventType: string;
  /** JCS of the envelope. */
  readonly body: string;
  readonly createdAt: EpochMs;
  /** As its deliveries have them. */
  readonly about?: string;
  readonly isTest?: true;
  /** Its event is one that only some may know of. */
  readonly isConfidential?: true;
  /** Binds all of it to its place (signedMessage.ts). */
  readonly seal: string;
}

/** Messages, shared by all endpoints of a tenant. */
export const messageTable = table<WebhookMessage, 'tenantId' | 'eventId' | 'eventType'>(
  'webhook_message',
  {
    key: ['tenantId', 'eventId', 'eventType'],
    chain: 'tenantId',
    writes: 'appendOnly',
    kept: { from: 'createdAt', ms: DELIVERIES_KEPT_MS },
    personal: { body: { purpose: 'what the customer’s own system was told: ids and verdicts' } },
  },
);

/** States of a delivery (interface.md 3.4). */
export const DELIVERY_STATUSES = [
  'PENDING',
  'RETRYING',
  'DELIVERED',
  'FAILED',
  'RATE_LIMITED',
] as const;
/** One of DELIVERY_STATUSES. */
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** Why an attempt, or a delivery, has failed. */
export const FAILURE_REASONS = [
  'http-4xx',
  'http-5xx',
  'timeout',
  'dns',
  'connect',
  'tls',
  'mtls',
  'redirect',
  'ssrf-blocked',
  'response-malformed',
  'rate-limited',
  'exhausted',
  'expired-24h',
  'endpoint-removed',
  'endpoint-disabled',
  'payload-altered',
  'payload-gone',
  'secret-unreadable',
] as const;
/** One of FAILURE_REASONS. */
export type FailureReason = (typeof FAILURE_REASONS)[number];

/** One attempt as its delivery keeps it. */
export interface DeliveryAttempt {
  readonly attempt: number;
  readonly at: EpochMs;
  readonly durationMs: number;
  readonly responseCode?: number;
  readonly failureReason?: FailureReason;
  /** The address that was connected to. */
  readonly address?: string;
  readonly redirects: number;
  readonly tls?: string;
}

/** One event on its way to one endpoint. */
export interface WebhookDelivery {
  readonly tenantId: TenantId;
  /** UUID version 7 of `createdAt`: the order of ids is that of time. */
  readonly deliveryId: string;
  readonly endpointId: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly catalog: Catalog;
  readonly url: string;
  readonly idempotencyKey: string;
  readonly status: DeliveryStatus;
  readonly failureReason?: FailureReason;
  /** Attempts that count: answers of 429 that name a time do not. */
  readonly deliveryAttempt: number;
  readonly rateLimitWaits: number;
  readonly firstAttemptAt?: EpochMs;
  readonly nextAttemptAt?: EpochMs;
  readonly lastResponseCode?: number;
  readonly lastResponseBody?: string;
  readonly deliveredAt?: EpochMs;
  readonly createdAt: EpochMs;
  readonly replayOf?: string;
  /** The delivery that it repeats in the end, where it repeats a replay too. */
  readonly firstOf?: string;
  /** The order of many replays that made it. */
  readonly orderedBy?: string;
  readonly isTest?: true;
  /** As its message: for most callers it does not exist. */
  readonly isConfidential?: true;
  /** Id of what the event tells of, for events that are asked for by it. */
  readonly about?: string;
  /** The last attempt's: the signed second, the newest secret's signature, and the secrets. */
  readonly timestampUnix?: number;
  readonly signature?: string;
  readonly secretVersions?: readonly number[];
  /** The last of them. */
  readonly attempts: readonly DeliveryAttempt[];
  /** Work: from when on it may be leased. */
  readonly dueAt?: EpochMs;
  readonly version: number;
}

/** Deliveries. The key is in the order of time, so that lists need no index of their own. */
export const deliveryTable = table<WebhookDelivery, 'tenantId' | 'deliveryId'>('webhook_delivery', {
  key: ['tenantId', 'deliveryId'],
  chain: 'tenantId',
  derived: { isOpen: { field: 'status', in: ['PENDING', 'RETRYING', 'RATE_LIMITED'] } },
  indexes: {
    byAbout: ['tenantId', 'about'],
    byEndpoint: ['tenantId', 'endpointId', 'deliveryId'],
    byFirst: ['tenantId', 'firstOf'],
    byStatus: ['tenantId', 'status', 'deliveryId'],
  },
  leased: { due: 'dueAt', lane: ['tenantId', 'endpointId'] },
  open: 'isOpen',
  work: ['dueAt'],
  kept: { from: 'createdAt', ms: DELIVERIES_KEPT_MS, unless: 'isOpen' },
  personal: {
    lastResponseBody: { purpose: 'shows the customer what their own system answered' },
  },
});

/** That a delivery has arrived, for as long as what it tells of is there to be asked about. */
export interface WebhookArrival {
  readonly tenantId: TenantId;
  readonly deliveryId: string;
  readonly eventType: string;
  /** As its delivery had it. */
  readonly about: string;
  readonly arrivedAt: EpochMs;
}

/** Arrivals of events that say so (`keepsArrival`): deliveries are gone after 90 days. */
export const arrivalTable = table<WebhookArrival, 'tenantId' | 'deliveryId'>('webhook_arrival', {
  key: ['tenantId', 'deliveryId'],
  chain: 'tenantId',
  writes: 'appendOnly',
  indexes: { byAbout: ['tenantId', 'about'] },
  personal: 'none',
});

/** One attempt at one delivery: signed, sent, judged, and told as evidence (W5, W17). */
import type { JsonObject } from '#core/audit';
import { type EpochMs, toTimestamp } from '#platform/clock';
import { sha256Hex } from '#platform/crypto';
import type { CallResult } from '#platform/outbound/callOut';
import type { Random } from '#platform/random';
import { type AttemptOutcome, judgeAttempt, readRetryAfter } from './judgeAttempt.ts';
import { ATTEMPTS_KEPT_MAX } from './limits.ts';
import { type SecretSigner, signMessage } from './signing.ts';
import type { DeliveryAttempt, FailureReason, WebhookDelivery, WebhookMessage } from './tables.ts';

const USER_AGENT = 'compliance-screening/1.0 (webhooks)';

/** What is sent, before it is. */
export interface SignedAttempt {
  readonly headers: Readonly<Record<string, string>>;
  readonly timestampUnix: number;
  readonly signature: string;
  readonly secretVersions: readonly number[];
  readonly bodySha256: string;
}

/** The headers of an attempt; `at` gives the second that is signed. */
export function signAttempt(
  delivery: WebhookDelivery,
  message: Pick<WebhookMessage, 'body' | 'eventId'>,
  of: {
    readonly signers: readonly SecretSigner[];
    readonly at: EpochMs;
    readonly random: Random;
  },
): SignedAttempt {
  const timestampUnix = Math.floor(of.at / 1_000);
  const { newest, service, standard } = signMessage(of.signers, { ...message, timestampUnix });
  return {
    bodySha256: sha256Hex(message.body),
    headers: {
      'content-type': 'application/json',
      traceparent: traceParent(of.random),
      'user-agent': USER_AGENT,
      'webhook-id': delivery.eventId,
      'webhook-signature': standard,
      'webhook-timestamp': String(timestampUnix),
      'x-service-delivery-attempt': String(delivery.deliveryAttempt + 1),
      'x-service-event-id': delivery.eventId,
      'x-service-event-type': delivery.eventType,
      'x-service-idempotency-key': delivery.idempotencyKey,
      'x-service-signature': service,
      'x-service-tenant-id': delivery.tenantId,
      'x-service-timestamp': String(timestampUnix),
    },
    secretVersions: of.signers.map(({ secretVersion }) => secretVersion),
    signature: newest,
    timestampUnix,
  };
}

/** W3C Trace Context: a trace of its own, which the customer's logs may name. */
const traceParent = (random: Random): string => {
  const hex = Buffer.from(random.bytes(24)).toString('hex');
  return `00-${hex.slice(0, 32)}-${hex.slice(32)}-01`;
};

/** How an attempt went. */
export interface MadeAttempt {
  readonly signed: SignedAttempt;
  readonly result: CallResult;
  readonly startedAt: EpochMs;
  readonly endedAt: EpochMs;
  readonly durationMs: number;
}

/** A delivery after an attempt, with what the evidence says of it. */
export interface JudgedAttempt {
  readonly next: WebhookDelivery;
  readonly member: JsonObject;
  readonly isGone: boolean;
  /** False: it has ended without an attempt. */
  readonly isMade: boolean;
  /**
   * Whether it says how the endpoint fares: not where there was no call, where the operator's proxy
   * failed, or where the endpoint is waited for as it has asked.
   */
  readonly isTelling: boolean;
  /** The address of the endpoint answered that it has moved for good. */
  readonly isMoved?: true;
}

const FAULTS = {
  connect: 'connect',
  dns: 'dns',
  malformed: 'response-malformed',
  mtls: 'mtls',
  proxy: 'connect',
  redirect: 'redirect',
  refused: 'ssrf-blocked',
  timeout: 'timeout',
  tls: 'tls',
} as const satisfies Record<string, FailureReason>;

/** The delivery after it. */
export function judgedAttempt(delivery: WebhookDelivery, made: MadeAttempt): JudgedAttempt {
  const { endedAt, result, signed, startedAt } = made;
  const { failureReason: _, nextAttemptAt: __, ...before } = delivery;
  const firstAttemptAt = delivery.firstAttemptAt ?? startedAt;
  const judged = judgeAttempt({ ...delivery, firstAttemptAt }, outcomeOf(result, endedAt), endedAt);
  const attempt: DeliveryAttempt = {
    at: startedAt,
    attempt: delivery.deliveryAttempt + 1,
    durationMs: Math.round(made.durationMs),
    redirects: result.redirects,
    ...result.peer,
    ...('code' in result && { responseCode: result.code }),
    ...(judged.attemptReason !== undefined && { failureReason: judged.attemptReason }),
  };
  const next: WebhookDelivery = {
    ...before,
    attempts: [...delivery.attempts, attempt].slice(-ATTEMPTS_KEPT_MAX),
    deliveryAttempt: judged.deliveryAttempt,
    firstAttemptAt,
    rateLimitWaits: judged.rateLimitWaits,
    secretVersions: signed.secretVersions,
    signature: signed.signature,
    status: judged.status,
    timestampUnix: signed.timestampUnix,
    version: delivery.version + 1,
    ...(judged.failureReason !== undefined && { failureReason: judged.failureReason }),
    ...(judged.nextAttemptAt !== undefined && { nextAttemptAt: judged.nextAttemptAt }),
    ...(judged.status === 'DELIVERED' && { deliveredAt: endedAt }),
    ...('code' in result && { lastResponseBody: result.body, lastResponseCode: result.code }),
  };
  const isProxys = 'fault' in result && result.fault === 'proxy';
  return {
    isGone: judged.isGone,
    isMade: true,
    // How the endpoint fares is shown to those for whom a confidential delivery does not exist.
    isTelling: judged.isWait !== true && !isProxys && delivery.isConfidential !== true,
    member: memberOf({ before: delivery, next }, attempt, signed),
    next,
    ...(result.isMoved && { isMoved: true }),
  };
}

function outcomeOf(result: CallResult, now: EpochMs): AttemptOutcome {
  if ('fault' in result) return { fault: FAULTS[result.fault] };
  const header = result.headers['retry-after'];
  const retryAfterMs = readRetryAfter(typeof header === 'string' ? header : undefined, now);
  return { code: result.code, ...(retryAfterMs !== undefined && { retryAfterMs }) };
}

/**
 * W17: ids, the digest of what was sent, the answer's code, and the versions of the secrets; and
 * the delivery before and after it, so that figures can be counted from entries alone. The members
 * stand in the order of canonical JSON: their entry is then written in one pass.
 */
const memberOf = (
  { before, next }: Readonly<Record<'before' | 'next', WebhookDelivery>>,
  { at, attempt, durationMs, failureReason, responseCode }: ToldAttempt,
  { bodySha256, secretVersions }: ToldSignature,
): JsonObject => ({
  ...(next.about !== undefined && { about: next.about }),
  at: toTimestamp(at),
  attempt,
  attempts_made: next.deliveryAttempt + next.rateLimitWaits,
  before: before.status === 'PENDING' ? null : stateOf(before),
  body_sha256: bodySha256 ?? null,
  delivered_at: next.deliveredAt === undefined ? null : toTimestamp(next.deliveredAt),
  delivery_failure_reason: next.failureReason ?? null,
  delivery_id: next.deliveryId,
  duration_ms: durationMs ?? null,
  endpoint_id: next.endpointId,
  event_id: next.eventId,
  event_type: next.eventType,
  failure_reason: failureReason ?? null,
  last_response_code: next.lastResponseCode ?? null,
  response_code: responseCode ?? null,
  secret_versions: [...secretVersions],
  status: next.status,
  ...(next.isTest === true && { test: true }),
});

/** Without a digest: nothing was sent. */
type ToldSignature = Pick<SignedAttempt, 'secretVersions'> &
  Partial<Pick<SignedAttempt, 'bodySha256'>>;

/** Without a duration: none was made. */
type ToldAttempt = Omit<DeliveryAttempt, 'durationMs' | 'redirects'> &
  Partial<Pick<DeliveryAttempt, 'durationMs'>>;

const stateOf = ({ failureReason, lastResponseCode, status }: WebhookDelivery) => ({
  delivery_failure_reason: failureReason ?? null,
  last_response_code: lastResponseCode ?? null,
  status,
});

/**
 * Why there is no attempt: nowhere to send it to, nothing to send, nothing to sign it with, or its
 * time is over.
 */
export type UnsentReason = Extract<
  FailureReason,
  | ('endpoint-disabled' | 'endpoint-removed' | 'expired-24h')
  | ('payload-altered' | 'payload-gone' | 'secret-unreadable')
>;

/** A delivery that ends without an attempt. */
export function endedUnsent(
  delivery: WebhookDelivery,
  failureReason: UnsentReason,
  now: EpochMs,
): JudgedAttempt {
  const { nextAttemptAt: _, ...before } = delivery;
  const next: WebhookDelivery = {
    ...before,
    failureReason,
    status: 'FAILED',
    version: delivery.version + 1,
  };
  const attempt = { at: now, attempt: delivery.deliveryAttempt, failureReason };
  return {
    isGone: false,
    isMade: false,
    isTelling: false,
    member: memberOf({ before: delivery, next }, attempt, { secretVersions: [] }),
    next,
  };
}

/** How endpoints and deliveries are shown, over HTTP and by the command line. */
import { type EpochMs, toTimestamp } from '#platform/clock';
import { sha256Hex } from '#platform/crypto';
import type {
  Configuration,
  EventType,
  Replaced,
  ReplayJob,
  ShownSecret,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookMessage,
} from '#slices/webhooks';
import { failuresOf } from '#slices/webhooks';
import { schemaPath } from './schemaPage.ts';

const time = (at: EpochMs | undefined) => (at === undefined ? null : toTimestamp(at));

export function presentEndpoint(endpoint: WebhookEndpoint, now: EpochMs) {
  const { caPem, clientCertificate, disabledReason, secrets } = endpoint;
  const [newest, former] = secrets;
  const isLive = former?.expiresAt !== undefined && former.expiresAt > now;
  return {
    endpoint_id: endpoint.endpointId,
    url: endpoint.url,
    description: endpoint.description,
    events: endpoint.events,
    catalog: endpoint.catalog,
    enabled: disabledReason === undefined,
    disabled_reason: disabledReason ?? null,
    tls: {
      client_certificate: clientCertificate
        ? {
            subject: clientCertificate.subject,
            issuer: clientCertificate.issuer,
            serial: clientCertificate.serial,
            sha256: clientCertificate.sha256,
            not_after: toTimestamp(clientCertificate.notAfter),
          }
        : null,
      ca_sha256: caPem === undefined ? null : sha256Hex(caPem),
    },
    secret: {
      created_at: toTimestamp(newest?.createdAt ?? endpoint.createdAt),
      previous_expires_at: isLive ? time(former.expiresAt) : null,
    },
    consecutive_failures: failuresOf(endpoint).failures,
    last_success_at: time(endpoint.lastSuccessAt),
    last_failure_at: time(endpoint.lastFailureAt),
    str_events: null,
    created_at: toTimestamp(endpoint.createdAt),
    updated_at: toTimestamp(endpoint.updatedAt),
    version: endpoint.version,
  };
}

export const presentConfiguration = ({ endpoints, version }: Configuration, now: EpochMs) => ({
  endpoints: endpoints.map((endpoint) => presentEndpoint(endpoint, now)),
  version,
});

export const presentReplaced = ({ endpoints, secrets, version }: Replaced, now: EpochMs) => ({
  endpoints: endpoints.map((endpoint) => {
    const secret = secrets.get(endpoint.endpointId);
    return {
      ...presentEndpoint(endpoint, now),
      ...(secret !== undefined && { new_secret: secret }),
    };
  }),
  version,
});

export const presentSecret = ({ endpointId, previousExpiresAt, secret }: ShownSecret) => ({
  endpoint_id: endpointId,
  secret,
  previous_expires_at: time(previousExpiresAt),
});

export const presentEventType = (type: EventType) => ({
  name: type.name,
  catalogs: type.catalogs,
  twin: type.twin ?? null,
  version: 1,
  description: type.description,
  schema: type.schema,
  schema_url: schemaPath(type.name),
  example: type.example,
  since: type.since,
  deprecated: false,
});

export const presentDelivery = (delivery: WebhookDelivery) => ({
  delivery_id: delivery.deliveryId,
  endpoint_id: delivery.endpointId,
  event_id: delivery.eventId,
  tenant_id: delivery.tenantId,
  event_type: delivery.eventType,
  catalog: delivery.catalog,
  url: delivery.url,
  idempotency_key: delivery.idempotencyKey,
  status: delivery.status,
  failure_reason: delivery.failureReason ?? null,
  delivery_attempt: delivery.deliveryAttempt,
  next_attempt_at: time(delivery.nextAttemptAt),
  last_response_code: delivery.lastResponseCode ?? null,
  delivered_at: time(delivery.deliveredAt),
  created_at: toTimestamp(delivery.createdAt),
  replay_of: delivery.replayOf ?? null,
  test: delivery.isTest ?? false,
  secret_versions: delivery.secretVersions ?? [],
});

export function presentWhole(delivery: WebhookDelivery, message: WebhookMessage | undefined) {
  const { attempts, lastResponseBody, signature, timestampUnix } = delivery;
  const isSigned = message !== undefined && timestampUnix !== undefined;
  return {
    ...presentDelivery(delivery),
    payload: message === undefined ? null : (JSON.parse(message.body) as unknown),
    signed_payload: isSigned ? `${timestampUnix}.${message.body}` : null,
    signature: signature ?? null,
    timestamp_unix: timestampUnix ?? null,
    last_response_body: lastResponseBody ?? null,
    attempts: attempts.map((attempt) => ({
      attempt: attempt.attempt,
      at: toTimestamp(attempt.at),
      duration_ms: attempt.durationMs,
      response_code: attempt.responseCode ?? null,
      failure_reason: attempt.failureReason ?? null,
      address: attempt.address ?? null,
      redirects: attempt.redirects,
      tls: attempt.tls ?? null,
    })),
  };
}

/** An order as it stands on the wire. */
export const presentReplay = (job: ReplayJob) => ({
  replay_job_id: job.replayJobId,
  endpoint_id: job.endpointId,
  status: job.state,
  failure: job.failure ?? null,
  missing: job.isMissing,
  from: toTimestamp(job.from),
  to: toTimestamp(job.to),
  count: job.count,
  examined: job.examined,
  cut: job.isCut ?? false,
  created_at: toTimestamp(job.createdAt),
  ended_at: job.endedAt === undefined ? null : toTimestamp(job.endedAt),
});

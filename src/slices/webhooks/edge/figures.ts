/** Figures of deliveries, and many of them again by one order (W12, operations 2.2). */
import { DomainError, type TenantId } from '#core/kernel';
import { type EpochMs, toTimestamp } from '#platform/clock';
import {
  type BulkReplay,
  KPI_EXAMINED_MAX,
  type KpiPeriod,
  readKpis,
  replayMany,
  type WebhookKpis,
} from '#slices/webhooks';
import { askerOf } from '../../../api/asker.ts';
import type { Operation } from '../../../api/operation.ts';
import { roles } from '../roles.ts';
import {
  type BulkReplayAsked,
  BulkReplayBody,
  BulkReplayResult,
  KpisQuery,
  KpisResult,
} from './figureSchemas.ts';
import { BODY_BYTES_MAX, COMMON, kept, type WebhookRouteOptions } from './routeOptions.ts';

export const figureOperations = (options: WebhookRouteOptions): Operation[] => [
  getWebhookKpis(options),
  replayWebhookDeliveries(options),
];

function getWebhookKpis(options: WebhookRouteOptions): Operation {
  return {
    ...COMMON,
    id: 'getWebhookKpis',
    method: 'GET',
    path: '/v1/webhooks/kpis',
    summary: 'Figures of the deliveries that were created in a period',
    description:
      `By their present states, tests left out. Of more than ${KPI_EXAMINED_MAX} deliveries the ` +
      'last ones are counted: `complete` is false then, and `from` says where they begin.',
    roles: roles.read,
    scope: 'webhooks:read',
    query: KpisQuery,
    responses: { 200: { description: 'The figures', schema: KpisResult } },
    async handle({ query, tenantId }) {
      const { endpoint_id: endpointId, period = 'last_24h' } = query as {
        readonly endpoint_id?: string;
        readonly period?: KpiPeriod;
      };
      const ports = options.ports();
      const kpis = await readKpis(ports, {
        period,
        tenantId,
        ...(endpointId !== undefined && { endpointId }),
      });
      return { body: presentKpis(kpis, { now: ports.clock.now(), period }), status: 200 };
    },
  };
}

const ratio = (part: number, whole: number): number | null =>
  whole === 0 ? null : Math.round((part / whole) * 10_000) / 10_000;

function presentKpis(
  kpis: WebhookKpis,
  { now, period }: { readonly now: EpochMs; readonly period: KpiPeriod },
) {
  const { DELIVERED, FAILED, PENDING, RATE_LIMITED, RETRYING } = kpis.states;
  const ended = DELIVERED + FAILED;
  return {
    period,
    from: toTimestamp(kpis.from),
    to: toTimestamp(kpis.to),
    complete: kpis.isComplete,
    deliveries_total: kpis.total,
    delivered: DELIVERED,
    failed: FAILED,
    retrying: RETRYING,
    pending: PENDING,
    rate_limited: RATE_LIMITED,
    success_rate: ratio(DELIVERED, ended),
    first_attempt_rate: ratio(kpis.firstAttempts, ended),
    recovered: DELIVERED - kpis.firstAttempts,
    attempts_total: kpis.attempts,
    attempts_per_delivery: ratio(kpis.attempts, kpis.total),
    response_ms: kpis.responseMs ?? null,
    delay_ms: kpis.delayMs ?? null,
    queue_depth: PENDING + RETRYING + RATE_LIMITED,
    oldest_pending_s:
      kpis.oldestOpenAt === undefined ? null : Math.floor((now - kpis.oldestOpenAt) / 1_000),
    by_event: kpis.byEvent,
    by_endpoint: kpis.byEndpoint,
    by_code_class: kpis.byCodeClass,
    by_failure_reason: kpis.byFailureReason,
    series: kpis.series.map(({ at, ...counts }) => ({ at: toTimestamp(at), ...counts })),
  };
}

function replayWebhookDeliveries(options: WebhookRouteOptions): Operation {
  return {
    ...COMMON,
    id: 'replayWebhookDeliveries',
    method: 'POST',
    path: '/v1/webhooks/deliveries/replay',
    summary: 'Send many deliveries of an endpoint again, or what it has missed',
    description:
      'Those of the endpoint that were created in the time and have ended; with `missing` the ' +
      'events that it asks for and that have not arrived, also those that came while it was ' +
      'disabled. At most 100,000, the oldest first, at half of the tenant’s rate.',
    roles: roles.develop,
    scope: 'webhooks:write',
    idempotency: 'required',
    problems: ['webhook-endpoint-disabled', 'webhook-time-range', 'webhook-unknown'],
    bodyBytesMax: BODY_BYTES_MAX,
    body: BulkReplayBody,
    example: {
      endpoint_id: '019a0b2c-7d4e-7000-8000-000000000000',
      from: '2026-11-22T00:00:00Z',
      missing: true,
      to: '2026-11-23T00:00:00Z',
    },
    responses: { 202: { description: 'How many are on their way', schema: BulkReplayResult } },
    async handle(context) {
      const ports = options.ports();
      const asked = context.body as BulkReplayAsked;
      const { ask, reply } = kept<BulkReplay>(ports, context, {
        present: ({ count, replayJobId }) => ({ count, replay_job_id: replayJobId }),
        status: 202,
      });
      const { idempotency } = ask;
      const tenantId: TenantId = context.tenantId;
      const order = await replayMany(ports, {
        ...askerOf(context),
        ...rangeOf(asked),
        endpointId: asked.endpoint_id,
        isMissing: asked.missing ?? false,
        perSecond: await options.perSecondOf(tenantId),
        tenantId,
        ...(asked.event_types !== undefined && { eventTypes: asked.event_types }),
        ...(asked.status !== undefined && { status: asked.status }),
        ...(idempotency !== undefined && { idempotency }),
      });
      options.wake(order.replayJobId);
      return reply(order);
    },
  };
}

function rangeOf({ from, to }: BulkReplayAsked): { readonly from: EpochMs; readonly to: EpochMs } {
  const range = { from: Date.parse(from) as EpochMs, to: Date.parse(to) as EpochMs };
  if (range.from < range.to) return range;
  const detail = 'expected an instant after `from`';
  const violations = [{ code: 'range', detail, pointer: '/to' }];
  throw new DomainError('webhook-time-range', { detail, violations });
}

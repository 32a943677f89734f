/** Figures of deliveries (operations 2.2). */
import { type EpochMs, toTimestamp } from '#platform/clock';
import {
  type CountsBy,
  type KpiPeriod,
  readKpis,
  type StateCounts,
  type WebhookKpis,
} from '#slices/webhooks';
import type { Operation } from '../../../api/operation.ts';
import { roles } from '../roles.ts';
import { KpisQuery, KpisResult } from './figureSchemas.ts';
import { COMMON, type WebhookRouteOptions } from './routeOptions.ts';

export const figureOperations = (options: WebhookRouteOptions): Operation[] => [
  getWebhookKpis(options),
];

function getWebhookKpis(options: WebhookRouteOptions): Operation {
  return {
    ...COMMON,
    id: 'getWebhookKpis',
    method: 'GET',
    path: '/v1/webhooks/kpis',
    summary: 'Figures of the deliveries that were created in a period',
    description:
      'By their present states, tests left out. `from` is where the first bucket of `series` ' +
      'begins; buckets are a minute, a quarter of an hour, two hours and a day long. ' +
      '`queue_depth` and `oldest_pending_s` are of every open delivery. `complete` is false ' +
      'while there are attempts that are not counted yet.',
    roles: roles.read,
    scope: 'webhooks:read',
    query: KpisQuery,
    responses: { 200: { description: 'The figures', schema: KpisResult } },
    async handle({ query, tenantId }) {
      const { endpoint_id: endpointId, period = 'last_24h' } = query as {
        readonly endpoint_id?: string;
        readonly period?: KpiPeriod;
      };
      const ports = options.kpiPorts();
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
  { isComplete, queue, tally, ...kpis }: WebhookKpis,
  { now, period }: { readonly now: EpochMs; readonly period: KpiPeriod },
) {
  const { deliveries_total, ...counts } = countsOf(tally.states);
  const ended = counts.delivered + counts.failed;
  return {
    period,
    from: toTimestamp(kpis.from),
    to: toTimestamp(kpis.to),
    complete: isComplete,
    deliveries_total,
    ...counts,
    success_rate: ratio(counts.delivered, ended),
    first_attempt_rate: ratio(tally.firstAttempts, ended),
    recovered: counts.delivered - tally.firstAttempts,
    attempts_total: tally.attempts,
    attempts_per_delivery: ratio(tally.endedAttempts, ended),
    response_ms: kpis.responseMs ?? null,
    delay_ms: kpis.delayMs ?? null,
    queue_depth: queue.depth,
    oldest_pending_s:
      queue.oldestAt === undefined ? null : Math.max(0, Math.floor((now - queue.oldestAt) / 1_000)),
    by_event: countsBy(tally.byEvent),
    by_endpoint: Object.fromEntries(
      kpis.byEndpoint.map(({ consecutiveFailures, endpointId, lastSuccessAt, states }) => [
        endpointId,
        {
          ...countsOf(states),
          consecutive_failures: consecutiveFailures ?? null,
          last_success_at: lastSuccessAt === undefined ? null : toTimestamp(lastSuccessAt),
        },
      ]),
    ),
    by_code_class: countsBy(tally.byCodeClass),
    by_failure_reason: countsBy(tally.byFailureReason),
    series: kpis.series.map(({ at, states }) => ({ at: toTimestamp(at), ...countsOf(states) })),
  };
}

/** States by their names on the wire; the total is their sum. */
function countsOf(states: StateCounts) {
  const { DELIVERED = 0, FAILED = 0, PENDING = 0, RATE_LIMITED = 0, RETRYING = 0 } = states;
  return {
    deliveries_total: DELIVERED + FAILED + PENDING + RATE_LIMITED + RETRYING,
    delivered: DELIVERED,
    failed: FAILED,
    retrying: RETRYING,
    pending: PENDING,
    rate_limited: RATE_LIMITED,
  };
}

const countsBy = (by: CountsBy) =>
  Object.fromEntries(Object.entries(by).map(([name, states]) => [name, countsOf(states)]));

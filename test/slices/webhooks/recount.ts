/** Figures as the records of deliveries themselves give them: sorted values, no sums kept. */
import type { EpochMs } from '#platform/clock';
import {
  type CountsBy,
  KPI_PERIODS,
  type KpiPeriod,
  type StateCounts,
  type WebhookDelivery,
  type WebhookKpis,
} from '#slices/webhooks';

const OPEN = ['PENDING', 'RETRYING', 'RATE_LIMITED'];

export function recount(
  stored: readonly WebhookDelivery[],
  of: { readonly period: KpiPeriod; readonly now: EpochMs; readonly endpointId?: string },
): Omit<WebhookKpis, 'byEndpoint'> & { readonly byEndpoint: CountsBy } {
  const { bucketMs, buckets } = KPI_PERIODS[of.period];
  const to = (Math.floor(of.now / bucketMs) + 1) * bucketMs;
  const from = to - buckets * bucketMs;
  const all = stored.filter(
    ({ endpointId, isTest }) =>
      isTest !== true && (of.endpointId === undefined || endpointId === of.endpointId),
  );
  const shown = all.filter(({ createdAt }) => createdAt >= from && createdAt < to);
  const ended = shown.filter(({ status }) => status === 'DELIVERED' || status === 'FAILED');
  const open = all.filter(({ status }) => OPEN.includes(status));
  const attemptsOf = ({ deliveryAttempt, rateLimitWaits }: WebhookDelivery) =>
    deliveryAttempt + rateLimitWaits;
  const sum = (some: readonly WebhookDelivery[]) =>
    some.reduce((total, delivery) => total + attemptsOf(delivery), 0);
  const responses = shown.flatMap(({ attempts }) =>
    attempts.flatMap((one) => (one.responseCode === undefined ? [] : [one.durationMs])),
  );
  const delays = shown.flatMap(({ createdAt, deliveredAt }) =>
    deliveredAt === undefined ? [] : [deliveredAt - createdAt],
  );
  return {
    byEndpoint: countsBy(shown, ({ endpointId }) => endpointId),
    delayMs: quantiles(delays),
    from: from as EpochMs,
    isComplete: true,
    queue: {
      depth: open.length,
      oldestAt:
        open.length === 0
          ? undefined
          : (Math.min(...open.map(({ createdAt }) => createdAt)) as EpochMs),
    },
    responseMs: quantiles(responses),
    series: Array.from({ length: buckets }, (_, place) => {
      const at = from + place * bucketMs;
      const inside = shown.filter((one) => one.createdAt >= at && one.createdAt < at + bucketMs);
      return { at: at as EpochMs, states: statesOf(inside) };
    }),
    tally: {
      attempts: sum(shown),
      byCodeClass: countsBy(shown, ({ lastResponseCode: code }) =>
        code === undefined ? undefined : `${String(code)[0]}xx`,
      ),
      byEvent: countsBy(shown, ({ eventType }) => eventType),
      byFailureReason: countsBy(shown, ({ failureReason }) => failureReason),
      delayMs: histogram(delays),
      endedAttempts: sum(ended),
      firstAttempts: ended.filter((one) => one.status === 'DELIVERED' && one.deliveryAttempt === 1)
        .length,
      responseMs: histogram(responses),
      states: statesOf(shown),
    },
    to: to as EpochMs,
  };
}

function statesOf(deliveries: readonly WebhookDelivery[]): StateCounts {
  const byStatus = Object.groupBy(deliveries, ({ status }) => status);
  return Object.fromEntries(Object.entries(byStatus).map(([name, some]) => [name, some.length]));
}

function countsBy(
  deliveries: readonly WebhookDelivery[],
  nameOf: (delivery: WebhookDelivery) => string | undefined,
): CountsBy {
  const named = deliveries.filter((one) => nameOf(one) !== undefined);
  const groups = Map.groupBy(named, (one) => nameOf(one) ?? '');
  return Object.fromEntries([...groups].map(([name, some]) => [name, statesOf(some)]));
}

/** Its first two digits, the rest zeros, as text does it. */
const rounded = (value: number): number => {
  const text = String(value);
  return Number(text.slice(0, 2) + text.slice(2).replaceAll(/[0-9]/g, '0'));
};

function histogram(values: readonly number[]): Record<string, number> {
  const groups = Map.groupBy(values, (value) => String(rounded(value)));
  return Object.fromEntries([...groups].map(([value, some]) => [value, some.length]));
}

function quantiles(values: readonly number[]): WebhookKpis['delayMs'] {
  const sorted = values.map(rounded).toSorted((a, b) => a - b);
  if (sorted.length === 0) return undefined;
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}

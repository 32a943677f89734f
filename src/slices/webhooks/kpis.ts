/**
 * Figures of deliveries (operations 2.2), counted from the deliveries themselves: those that were
 * created in the period, by their present states. A period of more than EXAMINED_MAX deliveries is
 * counted from its end backwards, and says where it begins.
 */
import { everyRecord, type TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { firstIdOf } from './deliveries.ts';
import type { WebhookPorts } from './ports.ts';
import { deliveryTable, type WebhookDelivery } from './tables.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Periods, with the lengths of their buckets. */
export const KPI_PERIODS = {
  last_1h: { bucketMs: MINUTE_MS, ms: HOUR_MS },
  last_24h: { bucketMs: 15 * MINUTE_MS, ms: 24 * HOUR_MS },
  last_7d: { bucketMs: 2 * HOUR_MS, ms: 7 * 24 * HOUR_MS },
  last_30d: { bucketMs: 24 * HOUR_MS, ms: 30 * 24 * HOUR_MS },
} as const;
/** One of KPI_PERIODS. */
export type KpiPeriod = keyof typeof KPI_PERIODS;

/** Deliveries that one answer looks at. */
export const KPI_EXAMINED_MAX = 100_000;

type Counts = Record<string, number>;

/** The figures of one period, as they stand on the wire. */
export interface WebhookKpis {
  readonly from: EpochMs;
  readonly to: EpochMs;
  readonly isComplete: boolean;
  readonly states: Readonly<Record<WebhookDelivery['status'], number>>;
  readonly total: number;
  readonly firstAttempts: number;
  readonly attempts: number;
  readonly responseMs: Quantiles;
  readonly delayMs: Quantiles;
  readonly oldestOpenAt?: EpochMs;
  readonly byEvent: Readonly<Counts>;
  readonly byEndpoint: Readonly<Counts>;
  readonly byCodeClass: Readonly<Counts>;
  readonly byFailureReason: Readonly<Counts>;
  readonly series: readonly KpiBucket[];
}

/** One bucket of the series. */
export interface KpiBucket {
  readonly at: EpochMs;
  readonly total: number;
  readonly delivered: number;
  readonly failed: number;
}

/** Absent where nothing was measured. */
export type Quantiles = Readonly<Record<'p50' | 'p95' | 'p99', number>> | undefined;

/** Tests are left out. `to` is cut to the minute. */
export async function readKpis(
  { clock, tables }: Pick<WebhookPorts, 'clock' | 'tables'>,
  of: { readonly tenantId: TenantId; readonly period: KpiPeriod; readonly endpointId?: string },
): Promise<WebhookKpis> {
  const { endpointId, period, tenantId } = of;
  const { bucketMs, ms } = KPI_PERIODS[period];
  const to = (Math.ceil((clock.now() + 1) / MINUTE_MS) * MINUTE_MS) as EpochMs;
  const from = (to - ms) as EpochMs;
  const sums = new Sums(from, bucketMs, Math.ceil(ms / bucketMs));
  const ask = {
    direction: 'descending' as const,
    equal: { tenantId, ...(endpointId !== undefined && { endpointId }) },
    from: firstIdOf(from),
    index: endpointId === undefined ? 'key' : 'byEndpoint',
    to: firstIdOf(to),
  };
  for await (const delivery of everyRecord(tables, deliveryTable, ask)) {
    if (sums.examined === KPI_EXAMINED_MAX) return sums.result(to, delivery.createdAt);
    sums.add(delivery);
  }
  return sums.result(to, undefined);
}

class Sums {
  examined = 0;
  readonly #from: EpochMs;
  readonly #bucketMs: number;
  readonly #series: { at: EpochMs; total: number; delivered: number; failed: number }[];
  readonly #states = { DELIVERED: 0, FAILED: 0, PENDING: 0, RATE_LIMITED: 0, RETRYING: 0 };
  readonly #by = {
    byCodeClass: {} as Counts,
    byEndpoint: {} as Counts,
    byEvent: {} as Counts,
    byFailureReason: {} as Counts,
  };
  readonly #responses: number[] = [];
  readonly #delays: number[] = [];
  #total = 0;
  #attempts = 0;
  #firstAttempts = 0;
  #oldestOpenAt: EpochMs | undefined;

  constructor(from: EpochMs, bucketMs: number, buckets: number) {
    this.#from = from;
    this.#bucketMs = bucketMs;
    this.#series = Array.from({ length: buckets }, (_, place) => ({
      at: (from + place * bucketMs) as EpochMs,
      delivered: 0,
      failed: 0,
      total: 0,
    }));
  }

  add(delivery: WebhookDelivery): void {
    this.examined++;
    if (delivery.isTest === true) return;
    const { attempts, createdAt, deliveredAt, lastResponseCode, status } = delivery;
    this.#total++;
    this.#states[status]++;
    this.#attempts += attempts.length;
    if (status === 'DELIVERED' && delivery.deliveryAttempt === 1) this.#firstAttempts++;
    if (deliveredAt !== undefined) this.#delays.push(deliveredAt - createdAt);
    for (const { durationMs, responseCode } of attempts) {
      if (responseCode !== undefined) this.#responses.push(durationMs);
    }
    const isOpen = status !== 'DELIVERED' && status !== 'FAILED';
    if (isOpen) this.#oldestOpenAt = createdAt; // the walk goes back in time
    raise(this.#by.byEvent, delivery.eventType);
    raise(this.#by.byEndpoint, delivery.endpointId);
    if (lastResponseCode !== undefined) {
      raise(this.#by.byCodeClass, `${Math.floor(lastResponseCode / 100)}xx`);
    }
    if (delivery.failureReason !== undefined) {
      raise(this.#by.byFailureReason, delivery.failureReason);
    }
    const bucket = this.#series[Math.floor((createdAt - this.#from) / this.#bucketMs)];
    if (bucket === undefined) return;
    bucket.total++;
    if (status === 'DELIVERED') bucket.delivered++;
    if (status === 'FAILED') bucket.failed++;
  }

  result(to: EpochMs, cutAt: EpochMs | undefined): WebhookKpis {
    const oldestOpenAt = this.#oldestOpenAt;
    return {
      attempts: this.#attempts,
      ...this.#by,
      delayMs: quantiles(this.#delays),
      firstAttempts: this.#firstAttempts,
      from: cutAt ?? this.#from,
      isComplete: cutAt === undefined,
      responseMs: quantiles(this.#responses),
      series: this.#series,
      states: this.#states,
      to,
      total: this.#total,
      ...(oldestOpenAt !== undefined && { oldestOpenAt }),
    };
  }
}

function raise(counts: Counts, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

function quantiles(values: number[]): Quantiles {
  if (values.length === 0) return undefined;
  values.sort((a, b) => a - b);
  const at = (share: number): number =>
    values[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}

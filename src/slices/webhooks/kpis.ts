/**
 * Figures of deliveries (operations 2.2): those that were created in the period, by their present
 * states. They are read from sums by buckets, with what the chain has beyond them; a few hundred
 * records, however many deliveries there are.
 */
import { allRecords, type TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { type Quantiles, quantilesOf } from '#platform/histogram';
import {
  byBuckets,
  FOLD_ENTRIES,
  type FoldPorts,
  firstPlace,
  placeOf,
  readAttempts,
  withAttempts,
} from './foldTallies.ts';
import { countPending, type PendingCounts } from './pending.ts';
import { failuresOf } from './standing.ts';
import { type DeliveryStatus, deliveryTable, endpointTable } from './tables.ts';
import {
  addCounts,
  addTally,
  type CountsBy,
  countsIn,
  emptyTally,
  KPI_PERIODS,
  type KpiPeriod,
  raise,
  type StateCounts,
  type Tally,
} from './tally.ts';
import { type BucketTally, bucketTallyTable, tallyPlaceTable } from './tallyTables.ts';

/** Deliveries without an attempt that a request counts itself. */
const PENDING_COUNTED = 1_000;
/** Open deliveries among which a request looks for an endpoint's oldest one. */
const OLDEST_EXAMINED = 200;
const OPEN = ['PENDING', 'RETRYING', 'RATE_LIMITED'] as const satisfies readonly DeliveryStatus[];

/** The figures of one period. */
export interface WebhookKpis {
  readonly from: EpochMs;
  readonly to: EpochMs;
  /** False: the chain has more attempts than are counted yet. */
  readonly isComplete: boolean;
  readonly tally: Tally;
  readonly responseMs: Quantiles;
  readonly delayMs: Quantiles;
  readonly byEndpoint: readonly EndpointFigures[];
  readonly series: readonly { readonly at: EpochMs; readonly states: StateCounts }[];
  /** All open deliveries, whenever they were created. */
  readonly queue: { readonly depth: number; readonly oldestAt: EpochMs | undefined };
}

/** The figures of one endpoint, with how it fares; one that is removed fares no more. */
export interface EndpointFigures {
  readonly endpointId: string;
  readonly states: StateCounts;
  readonly consecutiveFailures?: number;
  readonly lastSuccessAt?: EpochMs;
}

/** Which figures are asked for. */
export interface KpisAsk {
  readonly tenantId: TenantId;
  readonly period: KpiPeriod;
  readonly endpointId?: string;
}

export type KpiPorts = Pick<FoldPorts, 'audit' | 'clock' | 'tables'>;

/** Tests are left out. The period ends with the bucket of this moment. */
export async function readKpis(ports: KpiPorts, ask: KpisAsk): Promise<WebhookKpis> {
  const { endpointId, period, tenantId } = ask;
  const { bucketMs, buckets } = KPI_PERIODS[period];
  const to = ((Math.floor(ports.clock.now() / bucketMs) + 1) * bucketMs) as EpochMs;
  const from = (to - buckets * bucketMs) as EpochMs;
  const isAsked = (id: string): boolean => endpointId === undefined || id === endpointId;
  const { bucketsOf, isComplete, pending } = await readSums(ports, tenantId);

  const sum = emptyTally();
  const byEndpoint: CountsBy = {};
  const series = Array.from({ length: buckets }, (_, place) => ({
    at: (from + place * bucketMs) as EpochMs,
    states: {} as StateCounts,
  }));
  for (const { at, endpoints } of await bucketsOf({ bucketMs, from, to })) {
    for (const [id, tally] of Object.entries(endpoints).filter(([one]) => isAsked(one))) {
      addTally(sum, tally);
      addCounts(countsIn(byEndpoint, id), tally.states);
      addCounts(series[(at - from) / bucketMs]?.states ?? {}, tally.states);
    }
  }
  for (const group of pending.groups) {
    const place = (group.at - from) / bucketMs;
    const bucket = group.bucketMs === bucketMs ? series[place] : undefined;
    if (bucket === undefined || !isAsked(group.endpointId)) continue;
    const { count, endpointId: id, eventType } = group;
    const sums = [sum.states, countsIn(sum.byEvent, eventType), countsIn(byEndpoint, id)];
    for (const counts of [...sums, bucket.states]) raise(counts, 'PENDING', count);
  }
  return {
    byEndpoint: await endpointFigures(ports, tenantId, byEndpoint),
    delayMs: quantilesOf(sum.delayMs),
    from,
    isComplete,
    queue: await queueOf(ports, ask, { bucketsOf, pending }),
    responseMs: quantilesOf(sum.responseMs),
    series,
    tally: sum,
    to,
  };
}

interface Range {
  readonly bucketMs: number;
  readonly from: EpochMs;
  readonly to: EpochMs;
}
type Bucket = Pick<BucketTally, 'at' | 'endpoints'>;
type BucketsOf = (range: Range) => Promise<readonly Bucket[]>;

/** The sums of a tenant, and beyond them what one step of counting would add. */
async function readSums(ports: KpiPorts, tenantId: TenantId) {
  const { clock, tables } = ports;
  // Before the buckets: what is counted meanwhile is in them, and known by its entry.
  const stored = await tables.find(tallyPlaceTable, placeOf(tenantId));
  const { pending, round, throughSeq } = stored ?? firstPlace(tenantId);
  const entries = await readAttempts(ports, { tenantId, throughSeq });
  const beyond = byBuckets(entries, clock.now());
  const bucketsOf: BucketsOf = async ({ bucketMs, from, to }) => {
    const ask = { equal: { bucketMs, round, tenantId }, from, index: 'key', to };
    const rows = await allRecords(tables, bucketTallyTable, ask);
    const first = { endpoints: {}, throughSeq: 0 };
    const known = new Map(rows.map((row) => [row.at, row]));
    const ats = [...beyond.values()].filter((one) => one.bucketMs === bucketMs);
    const all = new Set([...known.keys(), ...ats.map(({ at }) => at)]);
    return [...all]
      .filter((at) => at >= from && at < to)
      .map((at) => {
        const attempts = beyond.get(`${bucketMs}/${at}`)?.attempts ?? [];
        const row = known.get(at) ?? first;
        return { at, endpoints: attempts.length > 0 ? withAttempts(row, attempts) : row.endpoints };
      });
  };
  return {
    bucketsOf,
    isComplete: entries.length < FOLD_ENTRIES,
    pending: (await countPending(ports, tenantId, PENDING_COUNTED)) ?? pending,
  };
}

async function endpointFigures(
  { tables }: KpiPorts,
  tenantId: TenantId,
  counts: CountsBy,
): Promise<readonly EndpointFigures[]> {
  const ask = { equal: { tenantId }, index: 'key' };
  const endpoints = await allRecords(tables, endpointTable, ask);
  return Object.entries(counts).map(([endpointId, states]) => {
    const endpoint = endpoints.find((one) => one.endpointId === endpointId);
    const { lastSuccessAt } = endpoint ?? {};
    return {
      endpointId,
      states,
      ...(endpoint !== undefined && { consecutiveFailures: failuresOf(endpoint).failures }),
      ...(lastSuccessAt !== undefined && { lastSuccessAt }),
    };
  });
}

/** Every open delivery counts: none is open for longer than the longest period shows. */
async function queueOf(
  ports: KpiPorts,
  ask: KpisAsk,
  of: { readonly bucketsOf: BucketsOf; readonly pending: PendingCounts },
): Promise<WebhookKpis['queue']> {
  const { bucketMs, buckets } = KPI_PERIODS.last_30d;
  const to = (Math.floor(ports.clock.now() / bucketMs) + 1) * bucketMs;
  const from = (to - buckets * bucketMs) as EpochMs;
  const isAsked = (id: string): boolean => ask.endpointId === undefined || id === ask.endpointId;
  const waiting = Object.entries(of.pending.waiting).filter(([id]) => isAsked(id));
  let depth = waiting.reduce((sum, [, { count }]) => sum + count, 0);
  const opens = new Set<EpochMs>();
  for (const { at, endpoints } of await of.bucketsOf({ bucketMs, from, to: to as EpochMs })) {
    for (const [, { states }] of Object.entries(endpoints).filter(([id]) => isAsked(id))) {
      const open = (states.RETRYING ?? 0) + (states.RATE_LIMITED ?? 0);
      depth += open;
      if (open > 0) opens.add(at);
    }
  }
  if (depth === 0) return { depth, oldestAt: undefined };
  const found = await Promise.all(OPEN.map((status) => oldestOf(ports, ask, status)));
  const known = found.flatMap(({ at }) => at ?? []);
  const oldest = waiting.map(([, one]) => one.oldest);
  // Where many of other endpoints are older, of its oldest one the day is known alone.
  const isUnseen = known.length === 0 || found.some(({ isCut }) => isCut);
  const candidates = [...known, ...oldest, ...(isUnseen ? opens : [])];
  return { depth, oldestAt: Math.min(...candidates) as EpochMs };
}

async function oldestOf(
  { tables }: KpiPorts,
  { endpointId, tenantId }: KpisAsk,
  status: DeliveryStatus,
): Promise<{ readonly at?: EpochMs; readonly isCut: boolean }> {
  const { records } = await tables.page(deliveryTable, {
    equal: { status, tenantId },
    index: 'byStatus',
    limit: OLDEST_EXAMINED,
  });
  const counted = records.filter(
    ({ isConfidential, isTest }) => isTest !== true && isConfidential !== true,
  );
  const first = counted.find((one) => endpointId === undefined || one.endpointId === endpointId);
  if (first !== undefined) return { at: first.createdAt, isCut: false };
  return { isCut: records.length === OLDEST_EXAMINED };
}

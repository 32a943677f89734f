/**
 * Figures of a tenant's screenings in a period (operations 2.5), read from sums by buckets: a few
 * hundred records, however many screenings there are. What waits for people is looked at as it is.
 */

import type { AuditStore } from '#core/audit';
import { allRecords, chainOf, type Tables, type TenantId } from '#core/kernel';
import type { Clock, EpochMs } from '#platform/clock';
import { type Quantiles, quantilesOf } from '#platform/histogram';
import { type Alert, type AlertStatus, alertTable, hitState } from '#slices/alerts';
import type { UsageSums } from '#slices/screening';
import { progressOf, roundOf } from './fillRegister.ts';
import {
  addTallies,
  emptyTally,
  KPI_PERIODS,
  type KpiPeriod,
  type ScreeningTally,
} from './screeningTally.ts';
import { chainWalkTable, registerProgressTable, screeningBucketTable } from './tables.ts';
import { readUsage } from './usage.ts';
import { walkOf } from './walkChains.ts';

export interface KpiPorts {
  readonly audit: Pick<AuditStore, 'head'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly tables: Pick<Tables, 'find' | 'page'>;
}

/** What waits for people now. */
export interface ReviewQueue {
  readonly pending: number;
  readonly oldestAt?: EpochMs;
  readonly overdue: number;
  readonly fourEyesWaiting: number;
  /** There are more alerts than were looked at. */
  readonly isCut: boolean;
}

export interface ScreeningKpis {
  readonly from: EpochMs;
  readonly to: EpochMs;
  readonly tally: ScreeningTally;
  readonly decideMs: Quantiles;
  readonly series: readonly { readonly at: EpochMs; readonly tally: ScreeningTally }[];
  readonly review: ReviewQueue;
  /** As gateways have measured it. */
  readonly usage: UsageSums;
  readonly headSeq: number;
  readonly throughSeq: number;
  readonly verifiedAt?: EpochMs;
}

const OPEN: readonly AlertStatus[] = ['open', 'assigned', 'in_review', 'escalated'];
/** Open alerts of each state that are looked at. */
const LOOKED_AT_MAX = 1_000;

/** The period ends with the bucket of this moment. */
export async function readScreeningKpis(
  ports: KpiPorts,
  { period, tenantId }: { readonly period: KpiPeriod; readonly tenantId: TenantId },
): Promise<ScreeningKpis> {
  const { bucketMs, buckets } = KPI_PERIODS[period];
  const now = ports.clock.now();
  const to = ((Math.floor(now / bucketMs) + 1) * bucketMs) as EpochMs;
  const from = (to - buckets * bucketMs) as EpochMs;
  const chainId = chainOf(tenantId);
  const { audit, tables } = ports;
  const [progress, walk, head, review, usage] = await Promise.all([
    tables.find(registerProgressTable, progressOf(tenantId)),
    tables.find(chainWalkTable, walkOf(chainId)),
    audit.head(chainId),
    reviewQueue(ports, tenantId),
    readUsage(tables, { bucketMs, from, tenantId, to }),
  ]);
  const equal = { bucketMs, round: roundOf(progress), tenantId };
  const rows = await allRecords(tables, screeningBucketTable, { equal, from, index: 'key', to });
  const sums = new Map(rows.map(({ at, sums: own }) => [at, own]));
  const series = Array.from({ length: buckets }, (_, place) => {
    const at = (from + place * bucketMs) as EpochMs;
    return { at, tally: sums.get(at) ?? emptyTally() };
  });
  const tally = series.reduce((sum, one) => addTallies(sum, one.tally), emptyTally());
  return {
    decideMs: quantilesOf(tally.decideMs),
    from,
    headSeq: head.seq,
    review,
    series,
    tally,
    throughSeq: progress?.throughSeq ?? 0,
    to,
    usage,
    ...(walk?.verifiedAt !== undefined && { verifiedAt: walk.verifiedAt }),
  };
}

async function reviewQueue(
  { clock, tables }: Pick<KpiPorts, 'clock' | 'tables'>,
  tenantId: TenantId,
): Promise<ReviewQueue> {
  const pages = await Promise.all(
    OPEN.map((status) =>
      tables.page(alertTable, {
        equal: { status, tenantId },
        index: 'byStatus',
        limit: LOOKED_AT_MAX,
      }),
    ),
  );
  const open = pages.flatMap(({ records }) => records.filter(({ type }) => type === 'screening'));
  const now = clock.now();
  const oldest = open.map(({ createdAt }) => createdAt).sort((one, other) => one - other)[0];
  return {
    fourEyesWaiting: open.filter(waitsForSecond).length,
    isCut: pages.some(({ next }) => next !== undefined),
    overdue: open.filter(({ deadline, dueAt }) => deadline === 'breached' || dueAt <= now).length,
    pending: open.length,
    ...(oldest !== undefined && { oldestAt: oldest }),
  };
}

const waitsForSecond = (alert: Alert): boolean =>
  alert.proposal !== undefined ||
  (alert.reviews ?? []).some(({ ftmId }) => hitState(alert, ftmId).status.startsWith('proposed_'));

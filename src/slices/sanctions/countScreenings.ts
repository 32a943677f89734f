/**
 * Figures of screenings are counted as the register is filled (fillRegister.ts): each step adds to
 * the buckets of its events. An event that is met twice is counted once, for a bucket knows up to
 * which one it counts.
 */
import type { SealedEvent } from '#core/audit';
import type { Tables, TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { alertTable } from '#slices/alerts';
import {
  addTallies,
  closedAlertOf,
  emptyTally,
  KPI_PERIODS,
  type RaisedAt,
  type ScreeningTally,
  tallyOf,
} from './screeningTally.ts';
import { type ScreeningBucket, screeningBucketTable } from './tables.ts';

/** A bucket is kept a little longer than the periods that show it. */
const KEPT_BUCKETS = 2;

export interface CountPorts {
  readonly tables: Pick<Tables, 'claim' | 'findMany' | 'giveBack' | 'insertMissing'>;
  readonly holder: string;
}

/** Which events of which round. */
export interface CountAsk {
  readonly tenantId: TenantId;
  readonly round: number;
  readonly now: EpochMs;
  readonly events: readonly SealedEvent[];
}

interface Counted {
  readonly at: EpochMs;
  readonly bucketMs: number;
  readonly until: EpochMs;
  readonly told: { readonly seq: number; readonly tally: ScreeningTally }[];
}

/** False: a bucket is another process's, and the caller's place stays where it is. */
export async function countEvents(ports: CountPorts, ask: CountAsk): Promise<boolean> {
  const { events, round, tenantId } = ask;
  const raisedAt = await raisedAtOf(ports, tenantId, events);
  const throughSeq = events.at(-1)?.seq ?? 0;
  for (const { at, bucketMs, told, until } of bucketsOf(ask, raisedAt)) {
    const key = { at, bucketMs, round, tenantId };
    const claimed = { holder: ports.holder, key };
    let leased = await ports.tables.claim(screeningBucketTable, claimed);
    if (leased === undefined) {
      const first: ScreeningBucket = {
        ...key,
        sums: emptyTally(),
        throughSeq: 0,
        until,
        version: 1,
      };
      await ports.tables.insertMissing(screeningBucketTable, [first]);
      leased = await ports.tables.claim(screeningBucketTable, claimed);
    }
    if (leased === undefined) return false;
    const { lease: claim, record } = leased;
    const missing = told.filter(({ seq }) => seq > record.throughSeq);
    const sums = missing.reduce((sum, { tally }) => addTallies(sum, tally), record.sums);
    const work = { sums, throughSeq: Math.max(record.throughSeq, throughSeq) };
    const given = { claim, isTried: false, key, work };
    if (!(await ports.tables.giveBack(screeningBucketTable, given))) return false;
  }
  return true;
}

function bucketsOf({ events, now }: CountAsk, raisedAt: RaisedAt): Iterable<Counted> {
  const found = new Map<string, Counted>();
  for (const event of events) {
    const tally = tallyOf(event, raisedAt);
    if (tally === undefined) continue;
    for (const { bucketMs, buckets } of Object.values(KPI_PERIODS)) {
      const at = (Math.floor(event.occurredAt / bucketMs) * bucketMs) as EpochMs;
      const until = (at + (buckets + KEPT_BUCKETS) * bucketMs) as EpochMs;
      // Periods show it no more.
      if (until <= now) continue;
      const name = `${bucketMs}/${at}`;
      const bucket = found.get(name) ?? { at, bucketMs, told: [], until };
      bucket.told.push({ seq: event.seq, tally });
      found.set(name, bucket);
    }
  }
  return found.values();
}

async function raisedAtOf(
  { tables }: Pick<CountPorts, 'tables'>,
  tenantId: TenantId,
  events: readonly SealedEvent[],
): Promise<RaisedAt> {
  const ids = new Set(events.flatMap((event) => closedAlertOf(event) ?? []));
  if (ids.size === 0) return new Map();
  const keys = [...ids].map((alertId) => ({ alertId, tenantId }));
  const alerts = await tables.findMany(alertTable, keys);
  return new Map(
    alerts
      .filter(({ type }) => type === 'screening')
      .map(({ alertId, createdAt }) => [alertId, createdAt]),
  );
}

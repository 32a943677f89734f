/**
 * Counts figures from the chain of each tenant: what came since the last look is folded into the
 * buckets of its deliveries, and the place kept. One process does it at a time; one that dies, or
 * is taken for dead, has left absolute sums with the entry that they go up to, so whoever goes on
 * counts nothing twice and leaves nothing out.
 */
import type { AuditStore, SealedEvent } from '#core/audit';
import { allRecords, chainOf, type LeaseClaim, type Tables, type TenantId } from '#core/kernel';
import { LeaseWatch } from '#core/work';
import type { Clock, EpochMs } from '#platform/clock';
import { countPending, NONE_PENDING, type PendingCounts, pendingTotal } from './pending.ts';
import { configurationTable } from './tables.ts';
import {
  ATTEMPTS_ACTION,
  countAttempt,
  createdAtOf,
  emptyTally,
  KPI_PERIODS,
  type Tally,
  type ToldAttempt,
  toldAttempts,
} from './tally.ts';
import {
  type BucketTally,
  bucketTallyTable,
  type TallyPlace,
  tallyPlaceTable,
} from './tallyTables.ts';

/** Entries of one step, of up to a hundred attempts each. */
export const FOLD_ENTRIES = 100;
/** Milliseconds of silence after which a step is another process's. */
const LEASE_MS = 30_000;
/** A bucket is kept a little longer than the periods that show it. */
const KEPT_BUCKETS = 2;
/** A count that took long is made again after as many times as long. */
const PENDING_PAUSES = 10;

export interface FoldPorts {
  readonly audit: Pick<AuditStore, 'readEvents'>;
  readonly tables: Tables;
  readonly clock: Clock;
  readonly holder: string;
  readonly isGone?: (holder: string) => boolean;
}

/** The key of a tenant's place. */
export const placeOf = (tenantId: TenantId) => ({ of: 'deliveries', tenantId }) as const;

/** Where a tenant's count begins. */
export const firstPlace = (tenantId: TenantId): TallyPlace => ({
  ...placeOf(tenantId),
  pending: NONE_PENDING,
  round: 1,
  throughSeq: 0,
  version: 1,
});

/** Entries of attempts behind this place, in their order. */
export const readAttempts = (
  { audit }: Pick<FoldPorts, 'audit'>,
  { tenantId, throughSeq }: Pick<TallyPlace, 'tenantId' | 'throughSeq'>,
): Promise<readonly SealedEvent[]> =>
  audit.readEvents({
    action: ATTEMPTS_ACTION,
    chainId: chainOf(tenantId),
    fromSeq: throughSeq + 1,
    limit: FOLD_ENTRIES,
  });

/** An attempt with the entry that tells of it. */
interface PlacedAttempt {
  readonly seq: number;
  readonly told: ToldAttempt;
}

/** The attempts of these entries by the buckets that still show their deliveries. */
export function byBuckets(
  entries: readonly SealedEvent[],
  now: EpochMs,
): Map<string, Pick<BucketTally, 'at' | 'bucketMs'> & { readonly attempts: PlacedAttempt[] }> {
  const found: ReturnType<typeof byBuckets> = new Map();
  for (const entry of entries) {
    for (const told of toldAttempts(entry)) {
      const createdAt = createdAtOf(told.delivery_id);
      for (const { bucketMs } of Object.values(KPI_PERIODS)) {
        const at = (Math.floor(createdAt / bucketMs) * bucketMs) as EpochMs;
        if (keptUntil({ at, bucketMs }) <= now) continue;
        const name = `${bucketMs}/${at}`;
        const bucket = found.get(name) ?? { at, attempts: [], bucketMs };
        bucket.attempts.push({ seq: entry.seq, told });
        found.set(name, bucket);
      }
    }
  }
  return found;
}

function keptUntil({ at, bucketMs }: Pick<BucketTally, 'at' | 'bucketMs'>): EpochMs {
  const period = Object.values(KPI_PERIODS).find((one) => one.bucketMs === bucketMs);
  return (at + ((period?.buckets ?? 0) + KEPT_BUCKETS) * bucketMs) as EpochMs;
}

/** The sums with these attempts, but for those that they count already. */
export function withAttempts(
  { endpoints, throughSeq }: Pick<BucketTally, 'endpoints' | 'throughSeq'>,
  attempts: readonly PlacedAttempt[],
): Readonly<Record<string, Tally>> {
  const sums = structuredClone(endpoints) as Record<string, Tally>;
  for (const { seq, told } of attempts) {
    if (seq <= throughSeq) continue;
    const { endpoint_id: endpointId } = told;
    sums[endpointId] ??= emptyTally();
    countAttempt(sums[endpointId], told);
  }
  return sums;
}

/** The figures of all tenants, counted by one process at a time. */
export class TallyFold {
  readonly #ports: FoldPorts;
  readonly #watches: readonly { silentFreed(): Promise<void> }[];

  constructor(ports: FoldPorts) {
    this.#ports = ports;
    this.#watches = [this.#watch(tallyPlaceTable), this.#watch(bucketTallyTable)];
  }

  /** Answers how many entries were counted. */
  async sweep(signal: AbortSignal): Promise<number> {
    for (const watch of this.#watches) await watch.silentFreed();
    const ask = { index: 'key' };
    let count = 0;
    for (const { tenantId } of await allRecords(this.#ports.tables, configurationTable, ask)) {
      signal.throwIfAborted();
      count += await this.fold(tenantId, signal);
    }
    return count;
  }

  /** Counts what came since; nothing where another process is at it. */
  async fold(tenantId: TenantId, signal?: AbortSignal): Promise<number> {
    const { holder, tables } = this.#ports;
    const known = await tables.find(tallyPlaceTable, placeOf(tenantId));
    if (known === undefined) await tables.insertMissing(tallyPlaceTable, [firstPlace(tenantId)]);
    const before = known ?? firstPlace(tenantId);
    const pending = await this.#pendingOf(before);
    if (pending === undefined && (await readAttempts(this.#ports, before)).length === 0) return 0;
    const leased = await tables.claim(tallyPlaceTable, { holder, key: placeOf(tenantId) });
    if (leased === undefined) return 0;
    const { lease: claim, record } = leased;
    let place = { ...record, ...(pending !== undefined && { pending }) };
    let count = 0;
    try {
      for (;;) {
        signal?.throwIfAborted();
        const entries = await readAttempts(this.#ports, place);
        const last = entries.at(-1);
        if (last === undefined || !(await this.#count(place, entries))) break;
        place = { ...place, throughSeq: last.seq };
        count += entries.length;
        if (!(await tables.renew(tallyPlaceTable, { claim, key: placeOf(tenantId) }))) return count;
        if (entries.length < FOLD_ENTRIES) break;
      }
    } finally {
      await this.#leave(place, claim);
    }
    return count;
  }

  async #leave({ pending, tenantId, throughSeq }: TallyPlace, claim: LeaseClaim): Promise<void> {
    await this.#ports.tables.giveBack(tallyPlaceTable, {
      claim,
      isTried: false,
      key: placeOf(tenantId),
      work: { pending, throughSeq },
    });
  }

  /** False: a bucket is another process's, and the place stays where it is. */
  async #count(place: TallyPlace, entries: readonly SealedEvent[]): Promise<boolean> {
    const { round, tenantId } = place;
    const { clock, holder, tables } = this.#ports;
    const throughSeq = entries.at(-1)?.seq ?? 0;
    for (const { at, attempts, bucketMs } of byBuckets(entries, clock.now()).values()) {
      const key = { at, bucketMs, round, tenantId };
      const ask = { holder, key };
      let leased = await tables.claim(bucketTallyTable, ask);
      if (leased === undefined) {
        const until = keptUntil(key);
        const first: BucketTally = { ...key, endpoints: {}, throughSeq: 0, until, version: 1 };
        await tables.insertMissing(bucketTallyTable, [first]);
        leased = await tables.claim(bucketTallyTable, ask);
      }
      if (leased === undefined) return false;
      const work = { endpoints: withAttempts(leased.record, attempts), throughSeq };
      const kept = leased.record.throughSeq >= throughSeq ? {} : { work };
      const given = { claim: leased.lease, isTried: false, key, ...kept };
      if (!(await tables.giveBack(bucketTallyTable, given))) return false;
    }
    return true;
  }

  /** Undefined: as it was, or counted too recently for what it takes. */
  async #pendingOf({ pending, tenantId }: TallyPlace): Promise<PendingCounts | undefined> {
    const { clock } = this.#ports;
    const sinceMs = clock.now() - pending.countedAt;
    if (sinceMs >= 0 && sinceMs < pending.tookMs * PENDING_PAUSES) return undefined;
    const found = await countPending(this.#ports, tenantId);
    const isNone = pendingTotal(pending) === 0;
    return found === undefined || (isNone && pendingTotal(found) === 0) ? undefined : found;
  }

  #watch(table: typeof tallyPlaceTable | typeof bucketTallyTable) {
    const { clock, holder, isGone, tables } = this.#ports;
    const watch = new LeaseWatch({
      clock,
      holder,
      leaseMs: LEASE_MS,
      table: table as typeof tallyPlaceTable,
      tables,
      ...(isGone !== undefined && { isGone }),
    });
    return {
      silentFreed: async (): Promise<void> => void (await watch.free(await watch.silent())),
    };
  }
}

/**
 * Has all of a tenant's figures counted anew, from the first entry. False: they are being counted
 * just now. Until it is done, answers say that they are not complete.
 */
export async function countAnew(
  { holder, tables }: Pick<FoldPorts, 'holder' | 'tables'>,
  tenantId: TenantId,
): Promise<boolean> {
  await tables.insertMissing(tallyPlaceTable, [firstPlace(tenantId)]);
  const leased = await tables.claim(tallyPlaceTable, { holder, key: placeOf(tenantId) });
  if (leased === undefined) return false;
  return tables.giveBack(tallyPlaceTable, {
    claim: leased.lease,
    isTried: false,
    key: placeOf(tenantId),
    work: { round: leased.record.round + 1, throughSeq: 0 },
  });
}

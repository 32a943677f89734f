/**
 * The register is filled from the chain: with screenings of batches, whose commits have no room for
 * rows, and with those of before there was a register. One process at a time works a tenant's chain
 * off. Rows are absolute, so one that dies has left nothing that is wrong or twice.
 */
import type { AuditStore, SealedEvent } from '#core/audit';
import { allRecords, chainOf, type LeaseClaim, type Tables, type TenantId } from '#core/kernel';
import { LeaseWatch } from '#core/work';
import type { Clock } from '#platform/clock';
import {
  type RegisterRows,
  registeredHitTable,
  registeredScreeningTable,
  rowsOfEvent,
} from '#slices/screening';
import { countEvents } from './countScreenings.ts';
import { type RegisterProgress, registerProgressTable, screeningBucketTable } from './tables.ts';

/** Events of one step. */
export const STEP_EVENTS = 100;
/** Milliseconds of silence after which a step is another process's. */
const LEASE_MS = 30_000;

/** What the register is filled with. */
export interface FillPorts {
  readonly audit: Pick<AuditStore, 'listChains' | 'readEvents'>;
  readonly tables: Tables;
  readonly clock: Clock;
  readonly holder: string;
  readonly isGone?: (holder: string) => boolean;
}

/** The round that is shown; figures that are counted anew are another one. */
export const roundOf = (progress: Pick<RegisterProgress, 'round'> | undefined): number =>
  progress?.round ?? 1;

/** The key of a tenant's progress. */
export const progressOf = (tenantId: TenantId) => ({ of: 'register', tenantId }) as const;

/** Where a tenant's register begins. */
const firstProgress = (tenantId: TenantId): RegisterProgress => ({
  ...progressOf(tenantId),
  throughSeq: 0,
  version: 1,
});

/** The registers of all tenants, filled by one process at a time. */
export class RegisterFill {
  readonly #ports: FillPorts;
  readonly #watches: readonly { silentFreed(): Promise<void> }[];

  constructor(ports: FillPorts) {
    this.#ports = ports;
    this.#watches = [this.#watch(registerProgressTable), this.#watch(screeningBucketTable)];
  }

  /** Answers how many events were worked off. */
  async sweep(tenantIds: readonly TenantId[], signal: AbortSignal): Promise<number> {
    const { audit, tables } = this.#ports;
    for (const watch of this.#watches) await watch.silentFreed();
    const chains = await audit.listChains('all');
    const heads = new Map(chains.map(({ chainId, head }) => [chainId, head.seq]));
    const known = await allRecords(tables, registerProgressTable, { index: 'key' });
    const through = new Map(known.map(({ tenantId, throughSeq }) => [tenantId, throughSeq]));
    let count = 0;
    for (const tenantId of tenantIds) {
      signal.throwIfAborted();
      const isBehind = (heads.get(chainOf(tenantId)) ?? 0) > (through.get(tenantId) ?? 0);
      if (isBehind) count += await this.fill(tenantId, signal);
    }
    return count;
  }

  /** Works off what came since; nothing where another process is at it. */
  async fill(tenantId: TenantId, signal?: AbortSignal): Promise<number> {
    const { clock, holder, tables } = this.#ports;
    const key = progressOf(tenantId);
    await tables.insertMissing(registerProgressTable, [firstProgress(tenantId)]);
    const leased = await tables.claim(registerProgressTable, { holder, key });
    if (leased === undefined) return 0;
    const claim: LeaseClaim = leased.lease;
    let { throughSeq } = leased.record;
    let count = 0;
    try {
      for (;;) {
        signal?.throwIfAborted();
        const events = await this.#after(tenantId, throughSeq);
        const last = events.at(-1);
        if (last === undefined) return count;
        await registerEvents(tables, tenantId, events);
        const now = clock.now();
        const round = roundOf(leased.record);
        if (!(await countEvents({ holder, tables }, { events, now, round, tenantId })))
          return count;
        throughSeq = last.seq;
        count += events.length;
        const work = { throughSeq };
        if (!(await tables.renew(registerProgressTable, { claim, key, work }))) return count;
        if (events.length < STEP_EVENTS) return count;
      }
    } finally {
      const given = { claim, isTried: false, key, work: { throughSeq } };
      await tables.giveBack(registerProgressTable, given);
    }
  }

  #watch(of: typeof registerProgressTable | typeof screeningBucketTable) {
    const { clock, holder, isGone, tables } = this.#ports;
    const watch = new LeaseWatch({
      clock,
      holder,
      leaseMs: LEASE_MS,
      table: of as typeof registerProgressTable,
      tables,
      ...(isGone !== undefined && { isGone }),
    });
    return {
      silentFreed: async (): Promise<void> => void (await watch.free(await watch.silent())),
    };
  }

  #after(tenantId: TenantId, throughSeq: number): Promise<readonly SealedEvent[]> {
    return this.#ports.audit.readEvents({
      chainId: chainOf(tenantId),
      fromSeq: throughSeq + 1,
      limit: STEP_EVENTS,
    });
  }
}

/** Rows of those of these events that have none yet. */
export async function registerEvents(
  tables: Pick<Tables, 'findMany' | 'insertMissing'>,
  tenantId: TenantId,
  events: readonly SealedEvent[],
): Promise<void> {
  const screenings = events.filter(({ type }) => type === 'screening');
  const keys = screenings.flatMap(({ screeningId }) =>
    screeningId === undefined ? [] : [{ screeningId, tenantId }],
  );
  if (keys.length === 0) return;
  const found = await tables.findMany(registeredScreeningTable, keys);
  const there = new Set<string>(found.map(({ screeningId }) => screeningId));
  const rows = screenings
    .filter(({ screeningId = '' }) => !there.has(screeningId))
    .flatMap((event) => readableRows(tenantId, event));
  // Hits first: once a screening is there, its hits are too.
  for (const { hits } of rows.filter((one) => one.hits.length > 0)) {
    await tables.insertMissing(registeredHitTable, hits);
  }
  const missing = rows.map(({ screening }) => screening);
  if (missing.length > 0) await tables.insertMissing(registeredScreeningTable, missing);
}

/** None of an event that cannot be read: the walk over the chain names it (walkChains.ts). */
function readableRows(tenantId: TenantId, event: SealedEvent): readonly RegisterRows[] {
  try {
    return [rowsOfEvent(tenantId, event)];
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return [];
    throw error;
  }
}

/**
 * Has all of a tenant's figures counted anew, and its register filled anew, from the first event.
 * False: they are being worked on just now.
 */
export async function fillAnew(
  { holder, tables }: Pick<FillPorts, 'holder' | 'tables'>,
  tenantId: TenantId,
): Promise<boolean> {
  const key = progressOf(tenantId);
  await tables.insertMissing(registerProgressTable, [firstProgress(tenantId)]);
  const leased = await tables.claim(registerProgressTable, { holder, key });
  if (leased === undefined) return false;
  const work = { round: roundOf(leased.record) + 1, throughSeq: 0 };
  const given = { claim: leased.lease, isTried: false, key, work };
  return tables.giveBack(registerProgressTable, given);
}

/** What screening asks of others: the engine beside it, and the slices that a tenant decides by. */
import type { Asker, Commit } from '#core/audit';
import type { TenantDirectory } from '#core/identity';
import { adapter, DomainError, port, type TenantId } from '#core/kernel';
import type { Exclusions } from './exclusions.ts';
import type { HitExplainer } from './hitExplanation.ts';
import type { LookupAnswer, LookupAsk, LookupCaller } from './lookUp.ts';
import type { CandidateEngine, RawQuery, ScreeningSettings } from './ports.ts';
import { settings } from './settings.ts';

/** An index in this process's memory, as the engine knows it. */
export interface EngineIndex {
  readonly bytes: number;
  readonly entityCount: number;
  readonly nameCount: number;
  release(): void;
}

/** The engine of a process, which is closed after the last query. */
export interface ScreeningEngine extends CandidateEngine<EngineIndex> {
  /** Shared memory that a snapshot is read to. */
  allocate(bytes: number): SharedArrayBuffer;
  /** Rejects with an Error that says what is wrong with the snapshot or the overlay. */
  loadInSteps(
    base: SharedArrayBuffer | EngineIndex,
    overlay?: SharedArrayBuffer,
  ): Promise<EngineIndex>;
  /**
   * Looks entries up by what a person types: no screening. Rejects with an Error of code
   * `engine-queue-full`, `deadline-exceeded` or `caller-gone`.
   */
  lookUp(indexes: readonly EngineIndex[], ask: LookupAsk, by: LookupCaller): Promise<LookupAnswer>;
  /**
   * Says where in texts listed names may stand: no screening. Rejects as `lookUp` does.
   */
  spot(indexes: readonly EngineIndex[], ask: SpotAsk, by: LookupCaller): Promise<SpotAnswer>;
  close(): Promise<void>;
}

/** Words of texts, and numbers that may be those of listed parties (src/engine/ports.ts). */
export interface SpotAsk {
  readonly runs: readonly {
    readonly words: readonly string[];
    /** Places of words before which something says that a name follows. */
    readonly cued: readonly number[];
  }[];
  readonly numbers: readonly string[];
}

/** Where listed names may stand, by run and words; and primary names of those with the numbers. */
export interface SpotAnswer {
  readonly names: readonly {
    readonly run: number;
    readonly from: number;
    readonly to: number;
    readonly name: string;
    /** Words that the list spells otherwise by a slip. */
    readonly slips: number;
  }[];
  readonly numbers: readonly { readonly number: string; readonly name: string }[];
}

/**
 * `queueMax` queries wait for a thread, of one tenant as many as are free; the next is refused.
 * `threadsRest`: threads start with the first query, and end after a rest.
 */
export const screeningEngine =
  adapter<
    (of: {
      readonly queueMax: number;
      readonly threads: number;
      readonly threadsRest?: boolean;
    }) => Promise<ScreeningEngine>
  >();

/** What takes scores apart, of any re-ranker, in a thread that starts with the first ask. */
export const hitExplainer = adapter<() => Promise<HitExplainer>>();

/** What decides a tenant's screenings from now on. Unanswered: what was set for the tenant. */
export type PolicyInForce = (tenantId: TenantId) => Promise<ScreeningSettings>;
export const policyInForce = port<
  PolicyInForce,
  { readonly tenants: Pick<TenantDirectory, 'settings'> }
>(
  ({ tenants }) =>
    async (tenantId) =>
      (await tenants.settings(tenantId)).of(settings),
);

/** A subject that is screened, and is to be watched from then on. */
export interface MonitorAsk extends Asker {
  readonly tenantId: TenantId;
  /** The tenant's own id of the customer. */
  readonly subjectRef: string;
  readonly query: RawQuery;
  readonly screeningId: string;
  /** All entries behind the hits that the caller is told of. */
  readonly entries: readonly { readonly ftmId: string; readonly source: string }[];
}

/** What the commit of the screening has for it; stale where another writer was first. */
export type MonitorSubject = (
  ask: MonitorAsk,
) => Promise<Pick<Commit, 'bus' | 'changes' | 'events'>>;
export const monitorSubject = port<MonitorSubject>(() => () => {
  throw new DomainError('internal', { detail: 'no part of the service watches customers' });
});

/**
 * A tenant's exclusions: as they are now, or as they were under a pinned digest. Undefined, also
 * without an answerer: there are none.
 */
export type ExclusionsInForce = (ask: {
  readonly tenantId: TenantId;
  readonly digest?: string;
}) => Promise<Exclusions | undefined>;
export const exclusions = port<ExclusionsInForce>(() => async () => undefined);

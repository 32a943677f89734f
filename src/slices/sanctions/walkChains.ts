/**
 * Every chain is verified whole once a day, from its first event to its head, whoever looks at it:
 * a few hundred events at a time, in the thread that checks events. One that was found broken is
 * walked again after a minute, so that who restores it learns soon that it is whole.
 *
 * What the register has lost is put back on the way: its rows follow from the events.
 */
import type { AuditStore, SealedEvent, SignedEvents } from '#core/audit';
import {
  type ChainId,
  DomainError,
  PLATFORM_CHAIN,
  type Tables,
  type TenantId,
} from '#core/kernel';
import { LeaseWatch } from '#core/work';
import type { Clock, EpochMs } from '#platform/clock';
import { type BreakPorts, type ChainBreaks, tellBreak } from './chainBreaks.ts';
import type { EventFault } from './checkEvents.ts';
import { registerEvents } from './fillRegister.ts';
import type { CheckEvents } from './ports.ts';
import { type ChainWalk, chainWalkTable } from './tables.ts';

export interface WalkPorts extends Omit<BreakPorts, 'clock' | 'tables'> {
  readonly audit: Pick<AuditStore, 'findBySeq' | 'listChains' | 'readEvents'>;
  readonly breaks: Pick<ChainBreaks, 'standing'>;
  readonly check: CheckEvents;
  readonly clock: Clock;
  readonly events: Pick<SignedEvents, 'checkOpen'>;
  readonly holder: string;
  readonly isGone?: (holder: string) => boolean;
  readonly tables: Tables;
}

/** From the end of one walk to the beginning of the next. */
export const WALK_EVERY_MS = 24 * 3_600_000;
const BROKEN_EVERY_MS = 60_000;
const STEP_EVENTS = 200;
const LEASE_MS = 30_000;
/** Faults of one walk that are told; behind so many nothing is left to be learnt. */
const FAULTS_MAX = 20;

/** The key of a chain's walk. */
export const walkOf = (chainId: ChainId) => ({ chainId, of: 'chains' }) as const;

/** The chains of an installation, verified by one process at a time. */
export class ChainWalks {
  readonly #ports: WalkPorts;
  readonly #watch: LeaseWatch<ChainWalk, 'chainId' | 'of'>;

  constructor(ports: WalkPorts) {
    const { clock, holder, isGone, tables } = ports;
    this.#ports = ports;
    this.#watch = new LeaseWatch({
      clock,
      holder,
      leaseMs: LEASE_MS,
      table: chainWalkTable,
      tables,
      ...(isGone !== undefined && { isGone }),
    });
  }

  /** Walks the chains whose time has come; answers how many events were verified. */
  async sweep(signal: AbortSignal): Promise<number> {
    const { audit } = this.#ports;
    await this.#watch.free(await this.#watch.silent());
    let count = 0;
    for (const { chainId } of await audit.listChains('all')) {
      signal.throwIfAborted();
      count += await this.walk(chainId, signal);
    }
    return count;
  }

  /** Nothing where its time has not come, or another process is at it. */
  async walk(chainId: ChainId, signal?: AbortSignal): Promise<number> {
    const { holder, tables } = this.#ports;
    const key = walkOf(chainId);
    const known = await tables.find(chainWalkTable, key);
    if (known === undefined) {
      await tables.insertMissing(chainWalkTable, [{ ...key, throughSeq: 0, version: 1 }]);
    } else if (!(await this.#isDue(known))) return 0;
    const leased = await tables.claim(chainWalkTable, { holder, key });
    if (leased === undefined) return 0;
    const { lease: claim } = leased;
    let walk = { ...leased.record, ...this.#begun(leased.record) };
    let count = 0;
    try {
      for (;;) {
        signal?.throwIfAborted();
        const { at, events, faults } = await this.#step(walk);
        count += events;
        walk = { ...walk, faults: (walk.faults ?? 0) + faults, throughSeq: at };
        if (events < STEP_EVENTS || (walk.faults ?? 0) >= FAULTS_MAX) {
          walk = { ...walk, ...this.#ended(walk) };
          return count;
        }
        const isOurs = await tables.renew(chainWalkTable, {
          claim,
          key,
          work: workOf(walk),
        });
        if (!isOurs) return count;
      }
    } finally {
      const given = { claim, isTried: false, key, work: workOf(walk) };
      await tables.giveBack(chainWalkTable, given);
    }
  }

  async #isDue({ chainId, endedAt, startedAt }: ChainWalk): Promise<boolean> {
    if (endedAt === undefined || (startedAt ?? 0) > endedAt) return true;
    const sinceMs = this.#ports.clock.now() - endedAt;
    if (sinceMs >= WALK_EVERY_MS) return true;
    if (sinceMs < BROKEN_EVERY_MS) return false;
    return (await this.#ports.breaks.standing(chainId)) !== undefined;
  }

  /** A walk that was begun goes on. */
  #begun({ endedAt, startedAt }: ChainWalk): Partial<ChainWalk> {
    const isUnderWay = startedAt !== undefined && startedAt > (endedAt ?? 0);
    return isUnderWay ? {} : { faults: 0, startedAt: this.#ports.clock.now(), throughSeq: 0 };
  }

  #ended({ faults = 0, startedAt, throughSeq }: ChainWalk): Partial<ChainWalk> {
    const now = this.#ports.clock.now();
    // The end is not before the beginning, whatever the clock does.
    const endedAt = Math.max(now, (startedAt ?? 0) as EpochMs) as EpochMs;
    return { endedAt, ...(faults === 0 && { verifiedAt: endedAt, verifiedSeq: throughSeq }) };
  }

  async #step({ chainId, throughSeq }: ChainWalk) {
    const { audit, check, tables } = this.#ports;
    const fromSeq = throughSeq + 1;
    const [events, before] = await Promise.all([
      audit.readEvents({ chainId, fromSeq, limit: STEP_EVENTS }),
      throughSeq === 0 ? undefined : audit.findBySeq(chainId, throughSeq),
    ]);
    const checked = await check(
      {
        chainId,
        events: events.map((event, at) => ({
          ...event,
          hashBefore: (at === 0 ? before : events[at - 1])?.hash,
        })),
      },
      { turn: chainId },
    );
    let faults = 0;
    const good: SealedEvent[] = [];
    for (const [at, event] of events.entries()) {
      const seqBefore = at === 0 ? throughSeq : (events[at - 1]?.seq ?? 0);
      const own = checked[at]?.fault ?? (await this.#openFault(chainId, event));
      const fault = missingFault(event, seqBefore, own);
      if (fault === undefined) {
        good.push(event);
        continue;
      }
      faults++;
      await tellBreak(this.#ports, { chainId, seq: fault.seq }, fault.fault);
    }
    if (chainId !== PLATFORM_CHAIN) {
      await registerEvents(tables, chainId as string as TenantId, good);
    }
    return { at: events.at(-1)?.seq ?? throughSeq, events: events.length, faults };
  }

  async #openFault(chainId: ChainId, event: SealedEvent): Promise<EventFault | undefined> {
    if (event.open !== undefined) return undefined;
    try {
      await this.#ports.events.checkOpen(chainId, event);
      return undefined;
    } catch (error) {
      if (error instanceof DomainError && error.code === 'evidence-altered') {
        return { reason: 'open-members-missing' };
      }
      throw error;
    }
  }
}

const workOf = ({
  endedAt,
  faults,
  startedAt,
  throughSeq,
  verifiedAt,
  verifiedSeq,
}: ChainWalk) => ({
  endedAt,
  faults,
  startedAt,
  throughSeq,
  verifiedAt,
  verifiedSeq,
});

/** An event whose link is broken because those before it are gone names the first of these. */
function missingFault(
  { seq }: SealedEvent,
  seqBefore: number,
  fault: EventFault | undefined,
): { readonly seq: number; readonly fault: EventFault } | undefined {
  if (fault === undefined) return undefined;
  const isMissing = fault.reason === 'link-broken' && seq > seqBefore + 1;
  return isMissing ? { fault: { reason: 'event-missing' }, seq: seqBefore + 1 } : { fault, seq };
}

/**
 * The one way into the evidence. `commit` seals events into a tenant's chain and resolves once they
 * are durable, together with the state, the outgoing events and the idempotency record that belong
 * to them. Group commit: events that arrive during a write form the next group (chainWriter.ts).
 *
 * Any number of processes may run one over the same store. A short fenced lease protects the head
 * of a chain, and only its holder signs. Every queue here is bounded; a full one refuses.
 */
import assert from 'node:assert/strict';
import { type BusEvent, CHANGES_MAX, type ChainId, DomainError } from '#core/kernel';
import type { Clock } from '#platform/clock';
import { prepareEvent } from './chain.ts';
import { ChainWriter, type ChainWriterLimits, type ChainWriterTools } from './chainWriter.ts';
import type { Committed } from './committed.ts';
import type { Commit } from './ports.ts';

/** The evidence of all chains, as one process writes it. */
export interface AuditLog {
  /**
   * Resolves after everything of the commit is durable. It rejects with nothing written:
   * IdempotencyTaken (replay the stored answer), StaleChange (`state-conflict`) or
   * `store-unavailable`. After the last one the outcome can be unknown, if the store failed in the
   * middle: the caller's retry with the same idempotency key then finds what was written.
   */
  commit(chainId: ChainId, commit: Commit): Promise<Committed>;
  /** Chains whose head could not be had lately: commits of theirs waited too long for it. */
  missedHeads(): number;
  /** Refuses new commits (`not-ready`), writes what waits, and releases every head. */
  close(): Promise<void>;
}

/** `AuditLog.commit` alone, for code that writes entries. It resolves once they are durable. */
export type CommitEvidence = (chainId: ChainId, commit: Commit) => Promise<unknown>;

/** Default bounds of the log; docs/limits.md lists them. */
export const AUDIT_LOG_LIMITS: ChainWriterLimits = {
  leaseTtlMs: 3000,
  // An answer after three holders that died in a row, each on a host of its own.
  headWaitMsMax: 10_000,
  idleReleaseMs: 50,
  groupEventsMax: 64,
  // Far under MongoDB's limit of 16 MB for one document: a group is one document.
  groupBytesMax: 4 * 1024 * 1024,
  queueMax: 2000,
};

/** Milliseconds for which a head that could not be had is told of, if nobody asks for it again. */
const MISSED_MS = 60_000;

/** Tools of the log, and the limits that shall differ from AUDIT_LOG_LIMITS. */
export interface AuditLogOptions
  extends Omit<ChainWriterTools, 'onHead'>,
    Partial<ChainWriterLimits> {
  /** Called after each commit that had events for the bus. */
  readonly onBus?: (events: readonly BusEvent[]) => void;
}

/** Opens the log of this process. One per process: two logs would wait for each other's heads. */
export function createAuditLog(options: AuditLogOptions): AuditLog {
  const limits = { ...AUDIT_LOG_LIMITS, ...options };
  assert(limits.headWaitMsMax > limits.leaseTtlMs, 'a commit must outlive a dead holder');
  assert(limits.groupEventsMax >= 1 && limits.queueMax >= 1);
  // One writer per busy chain. It leaves when it has nothing to do, so idle tenants cost nothing.
  const writers = new Map<ChainId, ChainWriter>();
  const missed = new MissedHeads(options.clock);
  let isClosing = false;

  const writerOf = (chainId: ChainId): ChainWriter => {
    const existing = writers.get(chainId);
    if (existing) return existing;
    const onHead = (isTaken: boolean): void => missed.note(chainId, isTaken);
    const writer = new ChainWriter(chainId, { ...options, ...limits, onHead }, () => {
      writers.delete(chainId);
    });
    writers.set(chainId, writer);
    return writer;
  };

  return {
    commit: async (chainId, commit) => {
      if (isClosing) throw new DomainError('not-ready', { detail: 'shutting down' });
      assert(commit.events.length > 0, 'a commit without evidence');
      assert(commit.changes.length <= CHANGES_MAX, `a commit of ${commit.changes.length} changes`);
      const prepared = commit.events.map((draft) => prepareEvent(chainId, draft, options.random));
      const committed = await writerOf(chainId).add(commit, prepared);
      if (commit.bus.length > 0) options.onBus?.(commit.bus);
      return committed;
    },
    missedHeads: () => missed.count,
    close: async () => {
      isClosing = true;
      await Promise.all([...writers.values()].map((writer) => writer.close()));
    },
  };
}

/** Chains whose head was asked for in vain, until it is taken. */
class MissedHeads {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #missedMs = new Map<ChainId, number>();

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  note(chainId: ChainId, isTaken: boolean): void {
    if (isTaken) this.#missedMs.delete(chainId);
    else this.#missedMs.set(chainId, this.#clock.monotonicMs());
  }

  get count(): number {
    const sinceMs = this.#clock.monotonicMs() - MISSED_MS;
    for (const [chainId, ms] of this.#missedMs) if (ms < sinceMs) this.#missedMs.delete(chainId);
    return this.#missedMs.size;
  }
}

/**
 * The writer of one chain in one process: a single loop that takes the head, seals a group, writes
 * it, and releases the head. Because there is one loop, no two groups of a process can race;
 * commits that arrive meanwhile queue up as the next group.
 *
 *   queue ──► take head ──► seal group ──► appendGroup ──► resolve each ──► idle? release : again
 *                 ▲                            │ fenced, or some idempotency scopes taken
 *                 └────────────────────────────┘ seal what is left again
 *
 * Commits with changes share groups among themselves, as if none of them were stale, which few are.
 * Where one is, nothing of its group is written: it is refused, and the others are written one by
 * one. Commits that never are stale, as screenings, stand in groups of their own, so they wait for
 * nobody's mistake.
 *
 * While another process has the head, this one stands in line for it (AuditStore.takeHead). A
 * commit is refused when it has waited too long itself, whatever waits beside it.
 */
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { CHANGES_MAX, type ChainId, DomainError, effectsSize, isNeverStale } from '#core/kernel';
import type { Clock } from '#platform/clock';
import type { Signer } from '#platform/crypto';
import type { Random } from '#platform/random';
import { NO_TRACER, type Tracer } from '#platform/tracing/tracer';
import type { AnswerTags } from './answerTags.ts';
import { type PreparedEvent, sealEvent } from './chain.ts';
import { type Committed, IdempotencyTaken, StaleChange } from './committed.ts';
import type {
  AppendResult,
  AuditStore,
  ChainHead,
  Commit,
  EventGroup,
  HeadLease,
  IdempotencyRecord,
  SealedEvent,
} from './ports.ts';

/** What a writer works with; the processes of an installation share the store. */
export interface ChainWriterTools {
  readonly store: AuditStore;
  readonly signer: Signer;
  readonly clock: Clock;
  readonly random: Random;
  /** Identifies this process to the others, e.g. host, pid and a random part. */
  readonly holder: string;
  /** The head was taken; or not, and commits were refused that had waited too long for it. */
  readonly onHead: (isTaken: boolean) => void;
  /** Absent: answers are stored without a tag, and no gateway repeats them. */
  readonly answers?: Pick<AnswerTags, 'tagged'>;
  readonly tracer?: Tracer;
}

/** Bounds of a writer, each on time or memory; AUDIT_LOG_LIMITS has the defaults. */
export interface ChainWriterLimits {
  /** How long a holder that dies blocks its chains, once somebody waits for them. */
  readonly leaseTtlMs: number;
  /** How old a commit may become while another process holds the head. */
  readonly headWaitMsMax: number;
  /** A head without work for this long is released. */
  readonly idleReleaseMs: number;
  readonly groupEventsMax: number;
  readonly groupBytesMax: number;
  /** Commits that wait, per chain. */
  readonly queueMax: number;
}

/** A commit that waits for its place in the chain. */
interface Pending {
  readonly commit: Commit;
  readonly prepared: readonly PreparedEvent[];
  readonly size: number;
  /** On the monotonic clock. */
  readonly addedMs: number;
  /** `traceparent` of the step that waits for it, where traces are recorded. */
  readonly from: string | undefined;
  /** A change of its former group was stale: it takes no further chance beside others. */
  readonly isAlone: boolean;
  readonly resolve: (committed: Committed) => void;
  readonly reject: (reason: unknown) => void;
}

/** A commit with a place, valid unless the store refuses its group. */
interface Sealed {
  readonly pending: Pending;
  readonly events: readonly SealedEvent[];
  readonly idempotency: IdempotencyRecord | undefined;
}

const RETRY_MS_MIN = 1;
/**
 * Longest pause between two attempts to take a head that another process holds: about the time of
 * one write.
 */
const RETRY_MS_MAX = 16;

/**
 * Writes the commits of one chain in the order in which they were added. `add` rejects as
 * AuditLog.commit does; `close` writes what waits, then releases the head.
 */
export class ChainWriter {
  readonly #chainId: ChainId;
  readonly #options: ChainWriterTools & ChainWriterLimits;
  readonly #leave: () => void;
  #queue: Pending[] = [];
  #lease: HeadLease | undefined;
  /** Another process waits for the head: the next group releases it with its write. */
  #isHeadWanted = false;
  #running: Promise<void> | undefined;
  #isClosing = false;
  /** Ends the idle wait early. */
  #wake: (() => void) | undefined;

  /** `leave` is called when the writer has nothing to do and holds nothing. */
  constructor(chainId: ChainId, options: ChainWriterTools & ChainWriterLimits, leave: () => void) {
    this.#chainId = chainId;
    this.#options = options;
    this.#leave = leave;
  }

  add(commit: Commit, prepared: readonly PreparedEvent[]): Promise<Committed> {
    if (this.#queue.length >= this.#options.queueMax) {
      throw unavailable('audit queue of this tenant is full');
    }
    return new Promise((resolve, reject) => {
      const evidence = prepared.reduce((sum, event) => sum + event.size, 0);
      const size = evidence + effectsSize(commit);
      const addedMs = this.#options.clock.monotonicMs();
      const from = this.#options.tracer?.traceparent();
      const isAlone = false;
      this.#queue.push({ addedMs, commit, from, isAlone, prepared, size, resolve, reject });
      this.#wake?.();
      this.#running ??= this.#run();
    });
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    this.#wake?.();
    await this.#running;
  }

  async #run(): Promise<void> {
    // Commits of the same turn of the event loop belong to the first group already.
    await Promise.resolve();
    while (this.#queue.length > 0 || this.#lease !== undefined) {
      if (this.#queue.length > 0) await this.#writeNext();
      else if (this.#isHeadWanted || this.#isClosing || !(await this.#isWokenInTime())) {
        await this.#release();
      }
    }
    // Nothing was awaited since the check, so no commit can arrive between it and this line.
    this.#running = undefined;
    this.#leave();
  }

  /**
   * Keeps the head a little longer: the next commit usually comes soon, and taking the head again
   * costs a write.
   */
  #isWokenInTime(): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => finish(false), this.#options.idleReleaseMs);
      const finish = (isWoken: boolean): void => {
        clearTimeout(timer);
        this.#wake = undefined;
        resolve(isWoken);
      };
      this.#wake = () => finish(true);
    });
  }

  async #release(): Promise<void> {
    const lease = this.#lease;
    this.#lease = undefined;
    this.#isHeadWanted = false;
    if (!lease) return;
    // If the release fails, the lease expires by itself; no work of ours depends on it any more.
    await this.#options.store.releaseHead(lease).catch(() => undefined);
  }

  /** Writes one group to its end. It never throws: every error goes to the commits of the group. */
  async #writeNext(): Promise<void> {
    let lease: HeadLease | undefined;
    try {
      lease = this.#lease ?? (await this.#takeHead());
    } catch (error) {
      for (const pending of this.#queue.splice(0)) pending.reject(error);
      return;
    }
    if (lease === undefined) return;
    const group = this.#sealGroup(lease.head);
    if (group.length === 0) return;
    const isReleased = this.#isHeadWanted;
    try {
      const result = await this.#append(lease, group, isReleased);
      this.#settle(lease, group, result, isReleased);
    } catch (cause) {
      // The group may or may not be written. The head is therefore read anew before anything is
      // signed.
      this.#lease = undefined;
      const error = unavailable('audit store failed', cause);
      for (const { pending } of group) pending.reject(error);
    }
  }

  /** The write is a step of the first commit's trace, and linked to those of the others. */
  #append(lease: HeadLease, sealed: readonly Sealed[], release: boolean): Promise<AppendResult> {
    const { leaseTtlMs: ttlMs, store, tracer = NO_TRACER } = this.#options;
    const group = groupOf(sealed);
    const write = () => store.appendGroup(lease, group, { release, ttlMs });
    const [from, ...alsoFrom] = sealed.flatMap(({ pending }) => pending.from ?? []);
    if (from === undefined) return write();
    const attributes = { 'compliance.events': group.events.length };
    return tracer.step('append group', { alsoFrom, attributes, from }, write);
  }

  /** Undefined: nothing waits any more, because all of it has waited too long. */
  async #takeHead(): Promise<HeadLease | undefined> {
    const { store, random, holder, leaseTtlMs } = this.#options;
    for (let waitMs = RETRY_MS_MIN; ; waitMs = Math.min(waitMs * 2, RETRY_MS_MAX)) {
      const ask = { chainId: this.#chainId, holder, ttlMs: leaseTtlMs };
      const lease = await store.takeHead(ask).catch((cause: unknown) => {
        // A head that has gone back (headGuard.ts) does not mend by waiting: it is said as it is.
        if (cause instanceof DomainError && cause.code === 'audit-chain-behind') throw cause;
        throw unavailable('audit store failed', cause);
      });
      if (lease) {
        this.#lease = lease;
        this.#isHeadWanted = false;
        this.#options.onHead(true);
        return lease;
      }
      this.#refuseOverdue();
      if (this.#queue.length === 0) return undefined;
      // Jitter, so that two waiting processes do not ask in step.
      await delay(waitMs * (0.5 + (random.bytes(1)[0] ?? 0) / 256));
    }
  }

  #refuseOverdue(): void {
    const addedMsMin = this.#options.clock.monotonicMs() - this.#options.headWaitMsMax;
    const isOverdue = ({ addedMs }: Pending): boolean => addedMs <= addedMsMin;
    const overdue = this.#queue.filter(isOverdue);
    if (overdue.length === 0) return;
    this.#queue = this.#queue.filter((pending) => !isOverdue(pending));
    this.#options.onHead(false);
    for (const { reject } of overdue) reject(unavailable('another process keeps the chain'));
  }

  /** Takes commits off the queue, in order, as long as they fit, and seals them after `head`. */
  #sealGroup(head: ChainHead): Sealed[] {
    const { groupEventsMax, groupBytesMax } = this.#options;
    const group: Sealed[] = [];
    const scopes = new Set<string>();
    let last = head;
    let eventCount = 0;
    let changeCount = 0;
    let size = 0;
    for (let next = this.#queue[0]; next; next = this.#queue[0]) {
      eventCount += next.prepared.length;
      changeCount += next.commit.changes.length;
      size += next.size;
      const isFull =
        eventCount > groupEventsMax || changeCount > CHANGES_MAX || size > groupBytesMax;
      const first = group[0]?.pending;
      if (first !== undefined && (isFull || !mayShareGroup(first, next))) break;
      const sealed = this.#seal(next, last);
      const scope = sealed?.idempotency?.scope;
      // The same key twice at once: the second commit waits until the first is durable, and is then
      // refused as taken.
      if (scope !== undefined && scopes.has(scope)) break;
      this.#queue.shift();
      if (!sealed) continue;
      if (scope !== undefined) scopes.add(scope);
      group.push(sealed);
      last = sealed.events.at(-1) ?? last;
    }
    return group;
  }

  #seal(pending: Pending, head: ChainHead): Sealed | undefined {
    try {
      let last = head;
      const events = pending.prepared.map((prepared) => {
        const event = sealEvent(prepared, last, this.#options.signer);
        last = event;
        return event;
      });
      const record = pending.commit.idempotency?.(events);
      const { answers } = this.#options;
      return { pending, events, idempotency: (record && answers?.tagged(record)) ?? record };
    } catch (error) {
      pending.reject(error);
      return undefined;
    }
  }

  #settle(
    lease: HeadLease,
    group: readonly Sealed[],
    result: AppendResult,
    isReleased: boolean,
  ): void {
    switch (result.kind) {
      case 'appended': {
        const head = group.at(-1)?.events.at(-1);
        assert(head);
        this.#lease = isReleased
          ? undefined
          : { ...lease, head: { seq: head.seq, hash: head.hash } };
        this.#isHeadWanted = !isReleased && result.headWanted;
        for (const { pending, events, idempotency } of group) {
          pending.resolve({ events, ...(idempotency && { idempotency }) });
        }
        return;
      }
      case 'fenced':
        this.#lease = undefined;
        this.#requeue(group);
        return;
      case 'idempotency-taken':
        this.#refuseTaken(group, new Set(result.scopes));
        return;
      case 'stale':
        this.#refuseStale(group, result.changeIndex);
        return;
    }
  }

  /** The others come again by themselves: a further one may be stale, too. */
  #refuseStale(group: readonly Sealed[], changeIndex: number): void {
    let end = 0;
    const stale = group.find(({ pending }) => {
      end += pending.commit.changes.length;
      return changeIndex < end;
    });
    assert(stale, 'the store refused a change that no commit has');
    const { pending } = stale;
    pending.reject(new StaleChange(changeIndex - (end - pending.commit.changes.length)));
    const others = group.filter((sealed) => sealed !== stale);
    this.#requeue(others.map((sealed) => ({ ...sealed, pending: alone(sealed.pending) })));
  }

  #refuseTaken(group: readonly Sealed[], scopes: ReadonlySet<string>): void {
    const isTaken = ({ idempotency }: Sealed): boolean =>
      idempotency !== undefined && scopes.has(idempotency.scope);
    assert(group.some(isTaken), 'the store refused a scope that nobody asked for');
    for (const { pending, idempotency } of group.filter(isTaken)) {
      pending.reject(new IdempotencyTaken(idempotency?.scope ?? ''));
    }
    this.#requeue(group.filter((sealed) => !isTaken(sealed)));
  }

  /**
   * Back to the front of the queue, in order. They are sealed again at the place that the head then
   * has.
   */
  #requeue(group: readonly Sealed[]): void {
    this.#queue.unshift(...group.map((sealed) => sealed.pending));
  }
}

const alone = (pending: Pending): Pending => ({ ...pending, isAlone: true });

/** Whether a commit may be written beside the first of a group. */
const mayShareGroup = (first: Pending, next: Pending): boolean =>
  !first.isAlone && !next.isAlone && isNeverStale(first.commit) === isNeverStale(next.commit);

function groupOf(group: readonly Sealed[]): EventGroup {
  return {
    events: group.flatMap((sealed) => sealed.events),
    bus: group.flatMap((sealed) => sealed.pending.commit.bus),
    changes: group.flatMap((sealed) => sealed.pending.commit.changes),
    idempotency: group.flatMap((sealed) => sealed.idempotency ?? []),
  };
}

function unavailable(detail: string, cause?: unknown): DomainError {
  return new DomainError('store-unavailable', { detail, retryAfterS: 1, cause });
}

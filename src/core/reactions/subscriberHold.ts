/**
 * The lease of a subscriber in this process. It is taken when there is work, renewed during the
 * work, and released afterwards, so an idle installation writes nothing. A holder that died is
 * recognised by its lease standing still (decision 4.1), or at once where its process is known to
 * have ended.
 */
import { type LeaseTimes, Standstill, WorkLost } from '#core/work';
import type { Clock } from '#platform/clock';
import type { OutboxEvent, SubscriberLease, SubscriberLeaseStore } from './ports.ts';

/** Times of the lease: events of a killed worker wait at most 20 s. */
export const SUBSCRIBER_LEASE: LeaseTimes = { renewMs: 3_000, leaseMs: 15_000 };

/** What leases are taken with. */
export interface HoldTools {
  readonly store: SubscriberLeaseStore;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** Unique to this process and run. */
  readonly holder: string;
  /** Whether the holder's process is known to have ended: its lease is then free at once. */
  readonly isGone?: ((holder: string) => boolean) | undefined;
  readonly times: LeaseTimes;
}

/** One subscriber's lease as this process observes it. */
export class SubscriberWatch {
  readonly #tools: HoldTools;
  readonly #subscriber: string;
  readonly #still: Standstill;

  constructor(tools: HoldTools, subscriber: string) {
    this.#tools = tools;
    this.#subscriber = subscriber;
    this.#still = new Standstill(tools.clock);
  }

  /** Takes the lease; undefined while another process works, or where it was quicker. */
  async take(): Promise<SubscriberHold | undefined> {
    const { holder, store } = this.#tools;
    const lease = await store.findLease(this.#subscriber);
    if (lease === undefined || !this.#isFree(lease)) return undefined;
    const taken = await store.takeLease(lease, holder);
    if (taken === undefined) return undefined;
    return new SubscriberHold(this.#tools, taken, { isTakenOver: lease.holder !== undefined });
  }

  #isFree({ beat, fence, holder }: SubscriberLease): boolean {
    const { isGone, times } = this.#tools;
    // Our own lease: its release did not reach the store.
    if (holder === undefined || holder === this.#tools.holder || isGone?.(holder) === true) {
      return true;
    }
    const [stillMs = 0] = this.#still.look([{ name: this.#subscriber, pulse: `${fence}/${beat}` }]);
    return stillMs >= times.leaseMs;
  }
}

/** A lease that this process has. Renewals run one after another. */
export class SubscriberHold {
  /** Whether the previous holder was lost with its work. */
  readonly isTakenOver: boolean;
  readonly #tools: HoldTools;
  readonly #lost = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #lease: SubscriberLease;
  #savedMs: number;
  #isSaving = false;
  #saving: Promise<unknown> = Promise.resolve();

  constructor(
    tools: HoldTools,
    lease: SubscriberLease,
    { isTakenOver }: { readonly isTakenOver: boolean },
  ) {
    this.#tools = tools;
    this.#lease = lease;
    this.isTakenOver = isTakenOver;
    this.#savedMs = tools.clock.monotonicMs();
    this.#timer = setInterval(() => this.#tick(), tools.times.renewMs);
  }

  /** Fires once another process has the lease, or may have it. */
  get signal(): AbortSignal {
    return this.#lost.signal;
  }

  /**
   * Notes which of these events is begun, and answers how many holders have begun it, this one
   * included. The event at which an earlier holder was lost keeps its note until it comes; the
   * events before it were done.
   */
  careful(events: readonly OutboxEvent[]): (eventId: string) => Promise<number> {
    let suspect = events.find(({ id }) => id === this.#lease.trying)?.id;
    return async (eventId) => {
      if (suspect !== undefined && suspect !== eventId) return 1;
      suspect = undefined;
      return this.#begin(eventId);
    };
  }

  async #begin(eventId: string): Promise<number> {
    const { tries, trying } = this.#lease;
    const next = trying === eventId ? tries + 1 : 1;
    const cause = await this.#save({ tries: next, trying: eventId });
    // Without the note nobody would know at which event this process died. A lease that is lost and
    // not released is taken with care the next time, by this process too.
    if (cause !== undefined) this.#lose('what is begun could not be noted', cause);
    this.signal.throwIfAborted();
    return next;
  }

  /** Releases the lease. */
  async end(): Promise<void> {
    clearInterval(this.#timer);
    await this.#saving;
    if (!this.signal.aborted) await this.#tools.store.releaseLease(this.#lease);
  }

  #tick(): void {
    if (!this.#isSaving) void this.#save({});
    // The store has not answered since the last tick.
    else if (this.#isSilent()) this.#lose('the lease could not be renewed');
  }

  #isSilent(): boolean {
    return this.#tools.clock.monotonicMs() - this.#savedMs >= this.#tools.times.leaseMs;
  }

  /** Answers why nothing was saved, where the store failed. */
  #save(noted: Partial<Pick<SubscriberLease, 'tries' | 'trying'>>): Promise<unknown> {
    this.#saving = this.#saving.then(() => this.#saveNow(noted));
    return this.#saving;
  }

  async #saveNow(noted: Partial<Pick<SubscriberLease, 'tries' | 'trying'>>): Promise<unknown> {
    if (this.signal.aborted) return undefined;
    const { clock, store } = this.#tools;
    const next: SubscriberLease = { ...this.#lease, ...noted, beat: this.#lease.beat + 1 };
    const askedMs = clock.monotonicMs();
    this.#isSaving = true;
    try {
      if (await store.renewLease(next)) {
        this.#lease = next;
        this.#savedMs = askedMs;
      } else this.#lose('another process has the lease');
      return undefined;
    } catch (cause) {
      // The store may be back before another process takes us for dead.
      if (this.#isSilent()) this.#lose('the lease could not be renewed', cause);
      return cause;
    } finally {
      this.#isSaving = false;
    }
  }

  #lose(why: string, cause?: unknown): void {
    clearInterval(this.#timer);
    this.#lost.abort(new WorkLost(`${this.#lease.subscriber}: ${why}`, { cause }));
  }
}

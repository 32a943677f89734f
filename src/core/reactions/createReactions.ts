/**
 * Runs subscribers in a worker. Each is a loop of its own that reads its events from the outbox,
 * hands them to its handlers and then marks them done. Delivery is at least once: an event that is
 * interrupted before the mark comes again, here or in another process.
 *
 * One process at a time works for a subscriber (subscriberHold.ts). After a process died at work,
 * the next one goes event by event for a while and notes each before it begins. So a poison event,
 * which kills its workers, is found and set aside.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { LeaseTimes } from '#core/work';
import type { Clock } from '#platform/clock';
import { codeOf, handleEvents, WORKER_LOST } from './handleEvents.ts';
import type { Outbox, OutboxEvent, SetAside } from './ports.ts';
import { type Subscriber, subscriptionOf } from './subscriber.ts';
import { SUBSCRIBER_LEASE, type SubscriberHold, SubscriberWatch } from './subscriberHold.ts';

/** Bounds of the loops. */
export interface ReactionLimits extends LeaseTimes {
  /** Events in one step, 1..1000. After a crash at most so many are done again. */
  readonly batchEvents: number;
  /** Milliseconds between two looks for events. */
  readonly pollMs: number;
  /** Milliseconds after a step before a wake-up begins another one. */
  readonly wokenMs: number;
  /** Milliseconds to wait after a failure of the store. */
  readonly failurePauseMs: number;
}

/** Default bounds of the loops. */
export const REACTION_LIMITS: ReactionLimits = {
  ...SUBSCRIBER_LEASE,
  batchEvents: 100,
  pollMs: 250,
  wokenMs: 50,
  failurePauseMs: 1_000,
};

/** Events set aside that are tried again in one step. */
const RETRIES_PER_STEP = 10;

/**
 * Events of one step from which on wake-ups are of no use: so many in `wokenMs` are cheaper in the
 * larger batches of the poll.
 */
const BUSY_EVENTS = 10;

/** Who is told of failures; the log, as a rule. */
export interface ReactionReport {
  /** An event or a step failed. It is tried again. */
  onFailed(of: { readonly subscriber: string; readonly event?: OutboxEvent }, error: unknown): void;
  /** An event was set aside. It is not tried again until an operator asks for it. */
  onSetAside(record: SetAside): void;
}

/** What runs the subscribers, and with what. */
export interface ReactionOptions extends ReactionReport {
  readonly outbox: Outbox;
  readonly subscribers: readonly Subscriber[];
  readonly clock: Clock;
  /** Unique to this process and run. */
  readonly holder: string;
  /** Whether the process of a holder is known to have ended; see isProcessGone. */
  readonly isGone?: (holder: string) => boolean;
  readonly limits?: ReactionLimits;
  /** For tests of crashes: called at each named point. */
  readonly onPoint?: (point: string) => void;
}

/** The subscribers of this process. */
export interface Reactions {
  /** Runs until the signal; failures are reported and retried. Resolves after the current step. */
  run(signal: AbortSignal): Promise<void>;
  /**
   * Events of these topics were committed: who subscribes to one looks now. A lost call costs the
   * time until the next look.
   */
  wake(topics: readonly string[]): void;
}

/** Prepares the loops. They start with `run`. */
export function createReactions(options: ReactionOptions): Reactions {
  const { outbox, subscribers } = options;
  const { failurePauseMs } = options.limits ?? REACTION_LIMITS;
  const loops = subscribers.map((subscriber) => new Loop(options, subscriber));
  return {
    wake(topics) {
      for (const loop of loops) loop.wake(topics);
    },
    async run(signal) {
      await untilDone(() => outbox.subscribe(subscribers.map(subscriptionOf)));
      await Promise.all(loops.map((loop) => loop.run(signal)));

      async function untilDone(work: () => Promise<void>): Promise<void> {
        while (!signal.aborted) {
          try {
            return await work();
          } catch (error) {
            options.onFailed({ subscriber: 'all' }, error);
          }
          await pause(failurePauseMs, signal);
        }
      }
    },
  };
}

/** The loop of one subscriber. */
class Loop {
  readonly #options: ReactionOptions;
  readonly #subscriber: Subscriber;
  readonly #limits: ReactionLimits;
  readonly #watch: SubscriberWatch;
  /** Partitions whose last event was set aside. */
  readonly #faulty = new Set<string>();
  readonly #topics: ReadonlySet<string>;
  /** When the next sweep is due, on the monotonic clock. It is due at the start, too. */
  #sweepAtMs = Number.NEGATIVE_INFINITY;
  /** There are events that the last step may not have seen. */
  #isWoken = false;
  /** Ends the pause between two steps. */
  #endPause: (() => void) | undefined;

  constructor(options: ReactionOptions, subscriber: Subscriber) {
    const { clock, holder, isGone, outbox } = options;
    this.#options = options;
    this.#subscriber = subscriber;
    this.#limits = options.limits ?? REACTION_LIMITS;
    this.#topics = new Set(subscriptionOf(subscriber).topics);
    const tools = { clock, holder, isGone, store: outbox, times: this.#limits };
    this.#watch = new SubscriberWatch(tools, subscriber.name);
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const { failurePauseMs, pollMs, wokenMs } = this.#limits;
      this.#isWoken = false;
      try {
        const count = await this.#step(signal);
        if (count >= BUSY_EVENTS) await pause(pollMs, signal);
        else {
          const leastMs = count > 0 ? Math.min(wokenMs, pollMs) : 0;
          await this.#pause({ leastMs, mostMs: pollMs }, signal);
        }
      } catch (error) {
        if (signal.aborted) return;
        this.#options.onFailed({ subscriber: this.#subscriber.name }, error);
        await pause(failurePauseMs, signal);
      }
    }
  }

  wake(topics: readonly string[]): void {
    if (!topics.some((topic) => this.#topics.has(topic))) return;
    this.#isWoken = true;
    this.#endPause?.();
  }

  /** Ends with a wake-up, though not before `leastMs`. */
  async #pause(
    { leastMs, mostMs }: { readonly leastMs: number; readonly mostMs: number },
    signal: AbortSignal,
  ): Promise<void> {
    if (leastMs > 0) await pause(leastMs, signal);
    if (this.#isWoken || signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, mostMs - leastMs);
    const end = (): void => resolve();
    this.#endPause = end;
    signal.addEventListener('abort', end, { once: true });
    await promise;
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
    this.#endPause = undefined;
  }

  /** Does all work that waits, if this process gets the lease. Answers how many events that was. */
  async #step(stop: AbortSignal): Promise<number> {
    if (!(await this.#hasWork())) return 0;
    const hold = await this.#watch.take();
    if (hold === undefined) return 0;
    try {
      const signal = AbortSignal.any([stop, hold.signal]);
      if (this.#isSweepDue()) await this.#sweep(signal);
      await this.#retry(signal);
      return await this.#handle(hold, signal);
    } finally {
      await hold.end();
    }
  }

  /** Checked without the lease, so that it is not taken for nothing. */
  async #hasWork(): Promise<boolean> {
    const { outbox } = this.#options;
    if (this.#isSweepDue()) return true;
    if ((await outbox.readFor(this.#subscriber.name, 1)) !== undefined) return true;
    return (await this.#wanted(1)).length > 0;
  }

  async #handle(hold: SubscriberHold, signal: AbortSignal): Promise<number> {
    const { clock, outbox, onPoint = () => {}, onSetAside } = this.#options;
    const { name } = this.#subscriber;
    const { batchEvents } = this.#limits;
    // The event at which the previous holder was lost is among the next so many.
    let careful = hold.isTakenOver ? batchEvents : 0;
    let count = 0;
    while (!signal.aborted) {
      const batch = await outbox.readFor(name, careful > 0 ? 1 : batchEvents);
      if (batch === undefined) break;
      onPoint('read');
      const tools = {
        begin: careful > 0 ? hold.careful(batch.events) : undefined,
        clock,
        faulty: this.#faulty,
        onFailed: (event: OutboxEvent, error: unknown) =>
          this.#options.onFailed({ event, subscriber: name }, error),
        onPoint,
        onSetAside,
        signal,
        store: outbox,
        subscriber: this.#subscriber,
      };
      await handleEvents(tools, batch.events);
      const { after = [] } = this.#subscriber.sweep ?? {};
      if (batch.events.some(({ topic }) => after.includes(topic))) await this.#sweep(signal);
      onPoint('before-mark');
      await outbox.markDone(name, batch.token);
      onPoint('marked');
      careful -= batch.events.length;
      count += batch.events.length;
    }
    return count;
  }

  /**
   * Tries events that an operator wants retried: once, out of order. An event that fails is set
   * aside again. It is so before it begins, as one that its worker is lost at: a poison event then
   * kills one worker for each time that it is asked for.
   */
  async #retry(signal: AbortSignal): Promise<void> {
    const { clock, onFailed, outbox } = this.#options;
    const { name, on = {} } = this.#subscriber;
    for (const record of await this.#wanted(RETRIES_PER_STEP)) {
      const { event } = record;
      signal.throwIfAborted();
      const begun = { ...record, at: clock.now(), code: WORKER_LOST, tries: record.tries + 1 };
      await outbox.setAside(begun);
      try {
        await on[event.topic]?.(event, signal);
        await outbox.dropSetAside(name, event.id);
      } catch (error) {
        if (signal.aborted) await this.#wantAgain(record);
        signal.throwIfAborted();
        onFailed({ event, subscriber: name }, error);
        await outbox.setAside({ ...begun, at: clock.now(), code: codeOf(error) });
      }
    }
  }

  /** For a try that was broken off: by the end of this process, or by the loss of its lease. */
  async #wantAgain(record: SetAside): Promise<void> {
    const { outbox } = this.#options;
    await outbox.setAside(record);
    await outbox.retrySetAside(record.subscriber, record.event.id);
  }

  #wanted(limit: number): Promise<SetAside[]> {
    const subscriber = this.#subscriber.name;
    return this.#options.outbox.listSetAside({ isWanted: true, limit, subscriber });
  }

  #isSweepDue(): boolean {
    const { sweep } = this.#subscriber;
    return sweep !== undefined && this.#options.clock.monotonicMs() >= this.#sweepAtMs;
  }

  async #sweep(signal: AbortSignal): Promise<void> {
    const { name, sweep } = this.#subscriber;
    if (sweep === undefined) return;
    const { clock, onFailed } = this.#options;
    try {
      await sweep.run(signal);
      this.#sweepAtMs = clock.monotonicMs() + sweep.everyMs;
    } catch (error) {
      signal.throwIfAborted();
      onFailed({ subscriber: name }, error);
      this.#sweepAtMs = clock.monotonicMs() + sweep.retryMs;
    }
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined); // the caller checks the signal
}

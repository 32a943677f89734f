/**
 * Runs subscribers in a worker. Each is a loop of its own that reads its events from the outbox,
 * hands them to its handlers and then marks them done. Delivery is at least once: an event that is
 * interrupted before the mark comes again, here or in another process.
 *
 * A loop without work rests and asks the store nothing. One look for all of them, some times a
 * second, wakes those with work; a word that events were committed does so at once.
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
  /** Milliseconds between two looks for events that an operator wants retried. */
  readonly retryLookMs: number;
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
  retryLookMs: 5_000,
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
  const { clock, outbox, subscribers } = options;
  const { failurePauseMs, pollMs, retryLookMs } = options.limits ?? REACTION_LIMITS;
  const loops = subscribers.map((subscriber) => new Loop(options, subscriber));
  return {
    wake(topics) {
      for (const loop of loops) loop.wake(topics);
    },
    async run(signal) {
      await untilDone(() => outbox.subscribe(subscribers.map(subscriptionOf)));
      await Promise.all([...loops.map((loop) => loop.run(signal)), looks()]);

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

      async function looks(): Promise<void> {
        let retryLookAtMs = Number.NEGATIVE_INFINITY;
        while (!signal.aborted) {
          await untilDone(async () => {
            const nowMs = clock.monotonicMs();
            if (nowMs >= retryLookAtMs) {
              await lookForRetries();
              retryLookAtMs = nowMs + retryLookMs;
            }
            await lookForWork();
          });
          await pause(pollMs, signal);
        }
      }
    },
  };

  async function lookForRetries(): Promise<void> {
    const wanted = await outbox.findWanted(loops.map(({ name }) => name));
    for (const loop of loops) loop.hasRetries = wanted.includes(loop.name);
  }

  /** A loop at work looks by itself. */
  async function lookForWork(): Promise<void> {
    const resting = loops.filter(({ isResting }) => isResting);
    if (resting.length === 0) return;
    const behind = await outbox.findBehind(resting.map(({ name }) => name));
    for (const loop of resting) if (loop.isDue || behind.includes(loop.name)) loop.begin();
  }
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
  /** Whether an operator wants events retried, as far as the last look has seen. */
  hasRetries = false;
  /** When the next sweep is due, on the monotonic clock. It is due at the start, too. */
  #sweepAtMs = Number.NEGATIVE_INFINITY;
  /** There are events that the last step may not have seen. */
  #isWoken = false;
  /** Ends the rest between two steps. */
  #endRest: (() => void) | undefined;

  constructor(options: ReactionOptions, subscriber: Subscriber) {
    const { clock, holder, isGone, outbox } = options;
    this.#options = options;
    this.#subscriber = subscriber;
    this.#limits = options.limits ?? REACTION_LIMITS;
    this.#topics = new Set(subscriptionOf(subscriber).topics);
    const tools = { clock, holder, isGone, store: outbox, times: this.#limits };
    this.#watch = new SubscriberWatch(tools, subscriber.name);
  }

  get name(): string {
    return this.#subscriber.name;
  }

  /** Whether it waits for somebody to begin its next step. */
  get isResting(): boolean {
    return this.#endRest !== undefined;
  }

  /** Whether there is something to do that no event tells of. */
  get isDue(): boolean {
    return this.hasRetries || this.#isSweepDue();
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const { failurePauseMs, pollMs, wokenMs } = this.#limits;
      this.#isWoken = false;
      try {
        const count = await this.#step(signal);
        if (count >= BUSY_EVENTS) await pause(pollMs, signal);
        else {
          if (count > 0) await pause(Math.min(wokenMs, pollMs), signal);
          await this.#rest(signal);
        }
      } catch (error) {
        if (signal.aborted) return;
        this.#options.onFailed({ subscriber: this.name }, error);
        await pause(failurePauseMs, signal);
      }
    }
  }

  wake(topics: readonly string[]): void {
    if (topics.some((topic) => this.#topics.has(topic))) this.begin();
  }

  /** Begins another step, after the one that is under way. */
  begin(): void {
    this.#isWoken = true;
    this.#endRest?.();
  }

  async #rest(signal: AbortSignal): Promise<void> {
    if (this.#isWoken || signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const end = (): void => resolve();
    this.#endRest = end;
    signal.addEventListener('abort', end, { once: true });
    await promise;
    signal.removeEventListener('abort', end);
    this.#endRest = undefined;
  }

  /** Does all work that waits, if this process gets the lease. Answers how many events that was. */
  async #step(stop: AbortSignal): Promise<number> {
    if (!(await this.#hasWork())) return 0;
    const hold = await this.#watch.take();
    if (hold === undefined) return 0;
    try {
      const signal = AbortSignal.any([stop, hold.signal]);
      if (this.#isSweepDue()) await this.#sweep(signal);
      if (this.hasRetries) await this.#retry(signal);
      return await this.#handle(hold, signal);
    } finally {
      await hold.end();
    }
  }

  /** Checked without the lease, so that it is not taken for nothing. */
  async #hasWork(): Promise<boolean> {
    if (this.isDue) return true;
    return (await this.#options.outbox.readFor(this.name, 1)) !== undefined;
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
    const ask = { isWanted: true, limit: RETRIES_PER_STEP, subscriber: name } as const;
    const wanted = await outbox.listSetAside(ask);
    this.hasRetries = wanted.length === RETRIES_PER_STEP;
    for (const record of wanted) {
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

/** What a slice declares to react to events, its own or those of slices to its left. */
import type { BusTopic, ErrorCode } from '#core/kernel';
import type { RetryPlan } from '#core/work';
import type { OutboxEvent, Subscription } from './ports.ts';

/**
 * Called at least once for each event, in order within a partition. Once `signal` fires, another
 * process may work on the same event, so no new step may begin.
 */
export type Handler = (event: OutboxEvent, signal: AbortSignal) => Promise<void>;

/**
 * Work that follows from the state, not from one event. It runs at the start of every worker, at
 * intervals, and whenever an event says that the state has changed. It never runs beside a handler
 * of the same subscriber.
 */
export interface Sweep {
  /**
   * Topics after which it runs, once for the whole batch. Their events are done even if the sweep
   * failed.
   */
  readonly after: readonly BusTopic[];
  /** Milliseconds between two sweeps without an event, in case one was missed. */
  readonly everyMs: number;
  /** Milliseconds to wait after a failure. */
  readonly retryMs: number;
  run(signal: AbortSignal): Promise<void>;
}

/** Takes consecutive events of one partition and topic as one, where that is cheaper. */
export interface Together {
  /** Events of one call. */
  readonly max: number;
  /**
   * Called at least once for each event, as a Handler is. Where it fails, each of the events goes
   * to the handler of its topic alone, which finds the one at fault.
   */
  handle(events: readonly OutboxEvent[], signal: AbortSignal): Promise<void>;
}

/** A subscriber with its handlers. */
export interface Subscriber extends Pick<Subscription, 'from' | 'name'> {
  /** Handlers by topic, for work that an event carries. */
  readonly on?: Partial<Readonly<Record<BusTopic, Handler>>>;
  /** By topic, beside the handler in `on`. */
  readonly together?: Partial<Readonly<Record<BusTopic, Together>>>;
  /** Partitions that are worked on at once; absent: one after the other. */
  readonly partitionsAtOnce?: number;
  readonly sweep?: Sweep;
  /** Retry plan; absent: RETRY_PLAN. An event whose tries are used up is set aside. */
  readonly plan?: RetryPlan;
}

const TRANSIENT: ReadonlySet<string> = new Set<ErrorCode>(['store-unavailable', 'storage-full']);

/**
 * The usual plan. Its pauses are short, since other partitions of the subscriber wait for the end
 * of a batch. An unavailable store is a transient failure, for which an event waits as long as it
 * takes.
 */
export const RETRY_PLAN: RetryPlan = {
  kindOf: (code) => (TRANSIENT.has(code) ? 'transient' : 'counted'),
  pausesMs: [0, 500, 2_000, 10_000],
  triesMax: 4,
};

/** The subscription that storage registers. */
export function subscriptionOf({ from, name, on = {}, sweep }: Subscriber): Subscription {
  const topics = [...(Object.keys(on) as BusTopic[]), ...(sweep?.after ?? [])];
  return { from, name, topics: [...new Set(topics)] };
}

/** What a slice declares to react to events, its own or those of slices to its left. */
import type { BusTopic, ErrorCode } from '#core/kernel';
import type { RetryPlan } from '#core/work';
import type { OutboxEvent, Subscription } from './ports.ts';

/**
 * Called at least once for each event, in order within a partition. Once `signal` fires, another
 * process may be at the same event: what has not begun should not begin.
 */
export type Handler = (event: OutboxEvent, signal: AbortSignal) => Promise<void>;

/**
 * Work that the state tells, and no event: done at the start of every worker, now and again, and
 * whenever an event says that the state has moved. Never beside a handler of the same subscriber.
 */
export interface Sweep {
  /** Once for all of a batch. Such an event is done, whether the sweep failed or not. */
  readonly after: readonly BusTopic[];
  /** A net under the events. */
  readonly everyMs: number;
  /** After a failure. */
  readonly retryMs: number;
  run(signal: AbortSignal): Promise<void>;
}

/** A subscriber with what it does. */
export interface Subscriber extends Pick<Subscription, 'from' | 'name'> {
  /** Work that an event carries. */
  readonly on?: Partial<Readonly<Record<BusTopic, Handler>>>;
  readonly sweep?: Sweep;
  /** RETRY_PLAN unless it says otherwise. An event whose tries are over is set aside. */
  readonly plan?: RetryPlan;
}

const TRANSIENT: ReadonlySet<string> = new Set<ErrorCode>(['store-unavailable', 'storage-full']);

/**
 * Short, since other partitions of the subscriber wait for the end of a batch. A store that is away
 * is no fault of an event, which waits for it however long.
 */
export const RETRY_PLAN: RetryPlan = {
  kindOf: (code) => (TRANSIENT.has(code) ? 'transient' : 'counted'),
  pausesMs: [0, 500, 2_000, 10_000],
  triesMax: 4,
};

/** As it is registered. */
export function subscriptionOf({ from, name, on = {}, sweep }: Subscriber): Subscription {
  const topics = [...(Object.keys(on) as BusTopic[]), ...(sweep?.after ?? [])];
  return { from, name, topics: [...new Set(topics)] };
}

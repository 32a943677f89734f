/**
 * Takes one batch of events through a subscriber's handlers, in order within each partition. An
 * event that fails is tried again by the plan, then set aside, so that its partition goes on. Other
 * partitions of the batch do not wait for it.
 *
 * A partition whose last event was set aside gets one try for the next event. Otherwise a fault
 * common to all of its events would hold up the other partitions once for each.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { DomainError } from '#core/kernel';
import { afterFault, dangerOf } from '#core/work';
import type { Clock } from '#platform/clock';
import type { OutboxEvent, SetAside, SetAsideStore } from './ports.ts';
import { RETRY_PLAN, type Subscriber } from './subscriber.ts';

/** Code in the record of a poison event, which ended its workers. */
export const WORKER_LOST = 'worker-lost';

/** What a batch is handled with. */
export interface HandleTools {
  readonly subscriber: Subscriber;
  readonly store: SetAsideStore;
  readonly clock: Clock;
  /** Fires once this process must stop or has lost the lease. */
  readonly signal: AbortSignal;
  /** Partitions whose last event was set aside; the caller keeps it from batch to batch. */
  readonly faulty: Set<string>;
  /**
   * Set after a worker was lost: notes an event before it is begun, and answers how often it was.
   */
  readonly begin?: ((eventId: string) => Promise<number>) | undefined;
  onFailed(event: OutboxEvent, error: unknown): void;
  onSetAside(record: SetAside): void;
  /** For tests of crashes: called at each named point. */
  onPoint(point: string): void;
}

/** A partition that waits for the next try of its first event. */
interface Waiting {
  readonly tries: number;
  readonly untilMs: number;
}

/** Resolves once each event is done or set aside; rejects if `signal` fires before. */
export async function handleEvents(
  tools: HandleTools,
  events: readonly OutboxEvent[],
): Promise<void> {
  const waiting = new Map<string, Waiting>();
  for (let left = events; ; ) {
    left = await passOver(tools, left, waiting);
    if (left.length === 0) return;
    const untilMs = Math.min(...[...waiting.values()].map((one) => one.untilMs));
    const pauseMs = Math.max(0, untilMs - tools.clock.monotonicMs());
    await delay(pauseMs, undefined, { signal: tools.signal });
  }
}

/** One pass over the events; answers those that are left, in their order. */
async function passOver(
  tools: HandleTools,
  events: readonly OutboxEvent[],
  waiting: Map<string, Waiting>,
): Promise<readonly OutboxEvent[]> {
  const left: OutboxEvent[] = [];
  const blocked = new Set<string>();
  for (const event of events) {
    const { partition } = event;
    const isDue = (waiting.get(partition)?.untilMs ?? 0) <= tools.clock.monotonicMs();
    if (!blocked.has(partition) && isDue && (await isDone(tools, event, waiting))) continue;
    blocked.add(partition);
    left.push(event);
  }
  return left;
}

/** False: the event is tried again, at the time in `waiting`. */
async function isDone(
  tools: HandleTools,
  event: OutboxEvent,
  waiting: Map<string, Waiting>,
): Promise<boolean> {
  const { clock, faulty, signal, subscriber } = tools;
  const { partition } = event;
  const handler = subscriber.on?.[event.topic];
  if (handler === undefined) return true;
  signal.throwIfAborted();
  const before = waiting.get(partition)?.tries;
  try {
    if (before === undefined && (await isDeadly(tools, event))) return true;
    await handler(event, signal);
    tools.onPoint('handled');
    waiting.delete(partition);
    faulty.delete(partition);
    return true;
  } catch (error) {
    signal.throwIfAborted();
    tools.onFailed(event, error);
    const code = codeOf(error);
    const tries = (before ?? 0) + 1;
    const after = afterFault(subscriber.plan ?? RETRY_PLAN, { code, tries });
    if (after.isOver || (after.isTried && faulty.has(partition))) {
      await setAside(tools, { code, event, tries });
      waiting.delete(partition);
      return true;
    }
    const untilMs = clock.monotonicMs() + after.pauseMs;
    waiting.set(partition, { tries: after.isTried ? tries : tries - 1, untilMs });
    return false;
  }
}

/** Sets an event aside if several workers died at it. */
async function isDeadly(tools: HandleTools, event: OutboxEvent): Promise<boolean> {
  const tries = await tools.begin?.(event.id);
  const plan = tools.subscriber.plan ?? RETRY_PLAN;
  if (tries === undefined || dangerOf(plan, tries) !== 'spent') return false;
  await setAside(tools, { code: WORKER_LOST, event, tries: tries - 1 });
  return true;
}

async function setAside(
  { clock, faulty, onPoint, onSetAside, store, subscriber }: HandleTools,
  of: Pick<SetAside, 'code' | 'event' | 'tries'>,
): Promise<void> {
  const record: SetAside = { ...of, at: clock.now(), subscriber: subscriber.name };
  await store.setAside(record);
  onPoint('set-aside');
  faulty.add(of.event.partition);
  onSetAside(record);
}

/**
 * A short name of a failure: the code, or the class. Never the message, which may contain personal
 * data.
 */
export function codeOf(error: unknown): string {
  if (error instanceof DomainError) return error.code;
  if (!(error instanceof Error)) return typeof error;
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

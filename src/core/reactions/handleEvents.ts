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

/**
 * One pass over the events, some partitions at once; answers those that are left, in the order of
 * each partition.
 */
async function passOver(
  tools: HandleTools,
  events: readonly OutboxEvent[],
  waiting: Map<string, Waiting>,
): Promise<readonly OutboxEvent[]> {
  const partitions = Map.groupBy(events, ({ partition }) => partition).values();
  const left: OutboxEvent[] = [];
  const lane = async (): Promise<void> => {
    for (const own of partitions) left.push(...(await passThrough(tools, own, waiting)));
  };
  const lanes = Array.from({ length: tools.subscriber.partitionsAtOnce ?? 1 }, lane);
  // No lane works on once the pass has ended: its lease may be another process's by then.
  for (const ended of await Promise.allSettled(lanes)) {
    if (ended.status === 'rejected') throw ended.reason;
  }
  return left;
}

/** The events of one partition, up to the first that is tried again; answers what is left. */
async function passThrough(
  tools: HandleTools,
  events: readonly OutboxEvent[],
  waiting: Map<string, Waiting>,
): Promise<readonly OutboxEvent[]> {
  let aloneUpTo = 0;
  for (let at = 0; at < events.length; ) {
    const [event] = events.slice(at, at + 1);
    if (event === undefined) break;
    const wait = waiting.get(event.partition);
    if ((wait?.untilMs ?? 0) > tools.clock.monotonicMs()) return events.slice(at);
    const run = wait === undefined && at >= aloneUpTo ? runOf(tools, events.slice(at)) : [];
    if (run.length > 1) {
      if (await areDone(tools, run)) at += run.length;
      else aloneUpTo = at + run.length;
      continue;
    }
    if (!(await isDone(tools, event, waiting))) return events.slice(at);
    at += 1;
  }
  return [];
}

/** Events of one topic from the first on that go together; none while each is noted by itself. */
function runOf(
  { begin, subscriber }: HandleTools,
  events: readonly OutboxEvent[],
): readonly OutboxEvent[] {
  const together = events[0] && subscriber.together?.[events[0].topic];
  if (together === undefined || begin !== undefined) return [];
  const end = events.findIndex(({ topic }) => topic !== events[0]?.topic);
  return events.slice(0, Math.min(together.max, end === -1 ? events.length : end));
}

/** False: one of them fails, and each goes to its handler alone, which tells which and why. */
async function areDone(
  { faulty, onPoint, signal, subscriber }: HandleTools,
  run: readonly OutboxEvent[],
): Promise<boolean> {
  const [first] = run;
  const together = first && subscriber.together?.[first.topic];
  if (first === undefined || together === undefined) return false;
  signal.throwIfAborted();
  try {
    await together.handle(run, signal);
  } catch {
    signal.throwIfAborted();
    return false; // the handler of each event fails as this one did, and is reported
  }
  onPoint('handled');
  faulty.delete(first.partition);
  return true;
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

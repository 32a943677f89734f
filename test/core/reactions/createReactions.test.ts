/** The loops of subscribers over a real store: leases, sweeps, retries by hand, figures. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  createReactions,
  type OutboxEvent,
  REACTION_LIMITS,
  RETRY_PLAN,
  type ReactionOptions,
  registerReactionFigures,
  type SetAside,
  type Subscriber,
  WORKER_LOST,
} from '#core/reactions';
import { createMetrics } from '#platform/metrics';
import type { Storage } from '../../../src/storage/index.ts';
import { append, makeBus, type StoreHarness } from '../../storage/contract/harness.ts';
import { makeSqliteHarness } from '../../storage/sqlite/harness.ts';

const TOPIC = 'sanctions.screening.completed';
const WAIT = { interval: 5, timeout: 10_000 };

let harness: StoreHarness;
let storage: Storage;
let running: { stop(): Promise<void> }[] = [];

beforeEach(async () => {
  harness = await makeSqliteHarness();
  storage = await harness.open();
  running = [];
});
afterEach(async () => {
  await Promise.all(running.map(({ stop }) => stop()));
  await storage.close();
  await harness.dispose();
});

function start(
  subscriber: Partial<Subscriber>,
  given: Partial<
    Pick<ReactionOptions, 'holder' | 'isGone' | 'limits' | 'outbox' | 'subscribers'>
  > = {},
) {
  const stop = new AbortController();
  const aside: SetAside[] = [];
  const failures: unknown[] = [];
  const reactions = createReactions({
    clock: harness.clock,
    holder: 'worker-1',
    limits: { ...REACTION_LIMITS, failurePauseMs: 5, pollMs: 5, renewMs: 5 },
    onFailed: (_, error) => void failures.push(error),
    onSetAside: (record) => void aside.push(record),
    outbox: storage.outbox,
    subscribers: [
      { from: 'kept', name: 'one', plan: { ...RETRY_PLAN, triesMax: 1 }, ...subscriber },
    ],
    ...given,
  });
  const over = reactions.run(stop.signal);
  const handle = {
    aside,
    failures,
    wake: reactions.wake,
    stop: async () => {
      stop.abort();
      await over;
    },
  };
  running.push(handle);
  return handle;
}

const nameOf = ({ payload }: OutboxEvent) => String((payload as { name: string }).name);
const put = (...names: string[]) =>
  append(storage, { bus: names.map((name) => makeBus('p', name)) });

/** A handler that notes what it was given. */
function noting(fail: (name: string) => boolean = () => false) {
  const seen: string[] = [];
  const on = {
    [TOPIC]: async (event: OutboxEvent) => {
      seen.push(nameOf(event));
      if (fail(nameOf(event))) throw new TypeError('poison');
    },
  };
  return { on, seen };
}

test('events reach the handler in their order, and a restart goes on behind them', async () => {
  const { on, seen } = noting();
  const first = start({ on });
  await put('1', '2');
  await vi.waitUntil(() => seen.length === 2, WAIT);
  await first.stop();
  expect(await storage.outbox.findLease('one')).not.toHaveProperty('holder');
  await put('3');
  start({ on });
  await vi.waitUntil(() => seen.length === 3, WAIT);
  expect(seen).toEqual(['1', '2', '3']);
});

describe('wake-ups', () => {
  /** Longer than any test waits. */
  const limits = { ...REACTION_LIMITS, pollMs: 3_600_000, wokenMs: 5 };

  /** Runs until the loop rests: it was asked for work once, in vain. */
  async function resting(subscriber: Partial<Subscriber>) {
    const looks = vi.spyOn(storage.outbox, 'readFor');
    const handle = start(subscriber, { limits });
    await vi.waitUntil(() => looks.mock.settledResults[0]?.type === 'fulfilled', WAIT);
    return { ...handle, looks };
  }

  test('an event is handled at the wake-up for its topic, not at the next look', async () => {
    const { on, seen } = noting();
    const { looks, wake } = await resting({ on });
    await put('1');
    wake(['aml.batch.completed']);
    wake([]);
    expect(looks).toHaveBeenCalledTimes(1);
    wake(['aml.batch.completed', TOPIC]);
    await vi.waitUntil(() => seen.length === 1, WAIT);
    await put('2');
    wake([TOPIC]);
    await vi.waitUntil(() => seen.length === 2, WAIT);
    expect(seen).toEqual(['1', '2']);
  });

  test('one that comes during a step asks for another step', async () => {
    const seen: string[] = [];
    const slow = Promise.withResolvers<void>();
    const { wake } = await resting({
      on: {
        [TOPIC]: async (event: OutboxEvent) => {
          seen.push(nameOf(event));
          await slow.promise;
        },
      },
    });
    await put('1');
    wake([TOPIC]);
    await vi.waitUntil(() => seen.length === 1, WAIT);
    await put('2');
    wake([TOPIC]);
    slow.resolve();
    await vi.waitUntil(() => seen.length === 2, WAIT);
  });

  test('a stop ends the pause', async () => {
    const { stop } = await resting(noting());
    await stop();
  });
});

test('two processes handle each event once', async () => {
  const { on, seen } = noting();
  start({ on }, { holder: 'worker-1' });
  start({ on }, { holder: 'worker-2' });
  for (let count = 1; count <= 5; count++) {
    await put(String(count));
    await vi.waitUntil(() => seen.length >= count, WAIT);
  }
  expect(seen).toEqual(['1', '2', '3', '4', '5']);
});

async function taken(holder: string) {
  const topics = [TOPIC] as const;
  await storage.outbox.subscribe([{ from: 'kept', name: 'one', topics }]);
  const seen = await storage.outbox.findLease('one');
  const lease = seen && (await storage.outbox.takeLease(seen, holder));
  if (lease === undefined) throw new Error('the lease was free');
  return lease;
}

test('a holder that renews is waited for; a silent one is followed after its length', async () => {
  const lease = await taken('elsewhere');
  await put('1');
  const looks = vi.spyOn(storage.outbox, 'findLease');
  const looked = async () => {
    const before = looks.mock.calls.length;
    await vi.waitUntil(() => looks.mock.calls.length > before + 1, WAIT);
  };
  const { on, seen } = noting();
  start({ on });
  await looked();
  harness.clock.advance(REACTION_LIMITS.leaseMs - 1);
  await looked();
  await storage.outbox.renewLease({ ...lease, beat: lease.beat + 1 });
  await looked();
  harness.clock.advance(REACTION_LIMITS.leaseMs - 1);
  await looked();
  expect(seen).toEqual([]);
  harness.clock.advance(1);
  await vi.waitUntil(() => seen.length === 1, WAIT);
});

test('a holder whose process is gone is followed at once', async () => {
  await taken('gone');
  await put('1');
  const { on, seen } = noting();
  start({ on }, { isGone: (holder) => holder === 'gone' });
  await vi.waitUntil(() => seen.length === 1, WAIT);
});

test('a holder that lost its lease stops, and marks nothing', async () => {
  const [entered, left] = [Promise.withResolvers<AbortSignal>(), Promise.withResolvers<void>()];
  await put('1', '2');
  const seen: string[] = [];
  const { failures } = start({
    on: {
      [TOPIC]: async (event, signal) => {
        seen.push(nameOf(event));
        entered.resolve(signal);
        await left.promise;
      },
    },
  });
  const signal = await entered.promise;
  const lease = await storage.outbox.findLease('one');
  if (lease === undefined) throw new Error('no lease');
  const other = await vi.waitUntil(async () => {
    const now = await storage.outbox.findLease('one');
    return now && storage.outbox.takeLease(now, 'elsewhere');
  }, WAIT);
  await vi.waitUntil(() => signal.aborted, WAIT);
  left.resolve();
  await vi.waitUntil(() => failures.length > 0, WAIT);
  expect(seen).toEqual(['1']);
  const batch = await storage.outbox.readFor('one', 9);
  expect(batch?.events.map(nameOf)).toEqual(['1', '2']);
  expect(await storage.outbox.findLease('one')).toEqual(other);
});

test('what is set aside is shown, and tried again when somebody asks', async () => {
  let isMended = false;
  const { on, seen } = noting((name) => name === 'poison' && !isMended);
  const { aside } = start({ on });
  await put('poison', 'next');
  await vi.waitUntil(() => seen.includes('next'), WAIT);
  expect(aside).toMatchObject([{ code: 'TypeError', tries: 1 }]);
  const [record] = await storage.outbox.listSetAside({ limit: 9 });
  expect(record).toEqual(aside[0]);
  const eventId = record?.event.id ?? '';
  await storage.outbox.retrySetAside('one', eventId);
  harness.clock.advance(REACTION_LIMITS.retryLookMs);
  const now = () => storage.outbox.findSetAside('one', eventId);
  const isFailed = async () => (await now())?.tries === 2 && (await now())?.code === 'TypeError';
  await vi.waitUntil(isFailed, WAIT);
  isMended = true;
  await storage.outbox.retrySetAside('one', eventId);
  harness.clock.advance(REACTION_LIMITS.retryLookMs);
  await vi.waitUntil(async () => (await now()) === undefined, WAIT);
  expect(seen).toEqual(['poison', 'next', 'poison', 'poison']);
});

test('a retry that its process breaks off is wanted still', async () => {
  const entered = Promise.withResolvers<void>();
  let isHeld = false;
  const on = {
    [TOPIC]: async (_: OutboxEvent, signal: AbortSignal) => {
      if (!isHeld) throw new TypeError('poison');
      entered.resolve();
      await new Promise((_, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason)),
      );
    },
  };
  const { aside, stop } = start({ on });
  await put('poison');
  await vi.waitUntil(() => aside.length === 1, WAIT);
  isHeld = true;
  await storage.outbox.retrySetAside('one', aside[0]?.event.id ?? '');
  harness.clock.advance(REACTION_LIMITS.retryLookMs);
  await entered.promise;
  expect(await storage.outbox.listSetAside({ limit: 9 })).toMatchObject([{ code: WORKER_LOST }]);
  await stop();
  const wanted = await storage.outbox.listSetAside({ isWanted: true, limit: 9, subscriber: 'one' });
  expect(wanted).toEqual(aside);
});

describe('at rest', () => {
  /** The outbox, and its calls by name. */
  function counting() {
    const calls: Record<string, number> = {};
    const outbox = new Proxy(storage.outbox, {
      get:
        (target, name) =>
        (...args: unknown[]) => {
          calls[String(name)] = (calls[String(name)] ?? 0) + 1;
          return Reflect.get(target, name)(...args);
        },
    });
    return { calls, outbox };
  }

  test('one look is for all subscribers, and one in five seconds for retries', async () => {
    const { calls, outbox } = counting();
    const { on, seen } = noting();
    const names = Array.from({ length: 20 }, (_, place) => `subscriber-${place}`);
    const subscribers = names.map((name) => ({ from: 'kept', name, on }) as const);
    start({}, { outbox, subscribers });
    const looks = (count: number) =>
      vi.waitUntil(() => (calls.findBehind ?? 0) >= count && calls.readFor === 20, WAIT);
    await looks(30);
    expect(calls).toEqual({
      findBehind: calls.findBehind,
      findWanted: 1,
      // Each looked once by itself, at the start.
      readFor: 20,
      subscribe: 1,
    });
    harness.clock.advance(REACTION_LIMITS.retryLookMs - 1);
    await looks((calls.findBehind ?? 0) + 2);
    expect(calls.findWanted).toBe(1);
    harness.clock.advance(1);
    await looks((calls.findBehind ?? 0) + 2);
    expect(calls.findWanted).toBe(2);
    await put('1');
    await vi.waitUntil(() => seen.length === 20, WAIT);
  });

  test('a look that fails is told once for all of them, and made again', async () => {
    const { on, seen } = noting();
    const away = vi.spyOn(storage.outbox, 'findBehind');
    const { failures } = start({ on });
    await vi.waitUntil(() => away.mock.calls.length > 0, WAIT);
    away.mockRejectedValueOnce(new Error('the store is away'));
    await vi.waitUntil(() => failures.length === 1, WAIT);
    await put('1');
    await vi.waitUntil(() => seen.length === 1, WAIT);
  });

  test('a retry of more than one step is done in the steps that follow', async () => {
    let isMended = false;
    const { on, seen } = noting(() => !isMended);
    const { aside } = start({ on });
    const names = Array.from({ length: 11 }, (_, place) => `${place}`);
    await put(...names);
    await vi.waitUntil(() => aside.length === 11, WAIT);
    isMended = true;
    for (const { event } of aside) await storage.outbox.retrySetAside('one', event.id);
    harness.clock.advance(REACTION_LIMITS.retryLookMs);
    await vi.waitUntil(() => seen.length === 22, WAIT);
    await vi.waitUntil(async () => (await storage.outbox.listSetAside({ limit: 9 })).length === 0);
  });
});

test('a sweep is done at the start, in time, and once for all events of a batch', async () => {
  let sweeps = 0;
  let isFailing = false;
  const run = async () => {
    sweeps++;
    if (isFailing) throw new Error('not now');
  };
  await put('1', '2', '3');
  const sweep = { after: [TOPIC], everyMs: 60_000, retryMs: 15_000, run } as const;
  const { failures } = start({ from: 'now', sweep });
  await vi.waitUntil(() => sweeps === 1, WAIT);
  await put('4', '5');
  const isDone = async () => (await storage.outbox.readFor('one', 1)) === undefined;
  await vi.waitUntil(async () => sweeps === 2 && (await isDone()), WAIT);
  harness.clock.advance(60_000);
  await vi.waitUntil(() => sweeps === 3, WAIT);
  // The event is done: what failed is told by the state, and comes again in time.
  isFailing = true;
  await put('6');
  await vi.waitUntil(async () => sweeps === 4 && (await isDone()), WAIT);
  expect(failures).toHaveLength(1);
  harness.clock.advance(15_000);
  await vi.waitUntil(() => sweeps === 5, WAIT);
});

test('figures tell what waits, for how long, and what is set aside', async () => {
  const metrics = createMetrics({ processFigures: false });
  registerReactionFigures(metrics, { clock: harness.clock, outbox: storage.outbox });
  await storage.outbox.subscribe([{ from: 'now', name: 'one', topics: [TOPIC] }]);
  await put('1', '2');
  harness.clock.advance(90_000);
  const { text } = await metrics.expose();
  for (const name of ['bus', 'one']) {
    expect(text).toContain(`reactions_events_waiting{subscriber="${name}"} 2\n`);
    expect(text).toContain(`reactions_oldest_event_seconds{subscriber="${name}"} 90\n`);
    expect(text).toContain(`reactions_events_set_aside{subscriber="${name}"} 0\n`);
  }
  const away = { figures: () => Promise.reject(new Error('the store is away')) };
  const without = createMetrics({ processFigures: false });
  registerReactionFigures(without, { clock: harness.clock, outbox: away });
  expect((await without.expose()).text).not.toContain('subscriber=');
});

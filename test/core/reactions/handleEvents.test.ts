/** One batch: order within partitions, retries by the plan, and what is set aside after them. */
import { describe, expect, test } from 'vitest';
import { DomainError } from '#core/kernel';
import { type OutboxEvent, RETRY_PLAN, type SetAside, type Subscriber } from '#core/reactions';
import { type EpochMs, systemClock } from '#platform/clock';
import { codeOf, handleEvents } from '../../../src/core/reactions/handleEvents.ts';

const TOPIC = 'sanctions.screening.completed';
const event = (partition: string, id: string): OutboxEvent => ({
  createdAt: 1 as EpochMs,
  id,
  partition,
  payload: {},
  topic: TOPIC,
});

/** A batch of made-up events through one handler. `fail` answers what an event fails with. */
function house(fail: (id: string, tries: number) => unknown) {
  const done: string[] = [];
  const tried: string[] = [];
  const aside: SetAside[] = [];
  const stop = new AbortController();
  const subscriber: Subscriber = {
    from: 'now',
    name: 'one',
    on: {
      [TOPIC]: async ({ id }) => {
        tried.push(id);
        const error = fail(id, tried.filter((one) => one === id).length);
        if (error !== undefined) throw error;
        done.push(id);
      },
    },
    plan: { ...RETRY_PLAN, pausesMs: [1], triesMax: 3 },
  };
  const tools = {
    clock: systemClock,
    faulty: new Set<string>(),
    onFailed: () => {},
    onPoint: () => {},
    onSetAside: (record: SetAside) => void aside.push(record),
    signal: stop.signal,
    store: {
      dropSetAside: async () => false,
      findSetAside: async () => undefined,
      findWanted: async () => [],
      listSetAside: async () => [],
      retrySetAside: async () => false,
      setAside: async () => {},
    },
    subscriber,
  };
  return { aside, done, stop, tools, tried };
}

const FAULT = new TypeError('no such thing');

describe('events of one partition', () => {
  /** The subscriber takes up to three together; `fail` says which run of ids fails. */
  function together(fail: (ids: readonly string[]) => boolean) {
    const one = house((id) => (id === 'bad' ? FAULT : undefined));
    const runs: string[][] = [];
    const subscriber: Subscriber = {
      ...one.tools.subscriber,
      together: {
        [TOPIC]: {
          handle: async (events) => {
            const ids = events.map(({ id }) => id);
            runs.push(ids);
            if (fail(ids)) throw FAULT;
            one.done.push(...ids);
          },
          max: 3,
        },
      },
    };
    return { ...one, runs, tools: { ...one.tools, subscriber } };
  }

  test('go together in their order, up to so many, and not past another topic', async () => {
    const { done, runs, tools, tried } = together(() => false);
    const other = { ...event('p', 'other'), topic: 'service.sanctions.lists.updated' as const };
    const ids = ['1', '2', '3', '4', '5'].map((id) => event('p', id));
    await handleEvents(tools, [...ids, other, event('p', '6'), event('q', '7')]);
    expect(runs).toEqual([
      ['1', '2', '3'],
      ['4', '5'],
    ]);
    expect(done).toEqual(['1', '2', '3', '4', '5', '6', '7']);
    expect(tried).toEqual(['6', '7']);
  });

  test('go alone where one of them fails, and that one is set aside', async () => {
    const { aside, done, runs, tools } = together((ids) => ids.includes('bad'));
    await handleEvents(
      tools,
      ['1', 'bad', '2', '3', '4'].map((id) => event('p', id)),
    );
    expect(done).toEqual(['1', '2', '3', '4']);
    expect(aside.map(({ event: { id } }) => id)).toEqual(['bad']);
    expect(runs).toEqual([
      ['1', 'bad', '2'],
      ['2', '3', '4'],
    ]);
  });

  test('are begun one by one while each is noted', async () => {
    const { runs, tools, tried } = together(() => false);
    const begun: string[] = [];
    const begin = async (id: string) => begun.push(id);
    await handleEvents({ ...tools, begin }, [event('p', '1'), event('p', '2')]);
    expect([runs, tried, begun]).toEqual([[], ['1', '2'], ['1', '2']]);
  });
});

test('several partitions are worked on at once, and no more than allowed', async () => {
  const { tools } = house(() => undefined);
  let [running, most] = [0, 0];
  const gate = Promise.withResolvers<void>();
  const on = {
    [TOPIC]: async () => {
      running += 1;
      most = Math.max(most, running);
      if (running === 2) gate.resolve();
      await gate.promise;
      running -= 1;
    },
  };
  const subscriber = { ...tools.subscriber, on, partitionsAtOnce: 2 };
  await handleEvents(
    { ...tools, subscriber },
    ['p', 'q', 'r', 'p'].map((partition, at) => event(partition, `${at}`)),
  );
  expect(most).toBe(2);
});

describe('a batch', () => {
  test('is handled in the order of each partition; other topics are done', async () => {
    const { done, tools } = house(() => undefined);
    const other = { ...event('p', 'other'), topic: 'service.sanctions.lists.updated' as const };
    await handleEvents(tools, [event('p', '1'), other, event('q', '2'), event('p', '3')]);
    expect(done).toEqual(['1', '3', '2']);
  });

  test('goes on in other partitions while one waits for its retry', async () => {
    const { aside, done, tools } = house((id, tries) =>
      id === 'p1' && tries < 3 ? FAULT : undefined,
    );
    const all = [event('p', 'p1'), event('q', 'q1'), event('p', 'p2'), event('q', 'q2')];
    await handleEvents(tools, all);
    expect(done).toEqual(['q1', 'q2', 'p1', 'p2']);
    expect(aside).toEqual([]);
  });

  test('sets an event aside after its last try, and its partition goes on', async () => {
    const { aside, done, tools, tried } = house((id) => (id === 'p1' ? FAULT : undefined));
    await handleEvents(tools, [event('p', 'p1'), event('p', 'p2')]);
    expect(tried).toEqual(['p1', 'p1', 'p1', 'p2']);
    expect(done).toEqual(['p2']);
    expect(aside).toEqual([
      {
        at: expect.any(Number),
        code: 'TypeError',
        event: event('p', 'p1'),
        subscriber: 'one',
        tries: 3,
      },
    ]);
  });

  test('gives one try to what follows an event that was set aside, until one is done', async () => {
    const { aside, tools, tried } = house((id) => (id === 'p4' ? undefined : FAULT));
    await handleEvents(tools, [event('p', 'p1'), event('p', 'p2')]);
    await handleEvents(tools, [event('p', 'p3'), event('p', 'p4'), event('p', 'p5')]);
    expect(aside.map(({ event: { id }, tries }) => [id, tries])).toEqual([
      ['p1', 3],
      ['p2', 1],
      ['p3', 1],
      ['p5', 3],
    ]);
    expect(tried).toHaveLength(3 + 1 + 1 + 1 + 3);
  });

  test('counts no try while the store is away', async () => {
    const { aside, done, tools } = house((_, tries) =>
      tries === 1 ? new DomainError('store-unavailable') : undefined,
    );
    const plan = { ...RETRY_PLAN, pausesMs: [1], triesMax: 1 };
    await handleEvents({ ...tools, subscriber: { ...tools.subscriber, plan } }, [event('p', 'p1')]);
    expect([done, aside]).toEqual([['p1'], []]);
  });

  test('stops between two events once the signal fires', async () => {
    const { done, stop, tools } = house((id) => {
      if (id === '2') stop.abort(new Error('stopped'));
      return undefined;
    });
    const all = [event('p', '1'), event('p', '2'), event('p', '3')];
    await expect(handleEvents(tools, all)).rejects.toThrow('stopped');
    expect(done).toEqual(['1', '2']);
  });

  test('sets aside without a try what several workers began last', async () => {
    const { aside, done, tools } = house(() => undefined);
    const begin = async (id: string) => (id === 'p1' ? 4 : 1);
    await handleEvents({ ...tools, begin }, [event('p', 'p1'), event('p', 'p2')]);
    expect(done).toEqual(['p2']);
    expect(aside).toMatchObject([{ code: 'worker-lost', tries: 3 }]);
  });
});

test.each([
  [new DomainError('list-damaged', { detail: 'Jane Doe' }), 'list-damaged'],
  [Object.assign(new Error('/home/jane'), { code: 'ENOENT' }), 'ENOENT'],
  [new RangeError('Jane Doe'), 'RangeError'],
  ['Jane Doe', 'string'],
])('a failure is known by a code that tells nothing of anybody: %s', (error, code) => {
  expect(codeOf(error)).toBe(code);
});

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
      listSetAside: async () => [],
      retrySetAside: async () => false,
      setAside: async () => {},
    },
    subscriber,
  };
  return { aside, done, stop, tools, tried };
}

const FAULT = new TypeError('no such thing');

describe('a batch', () => {
  test('is handled in its order, and topics that nobody handles are done', async () => {
    const { done, tools } = house(() => undefined);
    const other = { ...event('p', 'other'), topic: 'service.sanctions.lists.updated' as const };
    await handleEvents(tools, [event('p', '1'), other, event('q', '2'), event('p', '3')]);
    expect(done).toEqual(['1', '2', '3']);
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

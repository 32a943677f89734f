/**
 * Threads: same answers on one or several, bounded queue, deadlines, release, and a thread that
 * dies.
 */
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { syntheticEntities } from '../../bench/names.ts';
import { noisyQueries } from '../../bench/noise.ts';
import { sharedMonotonicMs } from '../../src/engine/deadline.ts';
import { buildSnapshot, createEngine, type Engine } from '../../src/engine/index.ts';
import { BLOCK } from '../../src/engine/messages.ts';
import { Pool } from '../../src/engine/pool.ts';
import { SETTINGS } from './fixtures.ts';
import { type GatedPool, gatedPool } from './gatedPool.ts';
import { ENDLESS } from './gatedThread.ts';

const entities = syntheticEntities(800);
const snapshot = buildSnapshot(entities);
const queries = noisyQueries(entities, 60).map(({ raw }) => raw);
const opened: Engine[] = [];

function open(threads: number, queueMax = 1_000): Engine {
  const engine = createEngine({ threads, queueMax });
  opened.push(engine);
  return engine;
}

afterAll(async () => {
  await Promise.all(opened.map((engine) => engine.close()));
});

async function answers(threads: number): Promise<string[]> {
  const engine = open(threads);
  const index = engine.load(snapshot);
  const found = await Promise.all(
    queries.map((raw) =>
      engine.screen({
        query: raw,
        indexes: [index],
        settings: SETTINGS,
        deadlineMs: 60_000,
      }),
    ),
  );
  index.release();
  return found.map((answer) => JSON.stringify(answer));
}

describe('engine threads', () => {
  test('answers are the same bytes on the caller, one thread and three', async () => {
    const [inline, one, three] = await Promise.all([answers(0), answers(1), answers(3)]);
    expect(one).toEqual(inline);
    expect(three).toEqual(inline);
  });

  test('threads that rest start with the first query', async () => {
    const threadsNow = () => (process.report.getReport() as { workers: unknown[] }).workers.length;
    const before = threadsNow();
    const engine = createEngine({ queueMax: 10, threads: 1, threadsRest: true });
    opened.push(engine);
    const index = engine.load(snapshot);
    expect(threadsNow()).toBe(before);
    const [query] = queries;
    if (query === undefined) throw new Error('there are queries');
    const ask = { deadlineMs: 60_000, indexes: [index], query, settings: SETTINGS };
    const answer = await engine.screen(ask);
    expect(threadsNow()).toBe(before + 1);
    const inline = open(0);
    const same = await inline.screen({ ...ask, indexes: [inline.load(snapshot)] });
    expect(JSON.stringify(answer)).toBe(JSON.stringify(same));
  });

  test('several lists answer as one: by score, then id, whichever list comes first', async () => {
    const engine = open(1);
    const half = (odd: number) =>
      engine.load(buildSnapshot(entities.filter((_, at) => at % 2 === odd)));
    const [whole, even, odd] = [engine.load(snapshot), half(0), half(1)];
    for (const raw of queries.slice(0, 20)) {
      const ask = { query: raw, settings: SETTINGS, deadlineMs: 60_000 };
      const ids = async (indexes: (typeof whole)[]) =>
        (await engine.screen({ ...ask, indexes })).candidates
          .filter(({ directScore }) => directScore >= 0.7)
          .map(({ id, finalScore }) => `${id} ${finalScore}`);
      const expected = await ids([whole]);
      expect(await ids([even, odd])).toEqual(expected);
      expect(await ids([odd, even])).toEqual(expected);
    }
  });

  test('a full queue refuses at once with engine-queue-full', async () => {
    const engine = open(1, 4);
    const index = engine.load(snapshot);
    const call = {
      query: { name: 'Mohammed Ali', transliterations: [] },
      indexes: [index],
      settings: SETTINGS,
      deadlineMs: 60_000,
    };
    const outcomes = await Promise.allSettled([1, 2, 3].map(() => engine.screen(call)));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
    expect(outcomes[2]).toMatchObject({ reason: { code: 'engine-queue-full' } });
    expect((await engine.screen(call)).candidates.length).toBeGreaterThan(0);
  });

  test('a query without time left is refused with deadline-exceeded', async () => {
    const engine = open(1);
    const index = engine.load(snapshot);
    const query = { name: 'Mohammed Ali', transliterations: [] };
    const ask = { query, indexes: [index], settings: SETTINGS };
    await expect(engine.screen({ ...ask, deadlineMs: 0 })).rejects.toMatchObject({
      code: 'deadline-exceeded',
    });
  });

  test.for([0, 1] as const)(
    'a query that runs ends when its time is over, on %i threads',
    async (threads) => {
      const engine = open(threads);
      const index = engine.load(snapshot);
      const name = 'mohammed ali ahmed hassan '.repeat(20).slice(0, 512);
      const transliterations = Array.from({ length: 20 }, (_, at) => `${name.slice(at)} x${at}`);
      const indexes = Array.from({ length: 10 }, () => index);
      const ask = { query: { name, transliterations }, settings: SETTINGS };
      const whole = await engine.screen({ ...ask, indexes, deadlineMs: 60_000 });
      const late = await engine.screen({ ...ask, indexes, deadlineMs: 5 }).then(
        () => undefined,
        (error: unknown) => error,
      );
      expect(late).toMatchObject({ code: 'deadline-exceeded' });
      // Nothing of it is left behind.
      expect(await engine.screen({ ...ask, indexes, deadlineMs: 60_000 })).toEqual(whole);
    },
  );

  test('a released index serves the queries that have it, and no later one', async () => {
    const engine = open(2);
    const index = engine.load(snapshot);
    const query = { name: 'Mohammed Ali', transliterations: [] };
    const ask = { query, indexes: [index], settings: SETTINGS, deadlineMs: 60_000 };
    const running = Array.from({ length: 40 }, () => engine.screen(ask));
    index.release();
    index.release();
    await expect(Promise.all(running)).resolves.toHaveLength(40);
    await expect(engine.screen(ask)).rejects.toThrow(/released/);
  });

  test('unknown re-ranker versions and impossible sizes are refused', async () => {
    const engine = open(0);
    const index = engine.load(snapshot);
    const query = { name: 'Mohammed Ali', transliterations: [] };
    const screen = (change: object) =>
      engine.screen({
        query,
        indexes: [index],
        settings: { ...SETTINGS, ...change },
        deadlineMs: 9,
      });
    await expect(screen({ version: '9.0.0' })).rejects.toThrow(/re-ranker/);
    await expect(screen({ version: 'toString' })).rejects.toThrow(/re-ranker/);
    await expect(screen({ topN: 151 })).rejects.toThrow(/topN/);
  });

  test('a query without names finds nothing and harms nothing', async () => {
    const engine = open(1);
    const index = engine.load(snapshot);
    const query = { name: '...', transliterations: [] };
    const ask = { query, indexes: [index], settings: SETTINGS, deadlineMs: 60_000 };
    expect(await engine.screen({ ...ask, query: { ...query, dob: '1970-01-01' } })).toEqual({
      candidates: [],
      query: { dob: '1970-01-01', names: [], variants: [] },
      truncated: false,
    });
  });
});

test('of releases in a row, idle threads are told to the last', async () => {
  const told = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
  let inUse = 4;
  const pool = new Pool({
    indexes: () => Array.from({ length: inUse }, (_, number) => ({ buffer: told.buffer, number })),
    queueMax: 100,
    threadUrl: new URL('./tellingThread.ts', import.meta.url),
    threads: told.length,
  });
  for (; inUse > 1; inUse--) {
    pool.forget();
    await Promise.resolve();
  }
  pool.forget();
  await vi.waitFor(() => expect([...told]).toEqual([1, 1]), { interval: 5, timeout: 20_000 });
  await pool.close();
});

describe('callers that share a thread', () => {
  const pools: GatedPool[] = [];
  const opened = (queueMax?: number): GatedPool => {
    const gated = gatedPool(queueMax);
    pools.push(gated);
    return gated;
  };
  afterEach(async () => {
    for (const { open, pool } of pools.splice(0)) {
      open();
      await pool.close();
    }
  });

  test('take turns: one query waits for one of each other caller', async () => {
    const { open, screen, untilBegun } = opened();
    const first = screen('first', { turn: 'a' });
    await untilBegun(1);
    const backlog = Array.from({ length: 100 }, () => screen('backlog', { turn: 'a' }));
    const others = ['b', 'c'].map((turn) => screen('other', { turn }));
    open();
    expect(await first).toBe(0);
    // One of caller a comes before them, in the same batch.
    expect(await Promise.all(others)).toEqual([2, 3]);
    expect((await Promise.all(backlog)).at(-1)).toBe(102);
  });

  test('have room beside one that sends without end', async () => {
    const { open, screen, untilBegun } = opened(10);
    const first = screen('first', { turn: 'a' });
    await untilBegun(1);
    const flood = Promise.allSettled(
      Array.from({ length: 50 }, () => screen('flood', { turn: 'a' })),
    );
    const other = screen('other', { turn: 'b' });
    open();
    expect(await other).toBe(2);
    expect(await first).toBe(0);
    const refused = (await flood).filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(45);
    for (const one of refused) expect(one).toMatchObject({ reason: { code: 'engine-queue-full' } });
  });

  test('who leaves is not served: what waits never begins, and its place is free', async () => {
    const { begun, open, screen, untilBegun } = opened(2);
    const first = screen('first');
    await untilBegun(1);
    const leaving = new AbortController();
    const dropped = screen('dropped', { signal: leaving.signal });
    await expect(screen('no room')).rejects.toMatchObject({ code: 'engine-queue-full' });
    leaving.abort();
    await expect(dropped).rejects.toMatchObject({ code: 'caller-gone' });
    const next = screen('next');
    open();
    expect([await first, await next, begun()]).toEqual([0, 1, 2]);
    const gone = screen('gone before', { signal: leaving.signal });
    await expect(gone).rejects.toMatchObject({ code: 'caller-gone' });
    expect(begun()).toBe(2);
  });

  test('who leaves a query that runs ends it', async () => {
    const { open, screen, untilBegun } = opened();
    const leaving = new AbortController();
    const endless = screen(ENDLESS, { signal: leaving.signal });
    await untilBegun(1);
    open();
    leaving.abort();
    await expect(endless).rejects.toMatchObject({ code: 'caller-gone' });
    expect(await screen('next')).toBe(1);
  });

  test('are told in time that it is over, though no thread is free', async () => {
    const { begun, screen, untilBegun } = opened();
    const first = screen('first');
    await untilBegun(1);
    await expect(screen('late', { deadlineMs: 1 })).rejects.toMatchObject({
      code: 'deadline-exceeded',
    });
    expect(begun()).toBe(1);
    void first.catch(() => undefined);
  });
});

test('a long query holds up no other one, though there is one thread', async () => {
  const engine = open(1);
  const index = engine.load(snapshot);
  const ended: string[] = [];
  const screen = async (name: string, transliterations: string[], lists: number) => {
    const indexes = Array.from({ length: lists }, () => index);
    const query = { name, transliterations };
    await engine.screen({ query, indexes, settings: SETTINGS, deadlineMs: 60_000 });
    ended.push(name.slice(0, 8));
  };
  const name = 'mohammed ali ahmed hassan '.repeat(20).slice(0, 512);
  const spellings = Array.from({ length: 20 }, (_, at) => `${name.slice(at)} x${at}`);
  const long = screen(name, spellings, 30);
  for (let at = 0; at < 5; at++) await screen(`short ${at}`, [], 1);
  await long;
  expect(ended).toEqual(['short 0', 'short 1', 'short 2', 'short 3', 'short 4', 'mohammed']);
});

describe('a thread that dies', () => {
  test('fails the query that killed it and no other', async () => {
    const pool = new Pool({
      threads: 2,
      queueMax: 100,
      indexes: () => [{ number: 1, buffer: snapshot }],
      threadUrl: new URL('./lethalThread.ts', import.meta.url),
    });
    const names = ['mohammed ali', 'lethal', 'john smith', 'wei chen', 'olga sen', 'reza dor'];
    const outcomes = await Promise.allSettled(
      names.map((name) =>
        pool.run(
          {
            task: {
              query: { names: [name], variants: [] },
              settings: SETTINGS,
              indexes: [1],
              expiresAt: sharedMonotonicMs() + 60_000,
            },
            turn: '',
          },
          (_, block) => block[BLOCK.count],
        ),
      ),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(
      names.map((name) => (name === 'lethal' ? 'rejected' : 'fulfilled')),
    );
    await pool.close();
  });
});

describe('hostile queries', () => {
  test.for([
    ['512 initials', 'a b '.repeat(256)],
    ['one token of 512 letters', 'ab'.repeat(256)],
    ['512 code points of Arabic', 'محمد بن علي '.repeat(43)],
    ['all digits', '1 2 3 4 5 '.repeat(50)],
    ['common tokens', 'mohammed ali ahmed hassan '.repeat(20)],
    ['astral letters', '𐌰𐌱𐌲 '.repeat(120)],
  ] as const)('%s end in time', async ([, name]) => {
    const engine = open(0);
    const index = engine.load(snapshot);
    const transliterations = Array.from({ length: 20 }, (_, at) => `${name.slice(at)} x${at}`);
    const startedAt = performance.now();
    await engine.screen({
      query: { name, transliterations },
      indexes: [index],
      settings: SETTINGS,
      deadlineMs: 60_000,
    });
    expect(performance.now() - startedAt).toBeLessThan(3_000);
  });
});

/** Threads that screen chunks: slots, death, being given up, and what they are told of indexes. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { WorkLost } from '#core/work';
import { buildSnapshot, IndexShelf, type LoadedIndex } from '#engine';
import type { Batch, ChunkRest, ChunkWork } from '#slices/batches';
import { ChunkPool } from '../../../src/app/adapters/chunkPool.ts';
import { entity } from '../../engine/fixtures.ts';
import { type RecordedPart, type Script, TaskRecord } from './scriptedThread.ts';

interface Ask {
  readonly index?: LoadedIndex;
  readonly signal?: AbortSignal;
}

/** Threads that do as they are told, over a shelf that tells them of releases as the product's. */
class House {
  readonly record = new TaskRecord();
  readonly shelf: IndexShelf;
  readonly pool: ChunkPool<LoadedIndex, RecordedPart>;
  /** In use all the time. */
  readonly kept: LoadedIndex;

  constructor(threads: number) {
    const shelf = new IndexShelf({
      onUnused: () => this.pool.forget(),
      slots: threads,
    });
    this.shelf = shelf;
    this.pool = new ChunkPool({
      niceIncrement: 0,
      shelf: {
        numbersOf: (index) => shelf.numbersOf(index),
        parts: () => shelf.parts().map(({ number }) => ({ number, record: this.record.cells })),
        using: (indexes, use) => shelf.using(indexes, use),
      },
      threads,
      threadUrl: new URL('./scriptedThread.ts', import.meta.url),
    });
    this.kept = this.load('kept');
  }

  /** None shares its memory with another. */
  load(id: string): LoadedIndex {
    return this.shelf.load(buildSnapshot([entity({ id })]));
  }

  screen(name: Script, { index = this.kept, signal }: Ask = {}): Promise<ChunkRest | ChunkWork> {
    return this.pool.screen(
      {
        batch: { name } as Batch,
        chunk: { chunkNo: 0, input: '', subjects: 0 },
        input: new Uint8Array(),
        lists: [{ index, source: 'DEMO' }],
      },
      signal ?? new AbortController().signal,
    );
  }

  async begun(count: number): Promise<void> {
    await vi.waitUntil(() => this.record.begun >= count, { interval: 1, timeout: 20_000 });
  }

  /** Every thread has started and had a chunk. */
  async warm(): Promise<void> {
    const chunks = Array.from({ length: this.pool.atOnce }, () => this.screen('waiting'));
    await this.begun(chunks.length);
    this.record.permit(chunks.length);
    await Promise.all(chunks);
  }

  /** Each thread was told last that nothing but `kept` is in use. */
  async told(): Promise<void> {
    const kept = JSON.stringify(this.shelf.numbersOf(this.kept));
    const isTold = (): boolean => {
      const last = new Map(this.record.tasks().map(({ numbers, thread }) => [thread, numbers]));
      const told = [...last.values()].filter((numbers) => JSON.stringify(numbers) === kept);
      return told.length === this.pool.atOnce;
    };
    await vi.waitUntil(isTold, { interval: 2, timeout: 20_000 });
  }
}

const opened: House[] = [];

function open(threads: number): House {
  const house = new House(threads);
  opened.push(house);
  return house;
}

afterEach(async () => {
  await Promise.all(opened.splice(0).map(({ pool }) => pool.close()));
});

test.each([
  ['kills its thread', 'lethal', /exited with code: 1/],
  ['throws', 'faulty', /nobody expected this/],
] as const)(
  'a chunk that %s fails alone, and its slot is free again',
  async (_, script, message) => {
    const house = open(2);
    const { record } = house;
    const beside = house.screen('waiting');
    await house.begun(1);
    for (let death = 0; death < 3; death++) {
      await expect(house.screen(script)).rejects.toThrow(message);
    }
    record.permit(1);
    await expect(beside).resolves.toMatchObject({ merkleRoot: 'root' });
    const next = [house.screen('waiting'), house.screen('waiting')];
    await house.begun(6);
    expect(record.users(2)).toEqual([1, 1]);
    record.permit(2);
    await expect(Promise.all(next)).resolves.toHaveLength(2);
    expect(record.clashes).toBe(0);
  },
);

test('a chunk that nobody waits for ends with WorkLost, and its thread works on', async () => {
  const house = open(1);
  const { signal, ...given } = abortable();
  const chunk = house.screen('waiting', { signal });
  await house.begun(1);
  given.up();
  await expect(chunk).rejects.toThrow(new WorkLost('the chunk was given up'));
  await expect(house.screen('done')).resolves.toMatchObject({ merkleRoot: 'root' });
  const threads = house.record.tasks().map(({ thread }) => thread);
  expect(new Set(threads).size).toBe(1);
});

test('a chunk that is given up while it waits for a slot ends at once, in no thread', async () => {
  const house = open(1);
  const { signal, ...given } = abortable();
  const first = house.screen('waiting');
  const second = house.screen('done', { signal });
  const third = house.screen('done');
  await house.begun(1);
  given.up();
  await expect(second).rejects.toThrow(new WorkLost('the worker stops'));
  await expect(house.screen('done', { signal })).rejects.toThrow('the worker stops');
  house.record.permit(1);
  await expect(Promise.all([first, third])).resolves.toHaveLength(2);
  expect(house.record.begun).toBe(2);
});

test('chunks beyond the threads wait, and no two tasks hold a slot at once', async () => {
  const house = open(3);
  const { pool, record } = house;
  await house.warm();
  // What comes while idle threads are told waits, too.
  pool.forget();
  const chunks = Array.from({ length: 9 }, () => house.screen('waiting'));
  await house.begun(9);
  for (let ended = 0; ended <= 6; ended++) {
    await house.begun(9 + ended);
    expect([record.begun, record.users(4)]).toEqual([9 + ended, [1, 1, 1, 0]]);
    pool.forget();
    await nextTurn();
    record.permit(1);
  }
  record.permit(2);
  await expect(Promise.all(chunks)).resolves.toHaveLength(9);
  expect(record.clashes).toBe(0);
  expect(
    record
      .tasks()
      .slice(0, 15)
      .map(({ isChunk }) => isChunk),
  ).toEqual([true, true, true, false, false, false, ...chunks.map(() => true)]);
});

test('a release is told to idle threads, and to a busy one once it is idle', async () => {
  const house = open(3);
  await house.warm();
  const gone = house.load('gone');
  const all = house.shelf.parts().map(({ number }) => number);
  const busy = house.screen('waiting');
  await house.begun(4);
  gone.release();
  await house.begun(6);
  const [chunk, ...tellings] = house.record.tasks().slice(3);
  expect(chunk).toMatchObject({ isChunk: true, numbers: all });
  expect(tellings).toHaveLength(2);
  for (const { isChunk, numbers } of tellings) {
    expect([isChunk, numbers]).toEqual([false, house.shelf.numbersOf(house.kept)]);
  }
  const used = [chunk, ...tellings];
  expect(new Set(used.map((task) => task?.thread)).size).toBe(3);
  expect(new Set(used.map((task) => task?.slot)).size).toBe(3);
  house.record.permit(1);
  await busy;
  await house.told();
});

test('of releases in a row, idle threads are told to the last', async () => {
  const house = open(2);
  await house.warm();
  const gone = ['a', 'b', 'c'].map((id) => house.load(id));
  for (const index of gone) index.release();
  await house.told();
});

test('nothing starts again after close', async () => {
  const house = open(1);
  await house.warm();
  await house.pool.close();
  await expect(house.screen('done')).rejects.toThrow('closed');
  house.load('gone').release();
  await nextTurn();
  expect(house.record.begun).toBe(1);
});

test('close fails what is under way and what waits for a slot', async () => {
  const house = open(2);
  const chunks = Array.from({ length: 5 }, () => house.screen('stubborn'));
  const settled = Promise.allSettled(chunks);
  await house.begun(2);
  await house.pool.close();
  expect((await settled).map(({ status }) => status)).toEqual(chunks.map(() => 'rejected'));
  expect(house.record.begun).toBe(2);
});

test.each([
  ['answers', 'stubborn', undefined],
  ['was given up', 'stubborn', 'the chunk was given up'],
  ['dies', 'stubbornLethal', 'exited with code: 1'],
] as const)('indexes are held until a thread that %s is done', async (_, script, failure) => {
  const house = open(1);
  const { signal, ...given } = abortable();
  const gone = house.load('gone');
  const chunk = house.screen(script, { index: gone, signal });
  const ended = chunk.then(
    () => undefined,
    (error: Error) => error.message,
  );
  await house.begun(1);
  const bytes = house.shelf.bytesHeld;
  gone.release();
  if (failure === 'the chunk was given up') given.up();
  await nextTurn();
  expect(house.shelf.bytesHeld).toBe(bytes);
  house.record.permit(1);
  expect(await ended).toEqual(failure && expect.stringContaining(failure));
  expect(house.shelf.bytesHeld).toBe(house.kept.bytes);
});

/** As a lease that was lost. */
function abortable() {
  const controller = new AbortController();
  return {
    signal: controller.signal,
    up: () => controller.abort(new WorkLost('the worker stops')),
  };
}

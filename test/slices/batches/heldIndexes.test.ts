/** Indexes in memory: one of each, no more idle ones than agreed, none released that is in use. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { HeldIndexes } from '../../../src/slices/batches/heldIndexes.ts';

const loaded: string[] = [];
const released: string[] = [];
const bounds = { idleBytesMax: 25, idleIndexesMax: 3, idleMs: 1_000 };

beforeEach(() => {
  vi.useFakeTimers();
  loaded.length = 0;
  released.length = 0;
});
afterEach(() => vi.useRealTimers());

const ask = (key: string) => ({
  key,
  load: async () => {
    loaded.push(key);
    return { bytes: 10, name: key, release: () => released.push(key) };
  },
});
type Fake = Awaited<ReturnType<ReturnType<typeof ask>['load']>>;
const open = (of = bounds) => new HeldIndexes<Fake & { release(): void }>(of);

test('an idle index is there for its time, and is used again within it', async () => {
  const held = open();
  (await held.hold([ask('a')])).release();
  vi.advanceTimersByTime(900);
  const again = await held.hold([ask('a')]);
  vi.advanceTimersByTime(5_000);
  expect([loaded, released]).toEqual([['a'], []]);
  again.release();
  vi.advanceTimersByTime(1_000);
  expect(released).toEqual(['a']);
});

test('the longest idle ones make room for another one, never what is wanted', async () => {
  const held = open();
  (await held.hold([ask('a'), ask('b'), ask('c')])).release();
  expect(released).toEqual([]);
  const next = await held.hold([ask('d'), ask('a')]);
  expect(next.indexes.map((index) => index?.name)).toEqual(['d', 'a']);
  expect([loaded, released]).toEqual([['a', 'b', 'c', 'd'], []]);
  next.release();
  (await held.hold([ask('e')])).release();
  expect(released).toEqual(['b', 'c']);
});

test('what could not be loaded holds nothing and is tried again', async () => {
  const held = open();
  const broken = { key: 'b', load: () => Promise.reject(new Error('no')) };
  await expect(held.hold([ask('a'), broken])).rejects.toThrow('no');
  vi.advanceTimersByTime(1_000);
  expect(released).toEqual(['a']);
  const next = await held.hold([ask('b')]);
  next.release();
  next.release();
  expect(loaded).toEqual(['a', 'b']);
});

test('nothing to screen against is remembered too', async () => {
  const held = open();
  let asked = 0;
  const none = {
    key: 'n',
    load: async () => {
      asked++;
      return undefined;
    },
  };
  const both = await held.hold([none, none]);
  expect(both.indexes).toEqual([undefined, undefined]);
  both.release();
  (await held.hold([none])).release();
  expect(asked).toBe(1);
});

test('closed, it lets go what is idle at once and the rest when it is given back', async () => {
  const held = open();
  (await held.hold([ask('a')])).release();
  const used = await held.hold([ask('b')]);
  held.close();
  expect(released).toEqual(['a']);
  used.release();
  expect(released).toEqual(['a', 'b']);
});

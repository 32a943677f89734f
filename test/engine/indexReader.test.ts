/**
 * Lists that one thread holds and another one reads: the same answers as the engine's own threads
 * give, and no index goes while it is used, or stays once it is not.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { syntheticEntities } from '../../bench/names.ts';
import { noisyQueries } from '../../bench/noise.ts';
import {
  buildOverlay,
  buildSnapshot,
  createEngine,
  IndexReader,
  IndexShelf,
  type LoadedIndex,
  type RawQuery,
  type ScorerSettings,
  type Screener,
} from '../../src/engine/index.ts';
import { SETTINGS } from './fixtures.ts';

const SLOTS = 2;
const entities = syntheticEntities(600, 5);
const queries = noisyQueries(entities, 40).map(({ raw }) => raw);
const third = (rest: number) => entities.filter((_, at) => at % 3 === rest);
const [plain, base, other] = [third(0), third(1), third(2)].map((part) => buildSnapshot(part)) as [
  SharedArrayBuffer,
  SharedArrayBuffer,
  SharedArrayBuffer,
];
const overlay = buildOverlay({
  base,
  changed: third(1)
    .slice(0, 60)
    .map((entity, at) => ({ ...entity, card: `changed ${at}`, names: entity.names.slice(0, 1) })),
  removed: third(1)
    .slice(60, 90)
    .map(({ id }) => id),
});

/** Lists as they are loaded, by the engine or onto a shelf. */
const LISTS: readonly (readonly [string, readonly (readonly SharedArrayBuffer[])[]])[] = [
  ['one list', [[plain]]],
  ['a list and its overlay', [[base, overlay]]],
  ['several lists, an overlay among them', [[plain], [base, overlay], [other]]],
  ['a list twice', [[plain], [plain]]],
  ['no list', []],
];
const ASKED: readonly Partial<ScorerSettings>[] = [
  {},
  { answerScoreMin: 0.6, directScoreMin: 0.6, missingAttributes: 'zero', topN: 3 },
];

const engine = createEngine({ queueMax: 1_000, threads: 1 });
afterAll(() => engine.close());

const call = <Index>(indexes: readonly Index[], settings: Partial<ScorerSettings> = {}) => ({
  deadlineMs: 60_000,
  indexes,
  settings: { ...SETTINGS, ...settings },
});

/** Byte for byte. */
function answers<Index>(
  screener: Screener<Index>,
  asked: ReturnType<typeof call<Index>>,
): Promise<string[]> {
  const answer = async (raw: RawQuery) =>
    JSON.stringify(await screener.screen({ ...asked, query: raw }));
  return Promise.all(queries.map(answer));
}

/** Counts how often an index has gone. */
function openShelf() {
  const gone = { count: 0 };
  const onUnused = () => {
    gone.count++;
  };
  return { gone, shelf: new IndexShelf({ onUnused, slots: SLOTS }) };
}

const load = (holder: Pick<IndexShelf, 'load'>, lists: readonly (readonly SharedArrayBuffer[])[]) =>
  lists.map(([snapshot, change]) => holder.load(snapshot as SharedArrayBuffer, change));

describe('a reader', () => {
  test.each(LISTS)('of %s answers as the engine does, from whichever slot', async (_, lists) => {
    const { shelf } = openShelf();
    const known = load(engine, lists);
    const indexes = load(shelf, lists).map((index) => shelf.numbersOf(index));
    const readers = Array.from({ length: SLOTS }, (_, slot) => {
      const reader = new IndexReader();
      reader.use({ inUse: shelf.parts(), slot });
      return reader;
    });
    for (const settings of ASKED) {
      const expected = await answers(engine, call(known, settings));
      expect(expected.some((answer) => answer.includes('"id"'))).toBe(lists.length > 0);
      for (const reader of readers) {
        expect(await answers(reader, call(indexes, settings))).toEqual(expected);
      }
    }
    for (const index of known) index.release();
  });

  test('lets go of what is released with its next use, and not before', async () => {
    const { shelf } = openShelf();
    const [kept, gone] = load(shelf, [[plain], [base, overlay]]) as [LoadedIndex, LoadedIndex];
    const [keptNumbers, goneNumbers] = [shelf.numbersOf(kept), shelf.numbersOf(gone)];
    const reader = new IndexReader();
    reader.use({ inUse: shelf.parts(), slot: 0 });
    const [before, stays] = [
      await answers(reader, call([goneNumbers])),
      await answers(reader, call([keptNumbers])),
    ];
    gone.release();
    expect(await answers(reader, call([goneNumbers]))).toEqual(before);
    expect(shelf.parts().map(({ number }) => number)).toEqual(keptNumbers);
    reader.use({ inUse: shelf.parts(), slot: 0 });
    await expect(answers(reader, call([goneNumbers]))).rejects.toThrow(/in use and therefore open/);
    expect(await answers(reader, call([keptNumbers]))).toEqual(stays);
    // Its number is never another's.
    const [next] = load(shelf, [[base, overlay]]) as [LoadedIndex];
    expect(shelf.numbersOf(next).some((number) => goneNumbers.includes(number))).toBe(false);
    reader.use({ inUse: shelf.parts(), slot: 0 });
    expect(await answers(reader, call([shelf.numbersOf(next)]))).toEqual(before);
  });

  test('holds no memory of what it let go, even where no query comes', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const { shelf } = openShelf();
    load(shelf, [[plain]]);
    const reader = new IndexReader();
    const held = await (async () => {
      const [gone] = load(shelf, [[buildSnapshot(third(2))]]) as [LoadedIndex];
      reader.use({ inUse: shelf.parts(), slot: 0 });
      await answers(reader, call([shelf.numbersOf(gone)]));
      const memory = new WeakRef(shelf.parts().at(-1)?.buffer ?? plain);
      gone.release();
      return memory;
    })();
    reader.use({ inUse: shelf.parts(), slot: 0 });
    await vi.waitFor(
      () => {
        collect();
        expect(held.deref() === undefined).toBe(true);
      },
      { timeout: 20_000 },
    );
  });

  test('refuses what the engine refuses', async () => {
    const { shelf } = openShelf();
    const indexes = load(shelf, [[plain]]).map((index) => shelf.numbersOf(index));
    const reader = new IndexReader();
    reader.use({ inUse: shelf.parts(), slot: 0 });
    const deadline = { code: 'deadline-exceeded' };
    for (const deadlineMs of [0, -1]) {
      const asked = answers(reader, { ...call(indexes), deadlineMs });
      await expect(asked).rejects.toMatchObject(deadline);
    }
    // One that passes while the query runs.
    const asked = answers(reader, { ...call(indexes), deadlineMs: Number.MIN_VALUE });
    await expect(asked).rejects.toMatchObject(deadline);
    await expect(answers(reader, call(indexes, { version: '9.0.0' }))).rejects.toThrow(/re-ranker/);
    await expect(answers(reader, call(indexes, { topN: 151 }))).rejects.toThrow(/topN/);
    expect(reader.rerankerVersions).toEqual(engine.rerankerVersions);
  });
});

describe('a shelf', () => {
  test.each([
    ['settles', undefined],
    ['fails', new Error('the thread died')],
  ] as const)('keeps a released index until its use %s', async (_, failure) => {
    const { gone, shelf } = openShelf();
    const [index] = load(shelf, [[base, overlay]]) as [LoadedIndex];
    const numbers = shelf.numbersOf(index);
    const bytes = shelf.bytesHeld;
    const gates = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
    const uses = gates.map(({ promise }) => shelf.using([index, index], () => promise));
    const ended = Promise.allSettled(uses);
    index.release();
    index.release();
    gates[0]?.resolve('first');
    await uses[0];
    await nextTurn();
    expect([gone.count, shelf.bytesHeld]).toEqual([0, bytes]);
    expect(shelf.parts().map(({ number }) => number)).toEqual(numbers);
    if (failure === undefined) gates[1]?.resolve('second');
    else gates[1]?.reject(failure);
    const [, last] = await ended;
    expect(last).toMatchObject(failure === undefined ? { value: 'second' } : { reason: failure });
    expect([gone.count, shelf.bytesHeld, shelf.parts()]).toEqual([1, 0, []]);
  });

  test('refuses an index that was released, though a use still has it', async () => {
    const { shelf } = openShelf();
    const [index, stranger] = [...load(shelf, [[plain]]), ...load(engine, [[plain]])] as [
      LoadedIndex,
      LoadedIndex,
    ];
    const gate = Promise.withResolvers<void>();
    const use = shelf.using([index], () => gate.promise);
    index.release();
    const refused = async (of: LoadedIndex) => {
      const never = () => Promise.reject(new Error('it was used'));
      await expect(shelf.using([of], never)).rejects.toThrow(/index was released/);
      expect(() => shelf.numbersOf(of)).toThrow(/index was released/);
      expect(() => shelf.load(of, overlay)).toThrow(/index was released/);
    };
    await refused(index);
    gate.resolve();
    await use;
    await refused(index);
    // An index of another shelf is none of its own, either.
    await refused(stranger);
    stranger.release();
  });

  test('a refused index among others leaves none of them in use', async () => {
    const { gone, shelf } = openShelf();
    const [kept, released] = load(shelf, [[plain], [other]]) as [LoadedIndex, LoadedIndex];
    released.release();
    const never = () => Promise.reject(new Error('it was used'));
    await expect(shelf.using([kept, released], never)).rejects.toThrow(/index was released/);
    kept.release();
    expect([gone.count, shelf.bytesHeld]).toEqual([2, 0]);
  });

  test('indexes of one base share its memory until the last of them goes', () => {
    const { gone, shelf } = openShelf();
    const [alone] = load(shelf, [[base]]) as [LoadedIndex];
    const both = shelf.load(alone, overlay);
    const buffers = shelf.parts().map(({ buffer }) => buffer);
    expect(new Set(buffers).size).toBe(2);
    alone.release();
    expect([gone.count, shelf.parts().length]).toEqual([1, 2]);
    expect(shelf.bytesHeld).toBeGreaterThan(base.byteLength);
    both.release();
    expect([gone.count, shelf.bytesHeld]).toEqual([2, 0]);
  });
});

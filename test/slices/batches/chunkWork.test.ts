/** Chunks as threads get them, and what they answer: whole after its way between threads. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EventDraft } from '#core/audit';
import { DomainError } from '#core/kernel';
import { WorkLost } from '#core/work';
import { createEngine, EngineError, type LoadedIndex } from '#engine';
import { CanonicalText } from '#platform/canonicalJson';
import type { Clock, EpochMs } from '#platform/clock';
import type { Random } from '#platform/random';
import {
  type Batch,
  type BatchKind,
  type BatchLists,
  type ChunkAnswer,
  type ChunkOrder,
  type ChunkWork,
  ChunkWorker,
  type PinnedLists,
  packLines,
  parseResult,
  rootOfLines,
  unpackLines,
  workOf,
} from '#slices/batches';
import type { CandidateEngine } from '#slices/screening';
import { PinnedClusters } from '../../../src/slices/batches/pinnedClusters.ts';
import { screenAsScreenings } from '../../../src/slices/batches/screenAsScreenings.ts';
import { type Lists, openLists } from './pinned.ts';

const SUBJECTS = [
  { external_id: 'c-1', full_name: 'Zorbandule Kelvorth' },
  { external_id: 'c-2', full_name: '—' },
  { external_id: 'c-3', full_name: 'Zorbandul "Kel\u2028vort" محمد 𐌰', nationality: 'FR' },
  { external_id: 'c-4', full_name: 'Nobody At All' },
].map((subject, place) => ({ line: place + 2, subject }));
const CHUNK = { chunkNo: 3, input: 'address', subjects: SUBJECTS.length };

type Engine = CandidateEngine<LoadedIndex>;
type Order = ChunkOrder<LoadedIndex>;

const engine = createEngine({ queueMax: 10, threads: 0 });
let lists: Lists;
let pinned: PinnedLists<LoadedIndex>;
let input: Uint8Array;
const held: BatchLists<LoadedIndex>[] = [];
beforeAll(async () => {
  lists = await openLists();
  await lists.publish('DEMO', { a: 'Zorbandule Kelvorth', b: 'Zorbandul Kelvorth' });
  await lists.publish('BCT_TN', { x: 'Zorbandule Kelvort' });
  pinned = lists.open({ load: (base, overlay) => engine.loadInSteps(base, overlay) });
  input = await packLines(SUBJECTS.map((subject) => JSON.stringify(subject)));
});
afterAll(async () => {
  for (const { release } of held) release();
  pinned.close();
  await engine.close();
  await lists.close();
});

/** As a worker hands it out. */
async function order(kind: BatchKind, change: Partial<Order> = {}): Promise<Order> {
  const batch: Batch = {
    ...(await lists.start('full', { kind })),
    requestedBy: 'key-1',
    thresholds: { autoClear: 0.6, autoMatch: 0.95, review: 0.85 },
  };
  const pins = await pinned.acquire(batch);
  held.push(pins);
  const stop = new Int32Array(new SharedArrayBuffer(4));
  const { lists: indexes, resolution } = pins;
  return { batch, chunk: CHUNK, input, lists: indexes, resolution, stop, ...change };
}

/** Each time the same, from `seed` on. */
function ports(seed = 0): { clock: Clock; engine: Engine; random: Random } {
  let next = seed;
  return {
    clock: { monotonicMs: () => 0, now: () => (1_800_000_000_000 + next++) as EpochMs },
    engine,
    random: { bytes: (count) => Uint8Array.from({ length: count }, () => next++ % 251) },
  };
}

const worker = (part: Partial<ReturnType<typeof ports>> = {}) =>
  new ChunkWorker<LoadedIndex>({ ...ports(), ...part });

/** The engine, but that each call of `screen` is first told to `look`. */
const watched = (look: (calls: number) => void): Engine => {
  let calls = 0;
  return {
    screen: async (call) => {
      look(++calls);
      return engine.screen(call);
    },
  };
};

/** The work, done in one piece. */
function wholeOf(answer: ChunkAnswer): ChunkWork {
  const work = workOf(answer);
  if ('part' in work) throw new Error('a piece of it is left');
  return work;
}

/** As it comes from another thread. */
const sent = (answer: ChunkAnswer): ChunkAnswer => structuredClone(answer);

describe('the work on a chunk comes from its thread unharmed', () => {
  test('of kind sanctions: the events and bus messages of its screenings', async () => {
    const asked = await order('sanctions');
    const evidence: { readonly event: EventDraft; readonly bus: unknown }[] = [];
    const ask = {
      batch: asked.batch,
      chunkNo: CHUNK.chunkNo,
      clusters: asked.resolution && new PinnedClusters().of(asked.resolution),
      lists: asked.lists,
      subjects: SUBJECTS,
    };
    for await (const one of screenAsScreenings(ports(), ask)) evidence.push(...theirs(one));
    const { bus, events, packed } = wholeOf(sent(await worker().answer(asked)));
    // Strictly: canonical texts are of their class.
    expect(events).toStrictEqual(evidence.map(({ event }) => event));
    expect(bus).toStrictEqual(evidence.map((one) => one.bus));
    expect(events).toHaveLength(3);
    for (const { members } of events) {
      const texts = Object.values(members).filter((value) => value instanceof CanonicalText);
      expect(texts.length).toBeGreaterThan(0);
      for (const { text } of texts) expect(() => JSON.parse(text)).not.toThrow();
    }
    const named = (await unpackLines(packed)).map((line) => JSON.parse(line.toString()));
    expect(named.flatMap(({ screening }) => screening?.screening_id ?? [])).toEqual(
      events.map(({ screeningId }) => screeningId),
    );
  });

  test('of kind aml: lines, root and figures, and no evidence of single subjects', async () => {
    const work = wholeOf(sent(await worker().answer(await order('aml'))));
    expect([work.bus, work.events]).toEqual([[], []]);
    const lines = await unpackLines(work.packed);
    expect(work.merkleRoot).toBe(rootOfLines(lines));
    const results = lines.map(parseResult);
    expect(results.map(({ line, ordinal, subject }) => ({ line, ordinal, subject }))).toEqual(
      SUBJECTS.map(({ line, subject }, place) => ({ line, ordinal: 3_000 + place, subject })),
    );
    expect(results.map(({ decision }) => decision)).toEqual([
      'match',
      'review',
      expect.stringMatching(/match|review/),
      'auto_clear',
    ]);
    const hits = results.map((result) => result.hits.length);
    expect(work.figures).toMatchObject({
      hits: hits.reduce((sum, count) => sum + count),
      subjectsWithHits: hits.filter((count) => count > 0).length,
    });
  });

  test('of kind aml: the same bytes whoever does it, and when', async () => {
    const asked = await order('aml');
    const first = worker();
    const expected = await first.answer(asked);
    expect(expected).toHaveProperty('work.packed');
    expect(await first.answer(asked)).toStrictEqual(expected);
    expect(await worker(ports(77)).answer(asked)).toStrictEqual(expected);
  });
});

describe('a chunk that takes long', () => {
  /** Each look at the clock comes so much later than the one before. */
  const ticking = (ms: number) => {
    let now = 0;
    return { ...ports().clock, monotonicMs: () => (now += ms) };
  };

  /** All pieces, each by another thread: how many subjects were done after each, and the end. */
  async function inPieces(asked: Order, ms: number) {
    const { random } = ports();
    const done: number[] = [];
    for (let part: Uint8Array | undefined; ; ) {
      const thread = worker({ clock: ticking(ms), random });
      const work = workOf(sent(await thread.answer({ ...asked, part })));
      if (!('part' in work)) return { done, work };
      done.push(work.subjects);
      part = work.part;
    }
  }

  test.each([
    [10_000, [1, 2, 3]],
    [1_500, [2]],
    [700, [3]],
  ])('of kind aml, pieces of %i ms: the same bytes and root', async (ms, places) => {
    const asked = await order('aml');
    const whole = wholeOf(await worker().answer(asked));
    const { done, work } = await inPieces(asked, ms);
    expect(done).toEqual(places);
    expect(work).toStrictEqual({ ...whole, packed: work.packed });
    expect(Buffer.from(work.packed).equals(whole.packed)).toBe(true);
  });

  test('of kind sanctions: each screening once, with its event and its message', async () => {
    const asked = await order('sanctions');
    const whole = wholeOf(await worker().answer(asked));
    const { done, work } = await inPieces(asked, 10_000);
    expect(done).toEqual([1, 2, 3]);
    expect(work.figures).toEqual(whole.figures);
    const eventsOf = ({ events }: ChunkWork) => events.map(({ members }) => members.candidates);
    expect(eventsOf(work)).toStrictEqual(eventsOf(whole));
    const lines = (await unpackLines(work.packed)).map((line) => JSON.parse(line.toString()));
    expect(work.merkleRoot).toBe(rootOfLines(await unpackLines(work.packed)));
    const named = lines.flatMap(({ screening }) => screening?.screening_id ?? []);
    expect(work.events.map(({ screeningId }) => screeningId)).toEqual(named);
    expect(work.bus).toHaveLength(3);
    expect(new Set(named).size).toBe(3);
  });

  test('comes to its end, be each piece as short as it may', async () => {
    const { done } = await inPieces(await order('aml'), Number.MAX_SAFE_INTEGER / 1_000);
    expect(done).toEqual([1, 2, 3]);
  });
});

describe('a chunk that is not screened', () => {
  test.each([
    ['aml', 1],
    ['aml', 3],
    ['sanctions', 1],
    ['sanctions', 3],
  ] as const)('kind %s, given up before query %i, ends in WorkLost', async (kind, last) => {
    const asked = await order(kind);
    const seen: number[] = [];
    if (last === 1) Atomics.store(asked.stop, 0, 1);
    const stopping = watched((calls) => {
      seen.push(calls);
      if (calls === last - 1) Atomics.store(asked.stop, 0, 1);
    });
    const answer = sent(await worker({ engine: stopping }).answer(asked));
    expect(answer).toEqual({ stopped: true });
    expect(seen).toHaveLength(last - 1);
    expect(() => workOf(answer)).toThrow(WorkLost);
  });

  test.each([
    new EngineError('deadline-exceeded', 'engine: the deadline passed before the answer'),
    new EngineError('engine-queue-full', 'engine queue: expected at most 5 waiting'),
    new DomainError('list-damaged', { detail: 'list DEMO: expected 4 bytes, found 3' }),
    new DomainError('internal'),
  ])('for $code comes out as a DomainError with its code and detail', async (error) => {
    const failing = watched(() => {
      throw error;
    });
    const failed = async (kind: BatchKind) => {
      const answer = sent(await worker({ engine: failing }).answer(await order(kind)));
      const thrown = caught(() => workOf(answer));
      expect(thrown).toBeInstanceOf(DomainError);
      return thrown;
    };
    const { code, message } = error;
    expect(await failed('aml')).toMatchObject({ code, message });
    // A screening says the engine's codes in its own words.
    expect(await failed('sanctions')).toMatchObject({ code });
  });

  test('for want of room says so, so that its batch waits', async () => {
    const full = watched(() => {
      throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    });
    const answer = sent(await worker({ engine: full }).answer(await order('aml')));
    expect(caught(() => workOf(answer))).toMatchObject({ code: 'storage-full' });
  });

  test('of other subjects is blob-damaged, and says how many were found', async () => {
    const asked = await order('aml', { chunk: { ...CHUNK, subjects: 5 } });
    const answer = sent(await worker().answer(asked));
    const detail = 'subjects address: expected 5, found 4';
    expect(answer).toEqual({ fault: { code: 'blob-damaged', detail } });
    expect(caught(() => workOf(answer))).toMatchObject({ code: 'blob-damaged', message: detail });
  });

  test.each([
    new TypeError('nobody expected this'),
    Object.assign(new Error('no such file'), { code: 'ENOENT' }),
    'no error at all',
  ])('for what nobody expected rejects with it: %s', async (error) => {
    const failing = watched(() => {
      throw error;
    });
    for (const kind of ['aml', 'sanctions'] as const) {
      const answer = worker({ engine: failing }).answer(await order(kind));
      await expect(answer).rejects.toBe(error);
    }
    // Nothing of it is left behind.
    const asked = await order('aml');
    let isFailing = true;
    const recovering = worker({
      engine: watched(() => {
        if (isFailing) throw error;
      }),
    });
    await expect(recovering.answer(asked)).rejects.toBe(error);
    isFailing = false;
    expect(await recovering.answer(asked)).toStrictEqual(await worker().answer(asked));
  });

  test('for subjects that are no gzip says that they are damaged', async () => {
    const asked = await order('aml', { input: Buffer.from('{"line":1}') });
    const detail = expect.stringContaining('incorrect header');
    expect(await worker().answer(asked)).toEqual({ fault: { code: 'blob-damaged', detail } });
  });
});

const theirs = <Evidence>({ evidence }: { readonly evidence?: Evidence }): Evidence[] =>
  evidence === undefined ? [] : [evidence];

function caught(call: () => unknown): unknown {
  try {
    call();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

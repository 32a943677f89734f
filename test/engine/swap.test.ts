/**
 * Versions that replace each other under queries: every answer is of one version, the one that its
 * query was given, and what nobody uses any more is let go.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { syntheticEntities } from '../../bench/names.ts';
import { seededRandom } from '../../bench/random.ts';
import {
  buildOverlay,
  buildSnapshot,
  createEngine,
  type Engine,
  type IndexEntity,
  type LoadedIndex,
} from '../../src/engine/index.ts';
import { SETTINGS } from './fixtures.ts';

const SWAPS = 50;
const VERSIONS = 8;
const CALLERS = 6;
/** Several times what V8 lets pile up before it looks. */
const REFRESHES = 36;
const opened: Engine[] = [];

function open(threads: number): Engine {
  const engine = createEngine({ threads, queueMax: 1_000 });
  opened.push(engine);
  return engine;
}

afterAll(async () => {
  await Promise.all(opened.map((engine) => engine.close()));
});

interface Version {
  readonly snapshot: SharedArrayBuffer;
  readonly overlay?: SharedArrayBuffer;
}

const former = syntheticEntities(300, 21);
const names = former.slice(0, 12).map((entity) => entity.names[0] ?? entity.id);

/** The same entities, each version with its own mark in every card. */
function marked(version: number): IndexEntity[] {
  return former.map((entity) => ({ ...entity, card: `version ${version}` }));
}

/** Snapshots and overlays in turn; an overlay changes every entity that the queries find. */
function makeVersions(): Version[] {
  const base = buildSnapshot(marked(0));
  return Array.from({ length: VERSIONS }, (_, version): Version => {
    if (version % 2 === 0) return { snapshot: buildSnapshot(marked(version)) };
    const changed = marked(version);
    return { snapshot: base, overlay: buildOverlay({ base, removed: [], changed }) };
  });
}

const versions = makeVersions();

function versionAt(swap: number): Version {
  const version = versions[swap % VERSIONS];
  if (version === undefined) throw new Error('versions go round');
  return version;
}

async function ask(engine: Engine, index: LoadedIndex, name: string, version = SETTINGS.version) {
  const query = { name, transliterations: [] };
  const { candidates } = await engine.screen({
    query,
    indexes: [index],
    settings: { ...SETTINGS, version },
    deadlineMs: 60_000,
  });
  return candidates.map(({ id, finalScore, card }) => ({ id, finalScore, card }));
}

describe('versions that replace each other', () => {
  const cases = [0, 2].flatMap((threads) =>
    ['1.0.0', '2.0.0'].map((reranker) => [threads, reranker] as const),
  );
  test.for(cases)('give answers of one version each, on %i threads by %s', async (asked) => {
    const [threads, reranker] = asked;
    const engine = open(threads);
    const random = seededRandom(3);
    let current = { index: await engine.loadInSteps(versionAt(0).snapshot), number: 0 };
    const expected = await Promise.all(
      names.map((name) => ask(engine, current.index, name, reranker)),
    );
    let answered = 0;
    let isOver = false;
    const wrong: string[] = [];
    const call = async () => {
      const at = Math.floor(random() * names.length);
      const { index, number } = current;
      const answer = await ask(engine, index, names[at] ?? '', reranker);
      answered += 1;
      const right = expected[at]?.map((row) => ({ ...row, card: `version ${number}` }));
      if (JSON.stringify(answer) !== JSON.stringify(right)) wrong.push(`${names[at]}: ${number}`);
    };
    const callers = Array.from({ length: CALLERS }, async () => {
      while (!isOver) {
        await call();
        // An engine without threads answers in microtasks: the swaps need a turn, too.
        await nextTurn();
      }
    });
    for (let swap = 1; swap <= SWAPS; swap++) {
      const { snapshot, overlay } = versionAt(swap);
      const index = await engine.loadInSteps(snapshot, overlay);
      const seen = answered;
      const last = current.index;
      current = { index, number: swap % VERSIONS };
      last.release();
      await vi.waitUntil(() => answered > seen, { interval: 1, timeout: 20_000 });
    }
    isOver = true;
    await Promise.all(callers);
    expect(wrong).toEqual([]);
    expect(answered).toBeGreaterThan(SWAPS);
    expect(engine.bytesHeld).toBe(bytesOf(SWAPS));
    current.index.release();
    expect(engine.bytesHeld).toBe(0);
  });

  function bytesOf(swap: number): number {
    return versionAt(swap).snapshot.byteLength;
  }

  test('the memory of one goes with its last query, not before', async () => {
    const engine = open(2);
    const gone = engine.load(versionAt(2).snapshot);
    const kept = engine.load(versionAt(4).snapshot);
    const running = names.map((name) => ask(engine, gone, name));
    gone.release();
    expect(engine.bytesHeld).toBe(bytesOf(2) + bytesOf(4));
    await Promise.all(running);
    expect(engine.bytesHeld).toBe(bytesOf(4));
    expect(await ask(engine, kept, names[0] ?? '')).not.toEqual([]);
  });

  test('nothing in the engine holds what was let go', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const engine = open(0);
    const held = await (async () => {
      const snapshot = buildSnapshot(marked(9));
      const index = engine.load(snapshot);
      await ask(engine, index, names[0] ?? '');
      index.release();
      return new WeakRef(snapshot);
    })();
    // The next query drops what the runner had opened.
    const next = engine.load(versionAt(2).snapshot);
    await ask(engine, next, names[0] ?? '');
    await vi.waitFor(() => {
      collect();
      expect(held.deref() === undefined).toBe(true);
    });
    expect(engine.bytesHeld).toBe(bytesOf(2));
  });

  test.for([0, 2] as const)('do not pile up in memory, on %i threads', async (threads) => {
    const engine = open(threads);
    const card = 'x'.repeat(100_000);
    const bytes = new Uint8Array(buildSnapshot(former.map((entity) => ({ ...entity, card }))));
    const resident: number[] = [];
    let current: LoadedIndex | undefined;
    for (let refresh = 0; refresh < REFRESHES; refresh++) {
      const buffer = engine.allocate(bytes.length);
      new Uint8Array(buffer).set(bytes);
      const next = await engine.loadInSteps(buffer);
      current?.release();
      current = next;
      await Promise.all(names.map((name) => ask(engine, next, name)));
      resident.push(process.memoryUsage.rss() / bytes.length);
    }
    // In lists. Collections come when they come: what counts is that they go on coming.
    const [before = 0] = resident;
    expect(Math.min(...resident.slice(-10)) - before).toBeLessThan(8);
  });

  test('a damaged version is refused while queries go on, and changes nothing', async () => {
    const engine = open(1);
    const index = engine.load(versionAt(2).snapshot);
    const damaged = versionAt(4).snapshot.slice(0);
    new Uint8Array(damaged).fill(0xff, damaged.byteLength - 9);
    const running = names.map((name) => ask(engine, index, name));
    await expect(engine.loadInSteps(damaged)).rejects.toThrow(/^snapshot damaged/);
    expect(await Promise.all(running)).toHaveLength(names.length);
    expect(engine.bytesHeld).toBe(bytesOf(2));
  });
});

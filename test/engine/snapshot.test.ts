/**
 * Snapshots: exact size, the same bytes every time, and refusal of what is damaged, cut or foreign.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { syntheticEntities } from '../../bench/names.ts';
import { buildSnapshot, createEngine } from '../../src/engine/index.ts';
import { openSnapshot, snapshotBytes } from '../../src/engine/snapshotFormat.ts';
import { entity, SETTINGS } from './fixtures.ts';

const entities = syntheticEntities(200);
const snapshot = buildSnapshot(entities);
const engine = createEngine({ threads: 0, queueMax: 1 });

function copy(change: (bytes: Uint8Array) => void, length = snapshot.byteLength) {
  const buffer = new SharedArrayBuffer(length);
  const bytes = new Uint8Array(buffer);
  bytes.set(new Uint8Array(snapshot).subarray(0, length));
  change(bytes);
  return buffer;
}

const load = (buffer: SharedArrayBuffer) => () => engine.load(buffer).release();

describe('snapshot', () => {
  test('is exactly as large as its sections say', () => {
    expect(snapshotBytes(openSnapshot(snapshot))).toBe(snapshot.byteLength);
  });

  test('is the same bytes for the same entities', () => {
    const again = buildSnapshot(syntheticEntities(200));
    expect(Buffer.compare(Buffer.from(again), Buffer.from(snapshot))).toBe(0);
  });

  test('knows its entities and names', () => {
    const index = engine.load(snapshot);
    expect(index.entityCount).toBe(200);
    expect(index.nameCount).toBeGreaterThan(200);
    expect(index.bytes).toBe(snapshot.byteLength);
    index.release();
  });

  test('of an empty list can be loaded', () => {
    expect(load(buildSnapshot([]))).not.toThrow();
  });

  test('is refused when any one bit differs', () => {
    fc.assert(
      fc.property(fc.nat(snapshot.byteLength - 1), fc.nat(7), (at, bit) => {
        const damaged = copy((bytes) => {
          bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
        });
        expect(load(damaged)).toThrow(/^snapshot (damaged|truncated|foreign|version|byte order)/);
      }),
      { numRuns: Number(process.env.FUZZ_RUNS ?? 300), seed: 5 },
    );
  });

  test('is refused when it is cut anywhere', () => {
    for (const length of [0, 1, 31, 32, 100, snapshot.byteLength - 8, snapshot.byteLength - 1]) {
      expect(load(copy(() => undefined, length))).toThrow(/^snapshot truncated/);
    }
  });

  test('of another product or another version is refused by name', () => {
    expect(load(copy((bytes) => bytes.set(Buffer.from('FlatBush'))))).toThrow(/foreign/);
    const older = copy((bytes) => {
      bytes[8] = 0;
    });
    expect(load(older)).toThrow('snapshot version: expected 8, got 0');
  });
});

describe('buildSnapshot', () => {
  test.for([
    ['twice', ['a', 'a']],
    ['descending', ['b', 'a']],
  ] as const)('refuses ids that come %s', ([, ids]) => {
    expect(() => buildSnapshot(ids.map((id) => entity({ id })))).toThrow(/ids ascending/);
  });

  test('takes hostile names, ids and cards as they are', async () => {
    const names = ['\ud800', `a${'\u0301'.repeat(5_000)}`, '...', 'x '.repeat(3_000), '\u202eevil'];
    const index = engine.load(
      buildSnapshot(names.map((name, at) => entity({ id: `e${at}`, names: [name, 'John Smith'] }))),
    );
    expect(index.entityCount).toBe(5);
    index.release();
  });
});

describe('a buffer that the engine allocated', () => {
  function filled(bytes: SharedArrayBuffer): SharedArrayBuffer {
    const buffer = engine.allocate(bytes.byteLength);
    new Uint8Array(buffer).set(new Uint8Array(bytes));
    return buffer;
  }

  test('is loaded where it lies, and answers as a copy does', async () => {
    const buffer = filled(snapshot);
    const index = engine.load(buffer);
    const copied = engine.load(snapshot);
    expect(index.entityCount).toBe(200);
    expect(index.bytes).toBe(snapshot.byteLength);
    const query = { name: entities[7]?.names[0] ?? '', transliterations: [] };
    const ask = { query, settings: SETTINGS, deadlineMs: 60_000 };
    const answer = await engine.screen({ ...ask, indexes: [index] });
    expect(answer.candidates[0]?.id).toBe(entities[7]?.id);
    expect(await engine.screen({ ...ask, indexes: [copied] })).toEqual(answer);
    index.release();
    copied.release();
    // Let go and loaded once more: it has its room by now.
    engine.load(buffer).release();
  });

  test('is refused when what it was filled with is cut or damaged', () => {
    const cut = snapshot.slice(0, snapshot.byteLength - 8);
    expect(load(filled(cut))).toThrow(/^snapshot truncated/);
    const damaged = copy((bytes) => bytes.fill(1, 5_000, 5_010));
    expect(load(filled(damaged))).toThrow(/^snapshot damaged/);
  });
});

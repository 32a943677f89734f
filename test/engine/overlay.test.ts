/**
 * A base and an overlay answer as the whole list built anew: candidates, their scores to the last
 * digit, their order and `truncated`, whatever changed and whatever is asked.
 */
import { afterAll, describe, expect, test } from 'vitest';
import { syntheticEntities } from '../../bench/names.ts';
import { noisyQueries } from '../../bench/noise.ts';
import { seededRandom } from '../../bench/random.ts';
import {
  buildOverlay,
  buildSnapshot,
  createEngine,
  type EngineAnswer,
  type IndexEntity,
  inspectIndex,
  type LoadedIndex,
  type RawQuery,
  readOverlayIds,
  type ScorerSettings,
} from '../../src/engine/index.ts';
import { BLOCK, BLOCK_LENGTH } from '../../src/engine/messages.ts';
import { normalizeQuery } from '../../src/engine/normalizeQuery.ts';
import { openOverlay } from '../../src/engine/overlayFormat.ts';
import { QueryRunner } from '../../src/engine/queryRunner.ts';
import { COLUMN, ROW_LENGTH } from '../../src/engine/topK.ts';
import { entity, SETTINGS } from './fixtures.ts';

const engine = createEngine({ threads: 0, queueMax: 1 });
afterAll(() => engine.close());

interface Change {
  readonly base: SharedArrayBuffer;
  readonly overlay: SharedArrayBuffer;
  readonly whole: SharedArrayBuffer;
  readonly entities: readonly IndexEntity[];
}

const byId = (a: IndexEntity, b: IndexEntity) => (a.id < b.id ? -1 : 1);

/** A list of which some entities go, some change and some come; each by its own chance. */
function change(count: number, seed: number, shares: { gone: number; other: number; new: number }) {
  const random = seededRandom(seed);
  const former = syntheticEntities(count, seed);
  const donors = syntheticEntities(count, seed + 1_000);
  const removed: string[] = [];
  const changed: IndexEntity[] = [];
  const kept: IndexEntity[] = [];
  former.forEach((entity, at) => {
    const chance = random();
    const donor = donors[at] ?? entity;
    if (chance < shares.gone) removed.push(entity.id);
    else if (chance < shares.gone + shares.other) {
      // The same names with another date, or other names altogether.
      const names = random() < 0.5 ? entity.names : donor.names;
      changed.push({ ...entity, names, datesOfBirth: donor.datesOfBirth });
    } else kept.push(entity);
    if (random() < shares.new) changed.push({ ...donor, id: `${entity.id}-new` });
  });
  changed.sort(byId);
  const base = buildSnapshot(former);
  const entities = [...kept, ...changed].sort(byId);
  const whole = buildSnapshot(entities);
  return { base, overlay: buildOverlay({ base, removed, changed }), whole, entities };
}

const CHANGES: readonly (readonly [string, Change])[] = [
  ['one per cent', change(600, 1, { gone: 0.003, other: 0.005, new: 0.003 })],
  ['a third', change(300, 2, { gone: 0.1, other: 0.15, new: 0.1 })],
  ['everything', change(60, 3, { gone: 0.5, other: 0.5, new: 0.5 })],
  ['nothing', change(100, 4, { gone: 0, other: 0, new: 0 })],
  ['only additions', change(40, 5, { gone: 0, other: 0, new: 1 })],
  ['all gone', change(20, 6, { gone: 1, other: 0, new: 0 })],
];
const SETTINGS_ASKED: readonly Partial<ScorerSettings>[] = [
  {},
  { topN: 3 },
  { topN: 10, directScoreMin: 0.5, missingAttributes: 'zero' },
  { boosts: { SAN: 0.5, PEP: 1, RCA: 1, SI: 1, DI: 1 }, topN: 5 },
];

async function ask(
  indexes: readonly LoadedIndex[],
  query: RawQuery,
  settings: ScorerSettings,
): Promise<EngineAnswer> {
  const answer = await engine.screen({ query, indexes, settings, deadlineMs: 60_000 });
  return JSON.parse(JSON.stringify(answer)) as EngineAnswer;
}

/** Entities over the line; what is kept below it depends on how votes were counted. */
const matches = ({ candidates }: EngineAnswer, least: number) =>
  candidates.filter(({ directScore }) => directScore >= least);

describe.for(CHANGES)('an overlay of %s', ([, { base, overlay, whole, entities }]) => {
  const queries = noisyQueries(entities.length > 0 ? entities : syntheticEntities(20), 44, 11);

  test.for(SETTINGS_ASKED)('finds what the list built anew finds, with %j', async (part) => {
    const settings = { ...SETTINGS, ...part };
    const least = settings.directScoreMin ?? 0.7;
    const both = engine.load(base, overlay);
    const one = engine.load(whole);
    for (const { raw } of queries) {
      const found = await ask([both], raw, settings);
      const expected = await ask([one], raw, settings);
      expect(matches(found, least)).toEqual(matches(expected, least));
      if (matches(expected, least).length === settings.topN) {
        expect(found).toEqual(expected);
      }
    }
    both.release();
    one.release();
  });

  test('scores every entity as the list built anew, one by one', () => {
    const parts = openOverlay(overlay, base);
    const anew = rowsOver([{ number: 1, buffer: whole }]);
    const over = rowsOver([
      { number: 1, buffer: base, removed: parts.removed },
      { number: 2, buffer: parts.snapshot },
    ]);
    for (const { raw } of queries) expect(over(raw)).toEqual(anew(raw));
  });

  test('counts entities and names as the list built anew', () => {
    const both = engine.load(base, overlay);
    const one = engine.load(whole);
    expect(both.entityCount).toBe(one.entityCount);
    expect(both.nameCount).toBe(one.nameCount);
    const { entityCount, nameCount } = one;
    expect(inspectIndex(base, overlay)).toEqual({ entityCount, nameCount });
    expect(inspectIndex(whole)).toEqual({ entityCount, nameCount });
    both.release();
    one.release();
  });
});

/** Rows of the exhaustive answer without what names the list and the entity's place. */
function rowsOver(indexes: { number: number; buffer: SharedArrayBuffer; removed?: Uint8Array }[]) {
  const runner = new QueryRunner();
  runner.useIndexes(indexes);
  const block = new Float64Array(BLOCK_LENGTH);
  const numbers = indexes.map(({ number }) => number);
  const settings = { ...SETTINGS, topN: 50, directScoreMin: 0.9 };
  return (raw: RawQuery) => {
    const task = { query: normalizeQuery(raw), settings, expiresAt: Number.POSITIVE_INFINITY };
    runner.run({ ...task, indexes: numbers }, block, { exhaustive: true });
    const rows: number[][] = [];
    for (let rank = 0; rank < (block[BLOCK.count] ?? 0); rank++) {
      const at = BLOCK.rows + rank * ROW_LENGTH;
      rows.push([...block.slice(at + COLUMN.finalScore, at + ROW_LENGTH)]);
    }
    return { rows, truncated: block[BLOCK.truncated] };
  };
}

describe('overlays of one base', () => {
  const { base, overlay, whole } = change(200, 9, { gone: 0.02, other: 0.05, new: 0.02 });
  const second = buildOverlay({ base, removed: [], changed: [entity({ id: 'zz' })] });

  test('the same change gives the same bytes', () => {
    const again = change(200, 9, { gone: 0.02, other: 0.05, new: 0.02 });
    expect(Buffer.compare(Buffer.from(again.overlay), Buffer.from(overlay))).toBe(0);
  });

  test('share its memory, and let it go with the last of them', async () => {
    const own = createEngine({ threads: 0, queueMax: 1 });
    const alone = own.load(base);
    expect(own.bytesHeld).toBe(base.byteLength);
    const first = own.load(base, overlay);
    const other = await own.loadInSteps(base, second);
    expect(own.bytesHeld).toBeLessThan(base.byteLength + overlay.byteLength + second.byteLength);
    alone.release();
    first.release();
    expect(own.bytesHeld).toBeGreaterThan(base.byteLength);
    other.release();
    expect(own.bytesHeld).toBe(0);
    await own.close();
  });

  test('know their ids, so that a later change can be added to them', () => {
    const { removed, changed } = readOverlayIds(base, overlay);
    expect(removed.length + changed.length).toBeGreaterThan(5);
    expect(changed.toSorted()).toEqual(changed);
    expect(readOverlayIds(base, second)).toEqual({ removed: [], changed: ['zz'] });
  });

  test('beside another list they answer as the list built anew does', async () => {
    const beside = engine.load(buildSnapshot(syntheticEntities(100, 77)));
    const both = engine.load(base, overlay);
    const one = engine.load(whole);
    for (const { raw } of noisyQueries(syntheticEntities(200, 9), 22)) {
      const around = [
        [both, beside],
        [beside, both],
      ] as const;
      for (const indexes of around) {
        const anew = indexes.map((index) => (index === both ? one : index));
        const found = matches(await ask(indexes, raw, SETTINGS), 0.7);
        expect(found).toEqual(matches(await ask(anew, raw, SETTINGS), 0.7));
      }
    }
  });
});

describe('buildOverlay refuses', () => {
  const base = buildSnapshot([entity({ id: 'a' }), entity({ id: 'b' })]);

  test.for([
    ['an unknown id', ['c'], [], /removed ids of the base/],
    ['an id removed twice', ['a', 'a'], [], /removed twice/],
    ['an entity removed and changed', ['a'], ['a'], /removed and changed/],
    ['entities out of order', [], ['b', 'a'], /ids ascending/],
  ] as const)('%s', ([, removed, ids, message]) => {
    const changed = ids.map((id) => entity({ id }));
    expect(() => buildOverlay({ base, removed, changed })).toThrow(message);
  });

  test('ids that differ only beyond the BMP stand by code units', () => {
    const ids = ['a', 'x\u{10400}', 'x\uff00'];
    const list = buildSnapshot(ids.map((id) => entity({ id })));
    const overlay = buildOverlay({ base: list, removed: ids.slice(1), changed: [] });
    expect(readOverlayIds(list, overlay).removed).toEqual(ids.slice(1));
  });
});

describe('an overlay that cannot be right', () => {
  const { base, overlay } = change(100, 8, { gone: 0.1, other: 0.1, new: 0.1 });
  const copy = (alter: (bytes: Uint8Array) => void, length = overlay.byteLength) => {
    const bytes = new Uint8Array(new SharedArrayBuffer(length));
    bytes.set(new Uint8Array(overlay, 0, length));
    alter(bytes);
    return bytes.buffer;
  };

  test('of another base is refused', () => {
    const other = buildSnapshot(syntheticEntities(100, 88));
    expect(() => engine.load(other, overlay)).toThrow(/^overlay of another snapshot/);
    expect(() => inspectIndex(other, overlay)).toThrow(/^overlay of another snapshot/);
  });

  test('is refused in steps, too', async () => {
    const damaged = copy((bytes) => bytes.fill(7, 200, 210));
    await expect(engine.loadInSteps(base, damaged)).rejects.toThrow(/^overlay damaged/);
    expect(() => inspectIndex(base, damaged)).toThrow(/^overlay damaged/);
  });

  test('of a damaged base is refused, unless whoever asks has just checked that', () => {
    const { base, overlay } = change(50, 3, { gone: 0.1, other: 0.1, new: 0.1 });
    const counts = inspectIndex(base, overlay);
    const damaged = new SharedArrayBuffer(base.byteLength);
    const bytes = new Uint8Array(damaged);
    bytes.set(new Uint8Array(base));
    bytes.fill(1, -8);
    expect(() => inspectIndex(damaged, overlay)).toThrow(/^snapshot damaged/);
    expect(inspectIndex(damaged, overlay, { isBaseChecked: true })).toEqual(counts);
    // What nobody has checked is the overlay.
    const cut = overlay.slice(0, overlay.byteLength - 8);
    expect(() => inspectIndex(base, cut, { isBaseChecked: true })).toThrow(/^overlay/);
  });

  test('that is a snapshot, or a snapshot that is an overlay, is refused', () => {
    expect(() => engine.load(base, base)).toThrow(/^overlay foreign/);
    expect(() => engine.load(overlay)).toThrow(/^snapshot foreign/);
  });
});

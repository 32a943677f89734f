/** A file merged with the version in force, line by line, compared with the same on objects. */
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canonicalJson } from '#platform/canonicalJson';
import type { EntityAddition } from '#slices/ingestion';
import type { ListEntity } from '#slices/lists';
import { additionLine } from '../../../src/slices/ingestion/keptRelations.ts';
import { ListMerge } from '../../../src/slices/ingestion/mergeList.ts';
import { RcaGraph } from '../../../src/slices/ingestion/rca.ts';
import { SortedSpool } from '../../../src/slices/ingestion/sortedSpool.ts';
import { entityLine, lineId, rewritten } from '../../../src/slices/lists/entityLine.ts';
import { columnBytes } from '../../../src/slices/lists/lineColumns.ts';
import { listEntity, towards } from '../lists/listEntity.ts';
import { flattenPaths } from './flattenPaths.ts';

let directory = '';
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'merge-'));
});
afterAll(() => rm(directory, { force: true, recursive: true }));

const byId = (a: ListEntity, b: ListEntity) => (a.ftm_id < b.ftm_id ? -1 : 1);
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

function contentOf(entity: ListEntity): string {
  const { first_seen_at: _f, last_seen_at: _l, source_lists_hits, ...rest } = entity;
  const lists = source_lists_hits.map(({ list }) => ({ list }));
  return canonicalize({ ...rest, source_lists_hits: lists }) ?? '';
}

/** The whole merge as its definition says it, on objects. */
function expected(before: readonly ListEntity[], next: readonly ListEntity[]) {
  const former = new Map(before.map((entity) => [entity.ftm_id, entity]));
  const paths = flattenPaths(next);
  const entities = [...next].sort(byId).map((entity) => {
    const firstSeen = former.get(entity.ftm_id)?.first_seen_at ?? entity.first_seen_at;
    const flattened = paths.get(entity.ftm_id) ?? [];
    const filled = { ...entity, flattened_associated_sanctioned: flattened };
    if (firstSeen >= entity.first_seen_at) return filled;
    const hits = entity.source_lists_hits.map((hit) => ({ ...hit, added_at: firstSeen }));
    return { ...filled, first_seen_at: firstSeen, source_lists_hits: hits };
  });
  const updated = entities.filter((entity) => {
    const old = former.get(entity.ftm_id);
    return old && contentOf(old) !== contentOf(entity);
  }).length;
  const kept = entities.filter(({ ftm_id }) => former.has(ftm_id)).length;
  return {
    contentDigest: createHash('sha256')
      .update(
        Buffer.concat(entities.map((e) => createHash('sha256').update(contentOf(e)).digest())),
      )
      .digest('hex'),
    counts: {
      added: entities.length - kept,
      entities: entities.length,
      related: paths.size,
      removed: before.length - kept,
      updated,
    },
    entities,
    listDigest: sha256(
      entities.map((e) => `${canonicalize([e.ftm_id, e.last_seen_at])}\n`).join(''),
    ),
  };
}

async function* linesOf(entities: readonly ListEntity[]) {
  const lines = [...entities].sort(byId).map((entity) => Buffer.from(canonicalJson(entity)));
  for (let at = 0; at < lines.length; at += 3) yield lines.slice(at, at + 3);
}

interface Merge {
  readonly before?: readonly ListEntity[];
  readonly next: readonly ListEntity[];
  readonly removed?: readonly string[];
  readonly keepsRelations?: boolean;
  readonly keepsPaths?: boolean;
  /** Additions to entities that a delta does not name, by id. */
  readonly added?: Readonly<Record<string, EntityAddition>>;
  readonly runBytes?: number;
  /** 0: its digests are worked out in a thread. */
  readonly asideFrom?: number;
}

async function merged(of: Merge) {
  const spool = new SortedSpool({ directory, runBytes: of.runBytes ?? 1_000 });
  const graph = new RcaGraph();
  try {
    for (const entity of of.next) {
      spool.add(entity.ftm_id, canonicalJson(entity));
      graph.add(entity);
      if (spool.isFull) await spool.flush();
    }
    for (const [id, addition] of Object.entries(of.added ?? {})) {
      spool.add(id, additionLine(addition));
    }
    const input = {
      before: of.before && linesOf(of.before),
      graph: of.keepsPaths ? undefined : graph,
      keepsRelations: of.keepsRelations ? { properties: ['notes'] } : undefined,
      removed: of.removed,
      spool,
    };
    const merge = new ListMerge(input, { asideFrom: of.asideFrom });
    const pieces: Uint8Array[] = [];
    for await (const piece of merge.pieces()) pieces.push(piece);
    const text = Buffer.concat(pieces).toString();
    const lines = text.split('\n').slice(0, -1);
    const entities = lines.map((line) => JSON.parse(line) as ListEntity);
    expect(lines).toEqual(entities.map((entity) => canonicalize(entity)));
    const { changes, columns, ...facts } = await merge.facts();
    await merge.close();
    const ops = (changes.touched ?? []).map(({ ftm_id, op }) => `${op} ${ftm_id}`);
    const kept = columns && Buffer.concat([...columnBytes(columns, 0)]).toString('hex');
    return { ...facts, changes, entities, kept, ops };
  } finally {
    await spool.close();
  }
}

/** Texts that look like the members that are searched for, where any text may stand. */
const text = fc.oneof(
  fc.constantFrom(
    '"first_seen_at":"',
    '],"ftm_id":"',
    '},"last_seen_at":"2020"',
    'source_lists_hits',
    '\\',
    '"}',
    'é',
    '𐀀',
    '',
  ),
  fc.string({ maxLength: 6 }),
);
const key = fc.constantFrom('last_seen_at', 'first_seen_at', 'source_lists_hits', 'a"b', 'z');
const entity = (id: string) =>
  fc
    .record({
      akas: fc.array(text, { maxLength: 2 }),
      associations: fc.array(
        fc.constantFrom('a', 'b', 'c"', '𐀀').map((to) => towards(to, { label: '],"ftm_id":"x' })),
        { maxLength: 2 },
      ),
      categories: fc.constantFrom(['SAN' as const], ['RCA' as const]),
      first_seen_at: fc.constantFrom('2025-01-01', '2026-01-01'),
      identifiers: fc.dictionary(key, text, { maxKeys: 3 }),
      last_seen_at: fc.constantFrom('2026-01-01', '2026-02-02'),
      properties: fc.dictionary(key, fc.array(text, { maxLength: 2 }), { maxKeys: 2 }),
    })
    .map((members) => listEntity(id, { primary_name: '"schema":"x"', ...members }));
const list = fc
  .subarray(['a', 'b', 'c"', '𐀀', 'ｚ', 'B', 'long-id-of-a-thing'])
  .chain((ids) => fc.tuple(...ids.map(entity)));

describe('merging a list', () => {
  test('lines, digests and counts are those of the definition, in any number of runs', async () => {
    await fc.assert(
      fc.asyncProperty(
        list,
        list,
        fc.integer({ max: 3_000, min: 1 }),
        async (old, next, runBytes) => {
          const before = expected([], old).entities;
          const result = await merged({ before, next, runBytes });
          const { entities, ...facts } = expected(before, next);
          expect(result.entities).toEqual(entities);
          expect(result).toMatchObject(facts);
        },
      ),
      { numRuns: 150 },
    );
    expect(await readdir(directory)).toEqual([]);
  });

  test('ids are sorted by UTF-16 code units', async () => {
    const next = ['ｚ', '𐀀', 'a', 'B'].map((id) => listEntity(id));
    const { entities } = await merged({ next, runBytes: 1 });
    expect(entities.map(({ ftm_id }) => ftm_id)).toEqual(['B', 'a', '𐀀', 'ｚ']);
  });

  test('first sight changes no digest, last sight one, content the other', async () => {
    const digests = async (members: Partial<ListEntity>) => {
      const result = await merged({ next: [listEntity('a', members)] });
      return { content: result.contentDigest, list: result.listDigest };
    };
    const plain = await digests({});
    const hit = { added_at: '2020-01-01', list: 'DEMO', version: '2020-01-01' };
    expect(await digests({ first_seen_at: '2020-01-01', source_lists_hits: [hit] })).toEqual(plain);
    const later = await digests({ last_seen_at: '2026-02-03' });
    expect([later.content === plain.content, later.list === plain.list]).toEqual([true, false]);
    const changed = await digests({ akas: ['B'] });
    expect([changed.content === plain.content, changed.list === plain.list]).toEqual([false, true]);
  });

  test('an id twice is damage, within a run and across runs', async () => {
    const next = [listEntity('b'), listEntity('a'), listEntity('b')];
    for (const runBytes of [1, 100_000]) {
      await expect(merged({ next, runBytes })).rejects.toThrow('ftm_id b came twice');
    }
  });

  test('thousands of lines of all sizes come back sorted from many runs', async () => {
    const next = Array.from({ length: 3_000 }, (_, index) => {
      const id = `id-${(index * 7_919) % 3_000}`;
      return listEntity(id, { addresses: ['x'.repeat(index % 500 === 0 ? 300_000 : index % 97)] });
    });
    const { entities } = await merged({ next, runBytes: 200_000 });
    expect(entities).toEqual([...next].sort(byId));
  });

  test('a change of dates alone is seen, not updated', async () => {
    const before = ['a', 'b', 'c', 'd'].map((id) => listEntity(id));
    const next = [
      listEntity('a'),
      listEntity('b', { last_seen_at: '2026-02-02' }),
      listEntity('c', { akas: ['C'] }),
      listEntity('e'),
    ];
    const { counts, ops } = await merged({ before, next });
    expect(ops).toEqual(['seen b', 'updated c', 'removed d', 'added e']);
    expect(counts).toMatchObject({ added: 1, entities: 4, removed: 1, updated: 1 });
  });

  test('a delta changes what it names and nothing else', async () => {
    const before = ['a', 'b', 'c', 'd'].map((id) =>
      listEntity(id, { first_seen_at: '2020-01-01' }),
    );
    const next = [listEntity('b', { akas: ['B'] }), listEntity('bb')];
    const removed = ['d', 'nobody', 'a', 'a', 'zz'];
    const { counts, entities, ops, unknownRemovals } = await merged({ before, next, removed });
    expect(entities.map((e) => [e.ftm_id, e.first_seen_at, e.akas.length])).toEqual([
      ['b', '2020-01-01', 1],
      ['bb', '2026-01-01', 0],
      ['c', '2020-01-01', 0],
    ]);
    expect(ops).toEqual(['removed a', 'updated b', 'added bb', 'removed d']);
    expect(counts).toMatchObject({ added: 1, entities: 3, removed: 2, updated: 1 });
    expect(unknownRemovals).toBe(2);
  });

  test('a delta merges as the whole list that it makes, here and in a thread', async () => {
    const before = Array.from({ length: 40 }, (_, index) => listEntity(`e${index + 10}`));
    const ids = fc.uniqueArray(fc.integer({ max: 55, min: 5 }), { maxLength: 12 });
    const check = async (changed: number[], gone: number[], asideFrom: number) => {
      const next = changed.map((index) => listEntity(`e${index}`, { akas: ['B'] }));
      const removed = gone.map((index) => `e${index}`);
      const known = new Map(before.map((one) => [one.ftm_id, one]));
      for (const id of removed) known.delete(id);
      for (const one of next) known.set(one.ftm_id, one);
      const whole = await merged({ before, keepsPaths: true, next: [...known.values()] });
      const delta = await merged({ asideFrom, before, keepsPaths: true, next, removed });
      const { ops, unknownRemovals: _, ...facts } = whole;
      expect(delta).toMatchObject(facts);
      expect(delta.ops).toEqual(ops);
    };
    const here = fc.asyncProperty(ids, ids, (one, other) => check(one, other, 1_000_000));
    await fc.assert(here, { numRuns: 100 });
    await check([12, 13, 48, 60], [10, 11, 13, 49, 99], 0);
  });

  test('a delta that keeps relations adds to them, and again changes nothing', async () => {
    const before = [
      listEntity('a', {
        addresses: ['Old street'],
        associations: [towards('b')],
        identifiers: { passport: 'P1' },
        properties: { notes: ['old'], source: ['s'] },
      }),
    ];
    const next = [
      listEntity('a', {
        addresses: ['New street'],
        identifiers: { tax: 'T1' },
        primary_name: 'New name',
        properties: { notes: ['new'] },
      }),
    ];
    const first = await merged({ before, keepsRelations: true, next, removed: [] });
    expect(first.entities).toMatchObject([
      {
        addresses: ['New street', 'Old street'],
        associations: [towards('b')],
        identifiers: { passport: 'P1', tax: 'T1' },
        primary_name: 'New name',
        properties: { notes: ['new', 'old'] },
      },
    ]);
    const again = await merged({ before: first.entities, keepsRelations: true, next, removed: [] });
    expect(again.ops).toEqual([]);
    expect(again.contentDigest).toBe(first.contentDigest);
  });

  test('what a delta adds to an entity that it does not name stands beside the rest', async () => {
    const before = [
      listEntity('a', { akas: ['A'], associations: [towards('b')] }),
      listEntity('b'),
    ];
    const addition = {
      addresses: ['1 Street'],
      associations: [
        towards('c'),
        towards('b', { label: 'a', strength: 0.5 }),
        towards('b', { label: 'k' }),
        towards('b', { label: 'm' }),
      ],
      identifiers: { passport: 'P1' },
      properties: { positions: ['Minister'] },
    };
    const run = (entities: readonly ListEntity[]) =>
      merged({
        added: { a: addition, unknown: addition },
        before: entities,
        keepsPaths: true,
        keepsRelations: true,
        next: [listEntity('b', { akas: ['B'] })],
        removed: [],
      });
    const first = await run(before);
    expect(first.entities).toEqual([
      {
        ...before[0],
        ...addition,
        // The strongest, and of those the first label.
        associations: [towards('b', { label: 'k' }), towards('c')],
      },
      listEntity('b', { akas: ['B'] }),
    ]);
    expect(first).toMatchObject({ ops: ['updated a', 'updated b'], unknownAdditions: 1 });
    expect((await run(first.entities)).ops).toEqual([]);
  });

  test('who was related to others and is no more is counted, of a full list alone', async () => {
    const before = [
      listEntity('a', { associations: [towards('b')], addresses: ['],"associations":['] }),
      listEntity('b', { associations: [towards('a')] }),
      listEntity('c', { associations: [towards('a')] }),
      listEntity('d'),
    ];
    const next = [
      listEntity('a'),
      listEntity('b', { associations: [towards('d')] }),
      listEntity('d'),
    ];
    const { unrelated } = await merged({ before, next });
    expect(unrelated).toEqual({ digest: sha256('a\n'), lost: 1, of: 2 });
    const delta = await merged({ before, keepsPaths: true, next, removed: [] });
    expect(delta.unrelated).toMatchObject({ lost: 0, of: 0 });
  });

  test('kept paths stay as they were, and new entities have none', async () => {
    const path = { depth: 1 as const, path_decay: 1, path_types: [], target_ftm_id: 'c' };
    const before = [listEntity('a', { flattened_associated_sanctioned: [path] }), listEntity('c')];
    const next = [
      listEntity('a', { akas: ['A'] }),
      listEntity('b', { associations: [towards('c')] }),
      listEntity('c', { associations: [towards('a')] }),
    ];
    const { counts, entities } = await merged({ before, keepsPaths: true, next });
    const paths = entities.map((e) => e.flattened_associated_sanctioned);
    expect(paths).toEqual([[path], [], []]);
    expect(counts.related).toBe(1);
  });
});

describe('a line of an entity', () => {
  test('that is rewritten to what it says already is the same bytes', () => {
    const line = entityLine(Buffer.from(canonicalJson(listEntity('a'))));
    expect(rewritten(line, { firstSeen: '2026-01-01', paths: '' })).toBe(line);
    expect(rewritten(line, { firstSeen: '2027-01-01' })).toBe(line);
  });

  test('tells its id, whatever its texts look like', () => {
    const ids = fc.constantFrom('a', 'c"', '\\', '𐀀', '],"ftm_id":"x', '","identifiers":{');
    fc.assert(
      fc.property(ids.chain(entity), (one) => {
        const line = Buffer.from(canonicalJson(one));
        expect(lineId(line)).toBe(one.ftm_id);
        expect(entityLine(line).id).toBe(one.ftm_id);
      }),
    );
  });

  test.each(['', '{}', '{"addresses":[]}', canonicalJson(listEntity('a')).slice(0, -30)])(
    'that is none is damage: %s',
    (bytes) => {
      expect(() => entityLine(Buffer.from(bytes))).toThrow(/no entity/);
    },
  );
});

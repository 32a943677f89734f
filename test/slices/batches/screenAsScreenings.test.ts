/** A subject of a sanctions batch leaves behind what a unit screening does. */
import assert from 'node:assert/strict';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Commit } from '#core/audit';
import type { TenantId } from '#core/kernel';
import { createEngine, type Engine, type LoadedIndex } from '#engine';
import { CanonicalText, canonicalJson } from '#platform/canonicalJson';
import { type Batch, PinnedLists } from '#slices/batches';
import { FACTS_UNKNOWN } from '#slices/lists';
import { resolvedListStore } from '#slices/resolution';
import { createScreening, LoadedLists, type RawQuery, subjectKeyOfRef } from '#slices/screening';
import { PinnedClusters } from '../../../src/slices/batches/pinnedClusters.ts';
import {
  type ScreenedAsScreening,
  screenAsScreenings,
} from '../../../src/slices/batches/screenAsScreenings.ts';
import { TRUSTED } from '../lists/trustedVersions.ts';
import { type Lists, openLists } from './pinned.ts';

const SUBJECTS = [
  { external_id: 'c-1', full_name: 'Zorbandule Kelvorth', type: 'individual' as const },
  { external_id: 'c-2', full_name: '—' },
  { dob: '1970-01-01', external_id: 'c-3', full_name: 'Zorbandul Kelvort', nationality: 'FR' },
  { external_id: 'c-4', full_name: 'Nobody At All' },
];
const QUERIES: readonly RawQuery[] = SUBJECTS.map(({ full_name, type, ...rest }) => ({
  name: full_name,
  transliterations: [],
  ...('dob' in rest && { dob: rest.dob, nationality: rest.nationality }),
  ...(type && { schema: 'Person' as const }),
}));

let lists: Lists;
let engine: Engine;
let batch: Batch;
beforeAll(async () => {
  lists = await openLists();
  engine = createEngine({ queueMax: 100, threads: 0 });
  await lists.publish('DEMO', { a: 'Zorbandule Kelvorth', b: 'Zorbandul Kelvorth' });
  await lists.publish('BCT_TN', { x: 'Zorbandule Kelvort' });
  batch = {
    ...(await lists.start('full', { kind: 'sanctions' })),
    chunkSubjects: 50,
    requestedBy: 'key-1',
    thresholds: { autoClear: 0.6, autoMatch: 0.95, review: 0.85 },
  };
});
afterAll(async () => {
  await engine.close();
  await lists.close();
});

const ports = () => ({ ...lists.installation, engine });
const loading = () => ({
  blobs: lists.installation.blobs,
  signed: TRUSTED,
  lists: resolvedListStore(lists.installation.storage.tables),
  load: (base: SharedArrayBuffer | LoadedIndex, overlay?: SharedArrayBuffer) =>
    engine.loadInSteps(base, overlay),
});

async function screenChunk(chunkNo: number) {
  const pinned = new PinnedLists<LoadedIndex>({
    ...loading(),
    buildSnapshot: () => Promise.reject(new Error('nothing is to be built')),
  });
  const held = await pinned.acquire(batch);
  const subjects = SUBJECTS.map((subject, place) => ({ line: place + 1, subject }));
  const screened: ScreenedAsScreening[] = [];
  const ask = {
    batch,
    chunkNo,
    clusters: held.resolution && new PinnedClusters().of(held.resolution),
    lists: held.lists,
    subjects,
  };
  for await (const one of screenAsScreenings(ports(), ask)) screened.push(one);
  held.release();
  pinned.close();
  const evidence = screened.flatMap((one) => one.evidence ?? []);
  return {
    bus: evidence.map(({ bus }) => bus),
    events: evidence.map(({ event }) => event),
    results: screened.map(({ line }) => line),
  };
}

async function screenOne(query: RawQuery): Promise<Commit> {
  const inForce = new LoadedLists<LoadedIndex>(loading());
  await inForce.refresh();
  const commits: Commit[] = [];
  const { screen } = createScreening<LoadedIndex>({
    ...ports(),
    audit: {
      commit: async (_, commit) => {
        commits.push(commit);
        throw new Error('seen');
      },
    },
    deadlineMs: 10_000,
    exclusions: async () => undefined,
    explain: undefined as never,
    factsOf: async (entries) => entries.map(() => FACTS_UNKNOWN),
    figures: { screened: () => {}, stage: (_, work) => work() },
    lists: inForce,
    mayProcess: async () => true,
    monitorSubject: async () => ({ bus: [], changes: [], events: [] }),
  });
  const asked = screen({
    pointers: { lists: '/lists', name: '/name' },
    query,
    requestedBy: 'key-1',
    sandbox: true,
    settings: batch.settings,
    startedAtMs: 0,
    tenantId: 'tenant' as TenantId,
  });
  await expect(asked).rejects.toThrow('seen');
  await inForce.close();
  const [commit] = commits;
  assert(commit !== undefined);
  return commit;
}

/** What only the events of a batch say: how the name came to be screened, and of whom. */
const OF_BATCHES: ReadonlySet<string> = new Set(['channel', 'subject_key']);

/** Without what differs between any two screenings, and between a batch's and others. */
const lasting = ({ bus, events }: Pick<Commit, 'bus' | 'events'>): unknown =>
  JSON.parse(
    canonicalJson({
      bus,
      events: events.map(({ members, open, ...event }) => ({
        ...event,
        members: Object.entries(members)
          .filter(([name]) => !OF_BATCHES.has(name))
          .map(([name, value]) => [name, value instanceof CanonicalText ? value.text : value]),
        open,
      })),
    })
      .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'id')
      .replaceAll(/"occurredAt":\d+/g, '"occurredAt":0'),
  );

test('events, bus messages and verdicts are those of unit screenings', async () => {
  const { bus, events, results } = await screenChunk(0);
  const screened = QUERIES.filter((_, place) => results[place]?.screening !== undefined);
  expect([events.length, bus.length, screened.length]).toEqual([3, 3, 3]);
  const refs = results.flatMap((one) => (one.screening ? [one.external_id] : []));
  for (const [place, query] of screened.entries()) {
    const one = await screenOne(query);
    const [event, message] = [events[place], bus[place]];
    assert(event !== undefined && message !== undefined);
    const own = lasting({ bus: [message], events: [event] });
    expect(own).toEqual(lasting(one));
    expect(JSON.stringify(own)).toContain('reranker_weights');
    expect(event.members).toMatchObject({
      channel: 'batch_item',
      subject_key: subjectKeyOfRef(batch.tenantId, refs[place] ?? ''),
    });
  }
  const ids = results.flatMap(({ screening }) => screening?.screening_id ?? []);
  expect(events.map(({ screeningId }) => screeningId)).toEqual(ids);
  expect(new Set(ids).size).toBe(3);
});

test('a line says what was decided, and of whom nothing could be screened', async () => {
  const { results } = await screenChunk(3);
  expect(
    results.map(({ decision, external_id, hits, line, ordinal, screening, unscreened }) => [
      line,
      ordinal,
      external_id,
      decision,
      screening?.decision ?? unscreened,
      hits.map(({ list_source, record_id, strong }) => `${list_source}/${record_id} ${strong}`),
    ]),
  ).toEqual([
    [1, 150, 'c-1', 'match', 'MATCH_DIRECT_SANCTIONS', expect.arrayContaining(['DEMO/a true'])],
    [2, 151, 'c-2', 'review', 'name-empty', []],
    [3, 152, 'c-3', 'match', 'MATCH_DIRECT_SANCTIONS', expect.arrayContaining(['DEMO/b true'])],
    [4, 153, 'c-4', 'auto_clear', 'CLEAR', []],
  ]);
});

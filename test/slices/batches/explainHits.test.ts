/** Why hits of a batch have their scores: by its own re-ranker, query, and pinned versions. */
import { expect, test } from 'vitest';
import { Deadline, explainFor } from '#engine';
import { canonicalJson } from '#platform/canonicalJson';
import { explainHits, type FoundHit } from '#slices/batches';
import { type ListedEntry, toIndexEntity } from '#slices/lists';
import type { ExplainPorts, ScreeningSettings } from '#slices/screening';
import { listEntity } from '../lists/listEntity.ts';

const ENTITY = listEntity('un-1', {
  dates_of_birth: ['1951-07-11'],
  identifiers: { Passport: 'AB 12-3456' },
  primary_name: 'PATRUSHEV, Nikolai',
  properties: { gender: ['male'] },
});
const PINNED = {
  content_digest: 'c',
  index: 'i',
  list_digest: 'd',
  list_version: 'v2026-01-01.a',
  published_at: 0,
  source: 'UN_SC',
};

const LINE = Buffer.from(canonicalJson(ENTITY));

function ports(asked: ListedEntry[] = [], queries: unknown[] = []): ExplainPorts {
  return {
    explain: async (version, asks) =>
      asks.map(({ lines, query }) => {
        queries.push(query);
        const entities = lines.map((line) => toIndexEntity(Buffer.from(line)));
        return explainFor(version, query, { deadline: new Deadline(), entities });
      }),
    linesOf: async (entries) => {
      asked.push(...entries);
      return entries.map(({ id }) => (id === ENTITY.ftm_id ? LINE : undefined));
    },
  };
}

const batchBy = (rerankerVersion: string) =>
  ({
    listsPinned: [PINNED],
    settings: { rerankerVersion } as ScreeningSettings,
  }) as unknown as Parameters<typeof explainHits>[1];

function found(record_id: string, more: object = {}): FoundHit {
  const subject = {
    dob: '1951-07-11',
    external_id: 'C-1',
    full_name: 'Nikolai Patrushev',
    gender: 'Male',
    national_id: 'ab123456',
    type: 'individual',
  };
  const hit = { list_source: 'UN_SC', record_id };
  return { hit, subject: { subject, ...more } } as unknown as FoundHit;
}

test('a hit is explained by its subject and the entry as it was pinned', async () => {
  const asked: ListedEntry[] = [];
  const [first, gone] = await explainHits(
    ports(asked),
    batchBy('2.0.0'),
    [found('un-1'), found('un-2')],
    { turn: 't' },
  );
  expect(first?.words.map(({ reason }) => reason)).toEqual(['same', 'same']);
  expect(first?.terms).toContainEqual({ term: 'identifier', z: 6 });
  expect(first?.terms).toContainEqual({ term: 'date_of_birth', z: 4.5 });
  expect(gone).toBeNull();
  expect(asked[0]).toMatchObject({ id: 'un-1', list_digest: 'd', source: 'UN_SC' });
});

test('neither an erased subject nor a score of a formula is explained, or read', async () => {
  const asked: ListedEntry[] = [];
  const caller = { turn: 't' };
  const erased = [found('un-1', { erased: true })];
  expect(await explainHits(ports(asked), batchBy('2.0.0'), erased, caller)).toEqual([null]);
  expect(await explainHits(ports(asked), batchBy('1.1.0'), [found('un-1')], caller)).toEqual([
    null,
  ]);
  expect(asked).toEqual([]);
});

test('hits of one subject are one question; each ten hits cost a token', async () => {
  const queries: unknown[] = [];
  const charged: number[] = [];
  const caller = { charge: async (tokens: number) => void charged.push(tokens), turn: 't' };
  const one = found('un-1');
  const hits = Array.from({ length: 19 }, () => ({ ...one }));
  const explained = await explainHits(ports([], queries), batchBy('2.0.0'), hits, caller);
  expect(explained.filter((each) => each !== null)).toHaveLength(19);
  expect(queries).toHaveLength(1);
  expect(charged).toEqual([1]);
  await explainHits(ports([], queries), batchBy('2.0.0'), [found('un-1'), found('un-1')], caller);
  expect(queries).toHaveLength(3);
});

test('nothing is read for who has no token left', async () => {
  const asked: ListedEntry[] = [];
  const caller = { charge: () => Promise.reject(new Error('rate-limited')), turn: 't' };
  const explained = explainHits(ports(asked), batchBy('2.0.0'), [found('un-1')], caller);
  await expect(explained).rejects.toThrow('rate-limited');
  expect(asked).toEqual([]);
});

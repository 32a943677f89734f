/** Entries that somebody decided to be no hits: found, told in the evidence, and not answered. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildSnapshot, createEngine, type LoadedIndex } from '#engine';
import type { EpochMs } from '#platform/clock';
import {
  besideExcluded,
  EXCLUSIONS_PER_SUBJECT_MAX,
  excludedFor,
  type NormalizedQuery,
  subjectDigestOf,
  subjectKeyOf,
} from '#slices/screening';

const KEY = Buffer.alloc(32, 7).toString('base64');
const QUERY: NormalizedQuery = { dob: '1970-02-03', names: ['ivan', 'petrov'], variants: [] };
const CONTENT = 'c'.repeat(64);
const NOW = { at: 1_000 as EpochMs, lists: [{ content_digest: CONTENT, source: 'UN_SC' }] };
const exclusion = {
  exclusionId: 'x-1',
  expiresAt: 2_000 as EpochMs,
  ftmId: 'p-1',
  source: 'UN_SC',
  subjectDigest: subjectDigestOf(KEY, QUERY),
};

const exclusionsOf = (query: NormalizedQuery) => ({
  bySubject: new Map([[subjectKeyOf(KEY, query), [exclusion]]]),
  checked: new Map([['UN_SC', [CONTENT]]]),
  digest: 'd'.repeat(64),
  key: KEY,
});

test('a subject has one key, whatever the order of its names', () => {
  const turned = { ...QUERY, names: QUERY.names.toReversed() };
  expect(subjectKeyOf(KEY, turned)).toBe(subjectKeyOf(KEY, QUERY));
  expect(subjectKeyOf(KEY, QUERY)).toMatch(/^[0-9a-f]{64}$/);
});

test.each([
  ['another name', { names: ['ivan', 'petrow'] }],
  ['another date', { dob: '1970-02-04' }],
  ['a nationality', { nationality: 'RU' }],
  ['a kind', { schema: 'Person' as const }],
])('%s is another subject', (_, given) => {
  const other = { ...QUERY, ...given };
  expect(subjectKeyOf(KEY, other)).not.toBe(subjectKeyOf(KEY, QUERY));
  expect(excludedFor(exclusionsOf(QUERY), other, NOW)).toBeUndefined();
});

test('an exclusion is of one entry of one list', () => {
  const excluded = excludedFor(exclusionsOf(QUERY), QUERY, NOW);
  expect(excluded?.('UN_SC', 'p-1')).toBe('x-1');
  expect(excluded?.('UN_SC', 'p-2')).toBeUndefined();
  expect(excluded?.('EU_CFSP', 'p-1')).toBeUndefined();
});

test('without exclusions nothing is asked of a query', () => {
  expect(excludedFor(undefined, QUERY, NOW)).toBeUndefined();
  const none = { ...exclusionsOf(QUERY), bySubject: new Map() };
  expect(excludedFor(none, QUERY, NOW)).toBeUndefined();
});

test('it ends on the second, and never holds for more than was decided', () => {
  const holdsAt = (at: number) =>
    excludedFor(exclusionsOf(QUERY), QUERY, { ...NOW, at: at as EpochMs })?.('UN_SC', 'p-1');
  expect([holdsAt(1_999), holdsAt(2_000)]).toEqual(['x-1', undefined]);
  const numbered = { ...QUERY, identifiers: ['X1'] };
  expect(excludedFor(exclusionsOf(QUERY), numbered, NOW)).toBeUndefined();
});

test('on a version that it was not compared with it does not hold', () => {
  const lists = [{ content_digest: 'd'.repeat(64), source: 'UN_SC' }];
  expect(excludedFor(exclusionsOf(QUERY), QUERY, { ...NOW, lists })).toBeUndefined();
  expect(excludedFor(exclusionsOf(QUERY), QUERY, { ...NOW, lists: [] })).toBeUndefined();
});

describe('a list with more namesakes than an answer has places', () => {
  const engine = createEngine({ queueMax: 10, threads: 0 });
  let index: LoadedIndex;
  const idOf = (number: number) => `p-${String(number).padStart(3, '0')}`;
  beforeAll(() => {
    const entities = Array.from({ length: EXCLUSIONS_PER_SUBJECT_MAX + 50 }, (_, number) => ({
      card: '{}',
      categories: 1,
      datesOfBirth: [],
      id: idOf(number),
      names: ['Ivan Petrov'],
      nationalities: [],
      schema: 'Person' as const,
    }));
    index = engine.load(buildSnapshot(entities));
  });
  afterAll(async () => {
    index.release();
    await engine.close();
  });

  async function found(count: number, topN = 50) {
    const call = {
      deadlineMs: 10_000,
      indexes: [index],
      settings: {
        answerScoreMin: 0.5,
        boosts: { DI: 1, PEP: 1, RCA: 1, SAN: 1, SI: 1 },
        directScoreMin: 0.7,
        missingAttributes: 'rescale' as const,
        phoneticNames: 'all' as const,
        topN,
        version: '1.1.0',
        weights: { alias: 0.15, dob: 0.2, name: 0.4, nationality: 0.1, phonetic: 0.15 },
      },
    };
    const left = new Set(Array.from({ length: count }, (_, number) => idOf(number)));
    const first = await engine.screen({
      ...call,
      query: { name: 'Ivan Petrov', transliterations: [] },
    });
    const answer = await besideExcluded(engine, call, {
      excluded: (_, id) => (left.has(id) ? `x-${id}` : undefined),
      first,
      sources: ['UN_SC'],
    });
    return {
      excluded: answer.candidates.filter(({ id }) => left.has(id)).length,
      others: answer.candidates.filter(({ id }) => !left.has(id)).map(({ id }) => id),
      truncated: answer.truncated,
    };
  }

  test('sixty exclusions never hide the sixty-first', async () => {
    const { excluded, others, truncated } = await found(60);
    expect(excluded).toBe(60);
    expect(others).toHaveLength(50);
    expect(others[0]).toBe(idOf(60));
    expect(truncated).toBe(true);
  });

  test('as many as a subject may have take no place from the others', async () => {
    const { excluded, others } = await found(EXCLUSIONS_PER_SUBJECT_MAX);
    expect([excluded, others.length]).toEqual([EXCLUSIONS_PER_SUBJECT_MAX, 50]);
    expect(await found(3, 2)).toMatchObject({ excluded: 3, others: [idOf(3), idOf(4)] });
  });
});

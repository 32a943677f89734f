/** Entries that somebody decided to be no hits: found, told in the evidence, and not answered. */
import { expect, test } from 'vitest';
import { excludedFor, type NormalizedQuery, subjectKeyOf } from '#slices/screening';

const KEY = Buffer.alloc(32, 7).toString('base64');
const QUERY: NormalizedQuery = { dob: '1970-02-03', names: ['ivan', 'petrov'], variants: [] };
const exclusion = { exclusionId: 'x-1', ftmId: 'p-1', source: 'UN_SC' };

const exclusionsOf = (query: NormalizedQuery) => ({
  bySubject: new Map([[subjectKeyOf(KEY, query), [exclusion]]]),
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
  expect(excludedFor(exclusionsOf(QUERY), other)).toBeUndefined();
});

test('an exclusion is of one entry of one list', () => {
  const excluded = excludedFor(exclusionsOf(QUERY), QUERY);
  expect(excluded?.('UN_SC', 'p-1')).toBe('x-1');
  expect(excluded?.('UN_SC', 'p-2')).toBeUndefined();
  expect(excluded?.('EU_CFSP', 'p-1')).toBeUndefined();
});

test('without exclusions nothing is asked of a query', () => {
  expect(excludedFor(undefined, QUERY)).toBeUndefined();
  expect(excludedFor({ ...exclusionsOf(QUERY), bySubject: new Map() }, QUERY)).toBeUndefined();
});

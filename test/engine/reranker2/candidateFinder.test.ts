/** Which entities of a list re-ranker 2 looks at: those that share a query's rarest words. */
import { describe, expect, test } from 'vitest';
import { byName, ListRun } from '../../../scripts/reranker2/listRun.ts';
import { Deadline } from '../../../src/engine/deadline.ts';
import type { IndexEntity } from '../../../src/engine/ports.ts';
import { PreparedQuery } from '../../../src/engine/preparedQuery.ts';
import { CANDIDATES_MAX, findCandidates } from '../../../src/engine/reranker2/candidateFinder.ts';
import { normalizeFor, prepareFor } from '../../../src/engine/rerankers.ts';
import { entity } from '../fixtures.ts';

const GIVEN = 'anna boris clara dmitri elena fadi greta hans irina jonas karim lena marek nadia';

/** More people of one family name than are looked at. */
const family: IndexEntity[] = GIVEN.split(' ').flatMap((one, row) =>
  GIVEN.split(' ').map((other, at) =>
    entity({
      id: `family-${String(row * 100 + at).padStart(5, '0')}`,
      names: [`${one} ${other} Smith`],
    }),
  ),
);
const army = { id: 'x-army', names: ["People's Liberation Army"], schema: 'Company' as const };
const short = { id: 'x-short', names: ['PLA'], schema: 'Company' as const };
const parties = [
  ...family,
  entity({ id: 'william', names: ['William Smith'] }),
  entity(army),
  entity(short),
  entity({ id: 'x-zark', names: ['Maria Anna Elena Zarkonova Smith'] }),
].sort((a, b) => (a.id < b.id ? -1 : 1));
const run = new ListRun(parties);

function found(name: string, more: { schema?: 'Person' | 'Company' } = {}, hidden?: Uint8Array) {
  const deadline = new Deadline();
  deadline.set(Number.POSITIVE_INFINITY, undefined);
  const query = normalizeFor('2.0.0', byName(name, more), deadline);
  const prepared = new PreparedQuery();
  prepareFor('2.0.0', query, { deadline, prepared });
  const { entities } = findCandidates(
    { ...run.open, removed: hidden },
    0,
    prepared.withoutAttributes(),
  );
  return entities.map((place) => parties[place]?.id ?? '');
}

test('the list is larger than what is looked at', () => {
  expect(family.length).toBeGreaterThan(CANDIDATES_MAX);
  expect(found('Smith').length).toBe(CANDIDATES_MAX);
});

test('a rare word counts more than several common ones', () => {
  expect(found('Zarkonova Anna')[0]).toBe('x-zark');
  expect(found('Zarkanova Smith').slice(0, 3)).toContain('x-zark');
});

test('a nickname finds the name that it is short for', () => {
  expect(found('Bill Smith', { schema: 'Person' }).slice(0, 3)).toContain('william');
});

describe('an acronym', () => {
  test('finds the name whose words begin with its letters', () => {
    expect(found('PLA')).toContain('x-army');
    expect(found('PLA', { schema: 'Person' })).not.toContain('x-army');
  });

  test('is found by that name', () => {
    expect(found("People's Liberation Army").slice(0, 2)).toEqual(['x-army', 'x-short']);
  });
});

test('what an overlay hides, and what is of another schema, is not looked at', () => {
  const place = parties.findIndex(({ id }) => id === 'x-zark');
  const hidden = new Uint8Array(Math.ceil(parties.length / 64) * 8);
  hidden[place >> 3] = 1 << (place & 7);
  expect(found('Zarkonova Anna', {}, hidden)).not.toContain('x-zark');
  expect(found('Zarkonova Anna', { schema: 'Company' })).not.toContain('x-zark');
  expect(found('Zarkonova Anna')).toContain('x-zark');
});

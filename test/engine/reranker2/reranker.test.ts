/** Re-ranker 2 over an index: order, aliases, and the same bytes. */
import { describe, expect, test } from 'vitest';
import { byName, ListRun, SETTINGS } from '../../../scripts/reranker2/listRun.ts';
import { makeReranker } from '../../../src/engine/rerankers.ts';

const party = (id: string, names: readonly string[], more = {}) => ({
  card: '',
  categories: 1,
  datesOfBirth: [],
  id,
  names,
  nationalities: [],
  schema: 'Person' as const,
  ...more,
});

const run = new ListRun([
  party('a', ['Ayman Zawahiri', 'Abu Muhammad'], {
    datesOfBirth: ['1951-06-19'],
    nationalities: ['EG'],
  }),
  party('b', ['Nikolai Platonovich Patrushev']),
  party('c', ['Mohammed Ali']),
  party('d', ['Gazprom OAO'], { schema: 'Company' }),
]);
const reranker = makeReranker('2.0.0');

describe('an entity', () => {
  test('is found by a name with a slip, and by an alias', () => {
    expect(run.search(reranker, byName('Ayamn Zawahiri'))[0]).toMatchObject({ id: 'a' });
    expect(run.search(reranker, byName('Nikolay Patrushev'))[0]?.directScore).toBeGreaterThan(0.9);
    expect(run.search(reranker, byName('Gazprom Open Joint Stock Company'))[0]?.id).toBe('d');
  });

  test('is no less likely for an alias more', () => {
    const more = new ListRun([party('a', ['Ayman Zawahiri', 'Aiman Z', 'Ostad', 'Abu Muhammad'])]);
    const less = new ListRun([party('a', ['Ayman Zawahiri'])]);
    for (const name of ['Ayman Zawahiri', 'Aymen Zawahri', 'Ostad Ayman', 'Abu Muhammed']) {
      const [one] = more.search(reranker, byName(name));
      const [other] = less.search(reranker, byName(name));
      expect(one?.directScore ?? 0).toBeGreaterThanOrEqual(other?.directScore ?? 0);
    }
  });

  test('is likelier with its date, less likely with another one', () => {
    const score = (dob?: string) =>
      run.search(reranker, byName('Ayman Zawahri', dob === undefined ? {} : { dob }))[0]
        ?.directScore ?? 0;
    expect(score('1951-06-19')).toBeGreaterThan(score());
    expect(score('1951-06-18')).toBeGreaterThan(score());
    expect(score('1982-01-02')).toBeLessThan(score());
  });

  test('carries a final score that is its direct score times the boost', () => {
    const settings = { ...SETTINGS, boosts: { ...SETTINGS.boosts, SAN: 0.5 } };
    const [found] = run.search(reranker, byName('Ayman Zawahiri'), settings);
    expect(found?.finalScore).toBeCloseTo((found?.directScore ?? 0) / 2, 8);
  });
});

test('answers are the same from a new instance, and after other queries', () => {
  const names = ['Ayman Zawahiri', 'Mohammed Aly', 'N Patrushev', 'Gasprom', 'محمد علي'];
  const first = names.map((name) => run.search(makeReranker('2.0.0'), byName(name)));
  const again = names.map((name) => run.search(reranker, byName(name)));
  expect(again).toEqual(first);
});

/** What a comma, the order of words, and equal scores mean to re-ranker 2. */
import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../../bench/random.ts';
import { byName, ListRun, SETTINGS } from '../../../scripts/reranker2/listRun.ts';
import { Deadline } from '../../../src/engine/deadline.ts';
import { commaParts } from '../../../src/engine/reranker2/readQuery.ts';
import { makeReranker, normalizeFor } from '../../../src/engine/rerankers.ts';
import { entity, screen } from '../fixtures.ts';

const VERSION = { version: '2.0.0' };
const person = (name: string) => ({ name, schema: 'Person' as const });

async function scoreOf(listed: string, name: string): Promise<number> {
  const found = await screen([entity({ id: 'one', names: [listed] })], person(name), VERSION);
  return found.candidates[0]?.directScore ?? 0;
}

describe('a listed name', () => {
  test.each([
    ['Nikolai Patrushev', 'Nikolai Patrushev'],
    ['Nikolai Patrushev', 'Patrushev, Nikolai'],
    ['Nikolai Patrushev', 'PATRUSHEV,Nikolai'],
    ['Nikolai Patrushev', 'Patrushev Nikolai'],
    ['PATRUSHEV, Nikolai', 'Nikolai Patrushev'],
    ['PATRUSHEV, Nikolai', 'Patrushev, Nikolai'],
    ['PATRUSHEV, Nikolai', 'Patrushev Nikolai'],
    ['Tarek Velmorani', 'Velmorani, Tarek'],
    ['AL RAHMAN, Shaykh Umar Abd', 'Shaykh Umar Abd al-Rahman'],
    ['Николай Патрушев', 'Патрушев, Николай'],
    ['طارق فلموراني', 'فلموراني، طارق'],
  ])('%s is a match as %s', async (listed, name) => {
    expect(await scoreOf(listed, name)).toBeGreaterThanOrEqual(0.92);
  });

  test('with a comma says as much as in natural order', async () => {
    const plain = await scoreOf('Nikolai Patrushev', 'Nikolai Patrushev');
    expect(await scoreOf('Nikolai Patrushev', 'Patrushev, Nikolai')).toBe(plain);
    expect(await scoreOf('PATRUSHEV, Nikolai', 'Nikolai Patrushev')).toBe(plain);
    expect(await scoreOf('Nikolai Patrushev', 'Patrushev Nikolai')).toBeLessThan(plain);
  });
});

describe("what a person's name has in brackets", () => {
  const NOTE = '(false identity, linked to passport number 434021161, both are confiscated)';

  test.each([
    [`Abdel Ilah Sabri ${NOTE}`, 'Abdel Ilah Sabri', 'Abdel Ilah Sabri'],
    ['Abdel Ilah Sabri', `Abdel Ilah Sabri ${NOTE}`, 'Abdel Ilah Sabri'],
    [`Abdel Ilah Sabri ${NOTE}`, `Sabri, Abdel Ilah ${NOTE}`, 'Abdel Ilah Sabri'],
    ['ZARKONOV (previously Zarkonoff), Petrus', 'Petrus Zarkonov', 'Petrus Zarkonov'],
    ['Petrus [the Dane] Zarkonov', 'Petrus Zarkonov', 'Petrus Zarkonov'],
    ['Petrus Zarkonov (the Dane', 'Petrus Zarkonov', 'Petrus Zarkonov'],
  ])('is no part of it: %s is found by %s', async (listed, name, plain) => {
    expect(await scoreOf(listed, name)).toBe(await scoreOf(plain, plain));
  });

  test('is read where nothing stands beside it', async () => {
    expect(await scoreOf('(Petrus Zarkonov)', 'Petrus Zarkonov')).toBeGreaterThanOrEqual(0.92);
    expect(await scoreOf('Petrus Zarkonov', '(Petrus Zarkonov)')).toBeGreaterThanOrEqual(0.92);
  });

  test('tells one branch of a company from another', async () => {
    const listed = [entity({ id: 'one', names: ['Velmorani (Kenya)'], schema: 'Company' })];
    const score = async (name: string) => {
      const found = await screen(listed, { name, schema: 'Company' }, VERSION);
      return found.candidates[0]?.directScore ?? 0;
    };
    expect(await score('Velmorani (Tanzania)')).toBeLessThan(await score('Velmorani (Kenya)'));
  });

  test('is left out in the event, for a replay', () => {
    const raw = {
      name: `Petrus Zarkonov ${NOTE}`,
      schema: 'Person' as const,
      transliterations: [],
    };
    const query = normalizeFor('2.0.0', raw, new Deadline());
    expect(query.natural).toEqual(['petrus zarkonov']);
    expect(normalizeFor('1.1.0', raw, new Deadline())).not.toHaveProperty('natural');
  });
});

test('no spelling of a name says more for it than the name itself', () => {
  const listed = [
    entity({ id: 'a', names: ['Abd al-Rahman'] }),
    entity({ id: 'b', names: ['Abdul Rahman'] }),
    entity({ id: 'c', names: ['Abdur Rahman'] }),
    entity({ id: 'd', names: ['Abdurrahman'] }),
  ];
  const run = new ListRun(listed);
  for (const [id, name] of [
    ['b', 'Abdul Rahman'],
    ['d', 'Abdurrahman'],
  ] as const) {
    const found = run.search(makeReranker('2.0.0'), byName(name, { schema: 'Person' }));
    expect(found[0]?.id, name).toBe(id);
    expect(found[1]?.finalScore ?? 0, name).toBeLessThan(found[0]?.finalScore ?? 0);
  }
});

test('a comma parts a name where both sides have words', () => {
  expect(commaParts('Patrushev, Nikolai')).toEqual({ after: 'Nikolai', before: 'Patrushev' });
  expect(commaParts('فلموراني، طارق')).toEqual({ after: 'طارق', before: 'فلموراني' });
  expect(commaParts('Nikolai Patrushev')).toBeUndefined();
  expect(commaParts(', Nikolai')).toBeUndefined();
  expect(commaParts('Nikolai,')).toBeUndefined();
});

test('the event has a name with a comma in natural order, for a replay', async () => {
  const raw = { name: 'Velmorani, Tarek', schema: 'Person' as const, transliterations: [] };
  const query = normalizeFor('2.0.0', raw, new Deadline());
  expect(query).toMatchObject({ names: ['velmorani tarek'], natural: ['tarek velmorani'] });
  expect(normalizeFor('2.0.0', { ...raw, schema: 'Company' }, new Deadline()).natural).toBe(
    undefined,
  );
  expect(normalizeFor('1.1.0', raw, new Deadline())).not.toHaveProperty('natural');
});

test('equal scores are in the order of information, rare names first, then of ids', async () => {
  const parts = [
    { id: 'a', names: ['Jose Garcia'] },
    { id: 'b', names: ['Zarkonov Petrichenko'] },
    { id: 'c', names: ['Zarkonov Petrichenko'] },
  ];
  const identifiers = ['AB 123456'];
  // The number is equal and no name is: all are kept for review, at one score.
  const run = new ListRun(parts.map((part) => entity({ ...part, identifiers })));
  const reranker = makeReranker('2.0.0');
  const found = run.search(reranker, { ...byName('Petrichenka Xyloph'), identifiers });
  expect(found.map(({ id }) => id)).toEqual(['b', 'c', 'a']);
  expect(new Set(found.map(({ finalScore }) => finalScore)).size).toBeLessThanOrEqual(2);
});

test('the top band has no ties but of equal names', () => {
  const random = seededRandom(3);
  const letters = 'abcdefghijklmnoprstuvz';
  const word = () =>
    Array.from({ length: 5 + Math.floor(random() * 4) }, () =>
      letters.charAt(Math.floor(random() * letters.length)),
    ).join('');
  const names = Array.from({ length: 120 }, () => `Nikolai ${word()} Patrushev`);
  const run = new ListRun(
    names.map((name, at) => entity({ id: String(at).padStart(4, '0'), names: [name] })),
  );
  const found = run.search(makeReranker('2.0.0'), byName(`${names[7]}`), SETTINGS);
  expect(found[0]?.id).toBe('0007');
  expect(found[0]?.finalScore).toBeLessThan(1);
  expect(found[1]?.finalScore ?? 0).toBeLessThan(found[0]?.finalScore ?? 0);
});

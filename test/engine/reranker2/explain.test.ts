/** A score taken apart: its lines add up, and are of the very score that a screening gives. */
import { describe, expect, test } from 'vitest';
import { syntheticEntities } from '../../../bench/names.ts';
import { pick, seededRandom } from '../../../bench/random.ts';
import {
  buildSnapshot,
  createEngine,
  Deadline,
  type Explanation,
  explainFor,
  type IndexEntity,
} from '../../../src/engine/index.ts';
import { REASON } from '../../../src/engine/reranker2/tokenSimilarity.ts';
import { entity, SETTINGS, screen } from '../fixtures.ts';

const VERSION = '2.0.0';
const EDGES = { datesOfBirth: ['1951-07-11'], gender: 'm', nationalities: ['RU'] } as const;

function explain(
  name: string,
  listed: string,
  more: { readonly of?: Partial<IndexEntity>; readonly about?: object } = {},
): Explanation {
  const of = entity({ id: 'one', names: [listed], ...more.of });
  const schema = of.schema === 'Other' ? {} : { schema: of.schema };
  const raw = { name, transliterations: [], ...schema, ...more.about };
  const [found] = explainFor(VERSION, raw, { deadline: new Deadline(), entities: [of] });
  if (found === undefined) throw new Error('expected an explanation');
  return found;
}

const COMPANY = { of: { schema: 'Company' } } as const;
const CASES: readonly (readonly [string, Explanation])[] = [
  ['same', explain('Nikolai Patrushev', 'Nikolai Patrushev')],
  ['swapped', explain('Patrushev Nikolai', 'Nikolai Patrushev')],
  ['typo', explain('Nikolai Patrushve', 'Nikolai Patrushev')],
  ['transliteration', explain('Ayman Qadhafi', 'Ayman Gaddafi')],
  ['spelling', explain('Mohammed Zarkonov', 'Muhammad Zarkonov')],
  ['initial', explain('N Patrushev', 'Nikolai Patrushev')],
  ['nickname', explain('Bill Zarkonov', 'William Zarkonov')],
  ['shortened', explain('Zarkonov Intern Trading', 'Zarkonov International Trading', COMPANY)],
  ['joined', explain('Nikolai Patr ushev', 'Nikolai Patrushev')],
  ['acronym', explain('PLA', 'Peoples Liberation Army', COMPANY)],
];

/** Ten-thousandths, in which lines are whole numbers. */
const ticks = (z: number): number => Math.round(z * 10_000);

function addsUp({ score, terms, z }: Explanation): void {
  expect(terms.reduce((sum, line) => sum + ticks(line.z), 0)).toBe(ticks(z));
  expect(score).toBeCloseTo(1 / (1 + Math.exp(-z)), 3);
}

describe('an explanation', () => {
  test('has every reason for which words stand for each other', () => {
    expect(CASES.map(([reason]) => reason).sort()).toEqual(
      [...Object.keys(REASON), 'swapped'].sort(),
    );
    for (const [reason, { words }] of CASES) {
      expect(
        words.map((word) => word.reason),
        reason,
      ).toContain(reason);
    }
  });

  test.each(CASES)('of %s adds up to z, to the last decimal', (_, explanation) => {
    addsUp(explanation);
  });

  test('names what is left over, and no order where a comma says it', () => {
    const { left_over } = explain('Nikolai X Patrushev', 'Nikolai Platonovich Patrushev');
    expect(left_over).toEqual({ entry: ['platonovich'], query: ['x'] });
    for (const [name, listed] of [
      ['Patrushev, Nikolai', 'Nikolai Patrushev'],
      ['Nikolai Patrushev', 'PATRUSHEV, Nikolai'],
    ] as const) {
      expect(explain(name, listed).words.map(({ reason }) => reason)).toEqual(['same', 'same']);
    }
  });

  test.each([
    ['information_bound', explain('Ali', 'Ali')],
    ['same_name_bound', explain('Abdul Rahman', 'Abd al-Rahman')],
    ['date_of_birth', explain('Nikolai Patrushev', 'Nikolai Patrushev', both('1951-07-11'))],
    ['nationality', explain('Nikolai Patrushev', 'Nikolai Patrushev', both('1960-01-01'))],
    ['gender', explain('Nikolai Patrushev', 'Nikolai Patrushev', both('1951'))],
    ['identifier', explain('Xyloph', 'Zarkonov', numbered())],
    ['nothing_in_common', explain('Xyloph', 'Zarkonov', numbered())],
    ['attributes_bound', explain('Nikolai Petrov', 'Nikolai Patrushev', both('1951-07-11'))],
  ])('has a line of %s where it plays a part', (term, explanation) => {
    expect(explanation.terms.map((line) => line.term)).toContain(term);
    addsUp(explanation);
  });

  test('ends between two entities once its time is over, and prepares the query once', () => {
    const looks = { left: 3 };
    const deadline = new (class extends Deadline {
      override check(): void {
        if (--looks.left < 0) throw new Error('over');
      }
    })();
    const query = { names: ['nikolai patrushev'], schema: 'Person' as const, variants: [] };
    const entities = ['a', 'b', 'c'].map((id) => entity({ id, names: ['Nikolai Patrushev'] }));
    // One look while the one name is prepared, and one for each entity.
    expect(() => explainFor(VERSION, query, { deadline, entities })).toThrow('over');
    looks.left = 4;
    expect(explainFor(VERSION, query, { deadline, entities })).toHaveLength(3);
  });

  test('is of no formula', () => {
    const raw = { name: 'Ali', transliterations: [] };
    const of = { deadline: new Deadline(), entities: [entity({ id: 'one' })] };
    expect(explainFor('1.1.0', raw, of)).toEqual([undefined]);
  });
});

function both(dob: string) {
  return { about: { dob, gender: 'female', nationality: 'RU' }, of: EDGES };
}

function numbered() {
  const identifiers = ['AB 12-3456'];
  return { about: { identifiers }, of: { identifiers } };
}

test.each([
  ['김정은', 'Kim Jong Un', 'kim jong un'],
  ['יוסף כהן', 'Joseph Cohen', 'joseph cohen'],
  ['محمد يوسف', 'Mohamed Youssef', 'mohamed youssef'],
  ['田中博', 'Tanaka Hiroshi', 'tanaka hiroshi'],
  ['Muhammad Yusuf', 'محمد يوسف', 'muhammad yusuf'],
])('of %s and %s has the spellings that were compared', async (name, listed, spelt) => {
  const found = explain(name, listed);
  expect(found.query).toBe(spelt);
  expect(found.entry).toBe(spelt);
  expect(found.words.length).toBeGreaterThan(1);
  expect(found.left_over).toEqual({ entry: [], query: [] });
  addsUp(found);
  const of = entity({ id: 'one', names: [listed] });
  const { candidates } = await screen([of], { name, schema: 'Person' }, { version: VERSION });
  expect(candidates[0]?.directScore).toBe(found.score);
});

test('explains the very score that a screening gives, of entities of any kind', async () => {
  const random = seededRandom(41);
  const entities = syntheticEntities(600);
  const engine = createEngine({ queueMax: 1, threads: 0 });
  const index = engine.load(buildSnapshot(entities));
  const byId = new Map(entities.map((one) => [one.id, one]));
  let compared = 0;
  for (let turn = 0; turn < 40; turn++) {
    const own = pick(random, entities);
    const listed = pick(random, own.names);
    const name = turn % 2 === 0 ? listed : listed.split(' ').toReversed().join(' ');
    const dob = own.datesOfBirth[0]?.slice(0, 4);
    const raw = { name, transliterations: [], ...(dob !== undefined && { dob }) };
    const settings = { ...SETTINGS, answerScoreMin: 0, version: VERSION };
    const ask = { deadlineMs: 10_000, indexes: [index], query: raw, settings };
    const { candidates, query } = await engine.screen(ask);
    const shown = candidates.slice(0, 8);
    const explained = explainFor(VERSION, query, {
      deadline: new Deadline(),
      entities: shown.map(({ id }) => byId.get(id) as IndexEntity),
    });
    for (const [at, { directScore }] of shown.entries()) {
      const found = explained[at];
      expect(found?.score).toBe(directScore);
      if (found !== undefined) addsUp(found);
      compared += 1;
    }
  }
  index.release();
  await engine.close();
  expect(compared).toBeGreaterThan(100);
});

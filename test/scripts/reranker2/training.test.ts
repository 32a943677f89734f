/** The trainer gives the same model from the same pairs, one that parts them. */
import { expect, test } from 'vitest';
import { syntheticEntities } from '../../../bench/names.ts';
import { pick, seededRandom } from '../../../bench/random.ts';
import model from '../../../config/tables/reranker2Model.json' with { type: 'json' };
import { findClean, linesOf, withLines } from '../../../scripts/reranker2/cleanLines.ts';
import { ListRun } from '../../../scripts/reranker2/listRun.ts';
import { samePerson } from '../../../scripts/reranker2/noise.ts';
import { trained } from '../../../scripts/reranker2/training.ts';
import { Model, scoreOf } from '../../../src/engine/reranker2/model.ts';

const entities = syntheticEntities(200).filter(({ schema }) => schema === 'Person');
const names = entities.map((entity) => entity.names[0] ?? '');
const given = names.map((name) => name.split(' ')[0] ?? '');

function fixture() {
  const random = seededRandom(3);
  const changed = names.flatMap((name) => [
    { a: name, b: samePerson(name, given, random), isSame: true },
    { a: name, b: pick(random, names), isSame: false },
  ]);
  const pairs = changed
    .filter(({ a, b, isSame }) => isSame || a !== b)
    .map((pair) => ({ ...pair, schema: 'Person' as const, sort: 'fixture' }));
  const tuning = pairs.slice(0, 40).map((pair) => ({ ...pair, family: pair.a }));
  const searched = names.slice(0, 10).map((name) => [`${name} Qux`, 'Person'] as const);
  return { pairs: pairs.slice(40), run: new ListRun(entities), searched, tuning };
}

test('two trainings of the same pairs give the same bytes', () => {
  const [one, other] = [trained(fixture()), trained(fixture())];
  expect(JSON.stringify(one.model)).toBe(JSON.stringify(other.model));
  expect(one.outOfFold).toEqual(other.outOfFold);
  expect(one.outOfFold.auc).toBeGreaterThan(0.9);
});

test('a line is where so many clean names are, and lines are told apart by their scores', () => {
  const { run } = fixture();
  const { model } = trained(fixture());
  const source = { areKnown: false, names, schema: 'Person' } as const;
  const found = findClean(run, model, source);
  expect(found.length).toBe(names.length);
  const few = linesOf(found, 'Person', { hit: 0.5, match: 0.02, review: 0.05 });
  expect(few.hit).toBeLessThanOrEqual(few.review);
  expect(few.review).toBeLessThanOrEqual(few.match);
  const more = linesOf(found, 'Person', { hit: 0.6, match: 0.5, review: 0.5 });
  expect(more.review).toBeLessThanOrEqual(few.review);
});

test('a model with lines has their scores there, and rises all the way', () => {
  const lines = { hit: 1.1, match: 3.9, review: 3.2 };
  const { person } = model;
  const own = new Model({ entity: person, person: withLines(person, lines) });
  const score = (raw: number) => scoreOf(own.calibrated('person', raw));
  expect(score(lines.hit)).toBeCloseTo(0.6, 2);
  expect(score(lines.review)).toBeCloseTo(0.85, 2);
  expect(score(lines.match)).toBeCloseTo(0.92, 2);
  for (let raw = -4; raw < 8; raw += 0.05) {
    expect(score(raw + 0.05)).toBeGreaterThan(score(raw));
  }
});

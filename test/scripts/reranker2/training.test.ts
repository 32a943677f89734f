/** The trainer gives the same model from the same pairs, one that parts them. */
import { expect, test } from 'vitest';
import { syntheticEntities } from '../../../bench/names.ts';
import { pick, seededRandom } from '../../../bench/random.ts';
import { ListRun } from '../../../scripts/reranker2/listRun.ts';
import { samePerson } from '../../../scripts/reranker2/noise.ts';
import { shiftOf, trained } from '../../../scripts/reranker2/training.ts';

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

test('a shift is that at which so many clean names are for review', () => {
  const { run } = fixture();
  const { model } = trained(fixture());
  const by = { areKnown: false, schema: 'Person' as const };
  const few = shiftOf(run, model, names, { ...by, share: 0.05 });
  const many = shiftOf(run, model, names, { ...by, share: 0.5 });
  expect(few.names).toBe(names.length);
  expect(few.shift).toBeGreaterThanOrEqual(many.shift);
});

/** A name of another script is spelt as the name beside it is, word by word. */
import { expect, test } from 'vitest';
import { byName, ListRun } from '../../../scripts/reranker2/listRun.ts';
import { foldName } from '../../../src/engine/foldName.ts';
import { ClosestSpelling } from '../../../src/engine/reranker2/closestSpelling.ts';
import { prepareName } from '../../../src/engine/reranker2/preparedName.ts';
import { makeReranker } from '../../../src/engine/rerankers.ts';

const native = (name: string) => foldName(name, 'person').native;

function closest(name: string, other: string): string[] {
  const towards = prepareName(other.split(' '), 'person');
  const spelt = new ClosestSpelling([native(name)]).towards(towards);
  return spelt.map(({ tokens }) => tokens.map(({ text }) => text).join(' '));
}

test('each word takes the spelling that is nearest', () => {
  expect(closest('محمد يوسف', 'mohamed youssef')).toEqual(['mohamed youssef']);
  expect(closest('محمد يوسف', 'muhammad yusuf')).toEqual(['muhammad yusuf']);
  expect(closest('יוסף כהן', 'joseph cohen')).toEqual(['joseph cohen']);
});

test('names in Latin letters are not spelt', () => {
  expect(new ClosestSpelling(['ayman zawahiri', 'иван']).isEmpty).toBe(true);
  expect(closest('Ayman', 'ayman')).toEqual([]);
});

test.each([
  ['김정은', 'KIM, Jong Un'],
  ['田中博', 'Tanaka Hiroshi'],
  ['陳大文', 'CHAN, Tai Man'],
  ['דוד רוזנצוויג', 'David Rosenzweig'],
  ['יוסף כהן', 'Joseph Cohen'],
  ['محمد يوسف الكبيسي', 'Mohamed Youssef al-Kubaysi'],
])('%s finds %s', (name, latin) => {
  const entity = {
    card: '',
    categories: 1,
    datesOfBirth: [],
    nationalities: [],
    schema: 'Person' as const,
  };
  const others = ['Ayman Zawahiri', 'Nikolai Patrushev', 'Park Chung Hee', 'Moshe Katz'];
  const entities = [latin, ...others].map((one, at) => ({ ...entity, id: `${at}`, names: [one] }));
  const run = new ListRun(entities);
  const [first] = run.search(makeReranker('2.0.0'), byName(name, { schema: 'Person' }));
  expect(first?.matchedName).toBe(latin);
  expect(first?.directScore).toBeGreaterThan(0.6);
});

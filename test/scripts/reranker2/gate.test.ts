/** The gate refuses models that find everybody or nobody, and passes the one that ships. */
import { describe, expect, test } from 'vitest';
import { cleanName, syntheticEntities } from '../../../bench/names.ts';
import { seededRandom } from '../../../bench/random.ts';
import model from '../../../config/tables/reranker2Model.json' with { type: 'json' };
import { boundOf, gateFigures, refusals } from '../../../scripts/reranker2/gate.ts';
import { ListRun } from '../../../scripts/reranker2/listRun.ts';
import { Seeker } from '../../../scripts/reranker2/seeker.ts';
import { Model, type ModelData } from '../../../src/engine/reranker2/model.ts';
import { rerankerTwo } from '../../../src/engine/reranker2/reranker.ts';

const random = seededRandom(5);
const small = new ListRun(syntheticEntities(600));
const data = {
  all: small,
  clean: {
    arabic: [],
    companies: [],
    global: Array.from({ length: 60 }, () => cleanName(random)),
    us: [],
  },
  count: 40,
  lists: new Map([['synthetic', small]]),
};
const figuresOf = (own: ModelData) =>
  gateFigures(new Seeker('2.0.0', rerankerTwo(new Model(own))), data);
const shifted = (by: number) => ({
  entity: { ...model.entity, shift: model.entity.shift + by },
  person: { ...model.person, shift: model.person.shift + by },
});

describe('the gate', () => {
  test('refuses a model that finds everybody, however well it parts pairs', () => {
    const loose = { bias: 6, shift: 0, weights: { coverage: 4 } };
    const refused = refusals(figuresOf({ entity: loose, person: loose }));
    expect(refused.some((reason) => reason.startsWith('clean names'))).toBe(true);
    expect(refused.some((reason) => reason.startsWith('clean customers'))).toBe(true);
  });

  test('refuses a model that finds nobody', () => {
    const refused = refusals(figuresOf(shifted(30)));
    expect(refused.some((reason) => reason.startsWith('planted person'))).toBe(true);
  });

  test('passes the model that ships on invented names, clean ones among them', () => {
    const figures = figuresOf(model);
    expect(refusals(figures), JSON.stringify([...figures])).toEqual([]);
  });

  test('has a bound for each figure that it takes', () => {
    for (const figure of figuresOf(model).keys()) expect(boundOf(figure), figure).toBeDefined();
  });
});

test('a figure at its bound passes, one under it is named', () => {
  expect(refusals(new Map([['planted person, a hit from .60: alias', 0.99]]))).toEqual([]);
  expect(refusals(new Map([['planted person, a hit from .60: alias', 0.9899]]))).toEqual([
    'planted person, a hit from .60: alias: 0.9899, expected at least 0.99',
  ]);
  expect(refusals(new Map([['common word alone, best score', 0.51]]))).toHaveLength(1);
});

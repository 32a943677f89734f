/**
 * Fits re-ranker 2's model and writes config/tables/reranker2Model.json. Run by hand when a table,
 * a term or the data changes (`TEST_DATA_DIR=… node scripts/trainReranker2.ts`); seeded, so that
 * the same data gives the same bytes. A new model is a new version, and ships only if it passes
 * `npm run gate`.
 *
 *   --dry            writes nothing
 *   --without SORT   leaves one sort of pairs out, to see what it gives (repeatable)
 *   --with SORT      takes one in that is left out (repeatable)
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Model, type ModelData } from '../src/engine/reranker2/model.ts';
import { type Labelled, shiftOf, trained } from './reranker2/training.ts';
import { trainingData } from './reranker2/trainingData.ts';

const OUT = new URL('../config/tables/reranker2Model.json', import.meta.url);
/** Share of clean names that may reach the line of review. */
const SHARE = 0.002;

function report(made: readonly Labelled[], model: ModelData): void {
  const sorts = Map.groupBy(made, ({ isSame, sort }) => `${sort} ${isSame ? 'same' : 'other'}`);
  const scorer = new Model(model);
  for (const [sort, pairs] of sorts) {
    const right = pairs.filter(
      ({ isSame, terms }) => scorer.raw(terms.kind, terms.values) >= 0 === isSame,
    );
    console.log(`  ${sort}: ${pairs.length}, right ${(right.length / pairs.length).toFixed(3)}`);
  }
}

const seconds = () => `${(performance.now() / 1e3).toFixed(0)} s`;
const { values } = parseArgs({
  options: {
    dry: { type: 'boolean' },
    with: { multiple: true, type: 'string' },
    without: { multiple: true, type: 'string' },
  },
});
const { with: more = [], without = [] } = values;
const data = await trainingData({ with: more, without });
console.log(`${data.pairs.length} pairs, ${data.run.entities.length} entities, ${seconds()}`);
const { model } = trained(data, (round, found) => {
  console.log(`round ${round}: ${found.made.length} pairs, ${seconds()}`);
  console.log('tuning pairs, out of fold:', found.outOfFold);
  report(found.made, found.model);
});
const shifts = {
  companies: shiftOf(data.run, model, data.shiftedOn.companies, {
    areKnown: true,
    schema: 'Company',
    share: SHARE,
  }),
  global: shiftOf(data.run, model, data.shiftedOn.global, {
    areKnown: true,
    schema: 'Person',
    share: SHARE,
  }),
  us: shiftOf(data.run, model, data.shiftedOn.us, {
    areKnown: false,
    schema: 'Person',
    share: SHARE,
  }),
};
console.log('shifts', shifts, seconds());
const shifted: ModelData = {
  entity: { ...model.entity, shift: shifts.companies.shift },
  person: { ...model.person, shift: Math.max(shifts.us.shift, shifts.global.shift) },
};
console.log(JSON.stringify(shifted));
if (values.dry !== true) writeFileSync(OUT, `${JSON.stringify(shifted)}\n`);

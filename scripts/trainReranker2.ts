/**
 * Fits re-ranker 2's model and writes config/tables/reranker2Model.json. Run by hand when a table,
 * a term or the data changes (`TEST_DATA_DIR=… node scripts/trainReranker2.ts`); seeded, so that
 * the same data gives the same bytes. A new model is a new version, and ships only if it passes
 * `npm run gate`.
 *
 *   --dry            writes nothing
 *   --lines          keeps the weights that ship, and fixes the lines anew
 *   --without SORT   leaves one sort of pairs out, to see what it gives (repeatable)
 *   --with SORT      takes one in that is left out (repeatable)
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import shipped from '../config/tables/reranker2Model.json' with { type: 'json' };
import { Model, type ModelData } from '../src/engine/reranker2/model.ts';
import { findClean, type Lines, linesOf, withLines } from './reranker2/cleanLines.ts';
import { type Labelled, trained } from './reranker2/training.ts';
import { type LineData, lineData, trainingData } from './reranker2/trainingData.ts';

const SHIPPED: ModelData = shipped;
const OUT = new URL('../config/tables/reranker2Model.json', import.meta.url);

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
    lines: { type: 'boolean' },
    with: { multiple: true, type: 'string' },
    without: { multiple: true, type: 'string' },
  },
});
const { with: more = [], without = [] } = values;

async function fitted(): Promise<LineData & { readonly model: ModelData }> {
  const data = await trainingData({ with: more, without });
  console.log(`${data.pairs.length} pairs, ${data.run.entities.length} entities, ${seconds()}`);
  const { model } = trained(data, (round, found) => {
    console.log(`round ${round}: ${found.made.length} pairs, ${seconds()}`);
    console.log('tuning pairs, out of fold:', found.outOfFold);
    report(found.made, found.model);
  });
  return { ...data, model };
}

const { model, run, shiftedOn } =
  values.lines === true ? { ...(await lineData()), model: SHIPPED } : await fitted();

/** The lines of names of these sources, counted together. */
function linesOver(schema: 'Company' | 'Person', ...sources: (keyof typeof shiftedOn)[]): Lines {
  const found = sources.flatMap((kind) =>
    findClean(run, model, { areKnown: kind !== 'us', names: shiftedOn[kind], schema }),
  );
  const lines = linesOf(found, schema);
  console.log(`lines of ${found.length} names, ${sources.join(' and ')}:`, lines, seconds());
  return lines;
}

const shifted: ModelData = {
  entity: withLines(model.entity, linesOver('Company', 'companies')),
  person: withLines(model.person, linesOver('Person', 'us', 'global')),
};
console.log(JSON.stringify(shifted));
if (values.dry !== true) writeFileSync(OUT, `${JSON.stringify(shifted)}\n`);

/**
 * `npm run gate`: whether re-ranker 2's model may ship. Searches the real lists of TEST_DATA_DIR
 * with the model of config/tables and prints each figure with its bound; exits with 1 where one is
 * out of it, or where the data is absent. `--count N` queries of each kind (600).
 */
import { parseArgs } from 'node:util';
import { makeReranker } from '../src/engine/rerankers.ts';
import { cleanNames } from './reranker2/cleanNames.ts';
import { BOUNDS, type Bound, type Figure, gateFigures, refusals } from './reranker2/gate.ts';
import { allLists, ListRun } from './reranker2/listRun.ts';

/** Not the names that the shifts were fixed on. */
const CLEAN_SEED = 4_711;
const VERSION = '2.0.0';

const { values } = parseArgs({ options: { count: { default: '600', type: 'string' } } });
const count = Number(values.count);
const { companies, global, us } = await cleanNames(count, CLEAN_SEED);
const run = new ListRun(await allLists());
const clean = { companies, persons: [...us, ...global] };
const figures = gateFigures(run, makeReranker(VERSION), { clean, count });
for (const [figure, value] of Object.entries(figures)) {
  const { least, most }: Bound = BOUNDS[figure as Figure];
  const bound = least === undefined ? `at most ${most}` : `at least ${least}`;
  console.log(`${figure.padEnd(44)} ${value.toFixed(4)}  (${bound})`);
}
const refused = refusals(figures);
for (const reason of refused) console.error(`refused: ${reason}`);
if (refused.length > 0) process.exitCode = 1;

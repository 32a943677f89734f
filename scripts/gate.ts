/**
 * `npm run gate`: whether re-ranker 2's model may ship. Searches the real lists of TEST_DATA_DIR
 * with the model of config/tables and prints each figure with its bound; exits with 1 where one is
 * out of it, or where the data is absent. `--count N` queries of each kind (1,000), and ten times
 * as many clean names.
 */
import { parseArgs } from 'node:util';
import { boundOf, gateFigures, refusals } from './reranker2/gate.ts';
import { gateData } from './reranker2/gateData.ts';
import { Seeker } from './reranker2/seeker.ts';

const VERSION = '2.0.0';
/** Clean names for each query of another kind: their shares are counted in thousandths. */
const CLEAN_TIMES = 10;

const { values } = parseArgs({ options: { count: { default: '1000', type: 'string' } } });
const count = Number(values.count);
const figures = gateFigures(new Seeker(VERSION), await gateData(count, CLEAN_TIMES * count));
for (const [figure, value] of figures) {
  const { least, most } = boundOf(figure) ?? {};
  const bound =
    least === undefined ? (most === undefined ? 'told' : `at most ${most}`) : `at least ${least}`;
  console.log(`${figure.padEnd(76)} ${value.toFixed(4)}  (${bound})`);
}
const refused = refusals(figures);
for (const reason of refused) console.error(`refused: ${reason}`);
if (refused.length > 0) process.exitCode = 1;

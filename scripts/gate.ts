/**
 * `npm run gate`: whether re-ranker 2's model may ship. Searches the real lists of TEST_DATA_DIR
 * with the model of config/tables and prints each figure with its bound; exits with 1 where one is
 * out of it, or where the data is absent. `--count N` queries of each kind (1,000), and as many
 * clean names of each.
 */
import { parseArgs } from 'node:util';
import { boundOf, gateFigures, refusals } from './reranker2/gate.ts';
import { gateData } from './reranker2/gateData.ts';
import { Seeker } from './reranker2/seeker.ts';

const VERSION = '2.0.0';

const { values } = parseArgs({ options: { count: { default: '1000', type: 'string' } } });
const figures = gateFigures(new Seeker(VERSION), await gateData(Number(values.count)));
for (const [figure, value] of figures) {
  const { least, most } = boundOf(figure) ?? {};
  const bound =
    least === undefined ? (most === undefined ? 'told' : `at most ${most}`) : `at least ${least}`;
  console.log(`${figure.padEnd(76)} ${value.toFixed(4)}  (${bound})`);
}
const refused = refusals(figures);
for (const reason of refused) console.error(`refused: ${reason}`);
if (refused.length > 0) process.exitCode = 1;

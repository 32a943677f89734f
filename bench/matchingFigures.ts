/**
 * The figures of the gate (scripts/reranker2/gate.ts) by every re-ranker in one run, and how well
 * they part labelled pairs:
 *
 *   matching/<figure>        one row a figure; 2.0.0 beside 1.0.0 and 1.1.0
 *   matching/pairs …         F1, area under the curve and recall at a precision of .9 on labelled
 *                            pairs. For 2.0.0 out of fold, where `--count` is 1,000 or more: that
 *                            trains a model for each fold, which takes minutes; else the model that
 *                            ships, which has seen the pairs, and says so.
 */
import { gateFigures } from '../scripts/reranker2/gate.ts';
import { gateData } from '../scripts/reranker2/gateData.ts';
import { byName, ListRun } from '../scripts/reranker2/listRun.ts';
import { type PairFigures, pairFigures } from '../scripts/reranker2/pairFigures.ts';
import { Seeker } from '../scripts/reranker2/seeker.ts';
import { trained } from '../scripts/reranker2/training.ts';
import { trainingData } from '../scripts/reranker2/trainingData.ts';
import { type Pair, tuningPairs } from '../scripts/reranker2/trainingPairs.ts';
import type { BenchOptions, BenchRow } from './row.ts';

const VERSIONS = ['1.0.0', '1.1.0', '2.0.0'] as const;
const COUNT = 300;
/** Queries of each kind from which models are trained, too. */
const TRAINED_FROM = 1_000;

export async function rows({ count = COUNT, smoke }: BenchOptions): Promise<BenchRow[]> {
  const data = await gateData(smoke ? 20 : count);
  const found = VERSIONS.map((version) => gateFigures(new Seeker(version), data));
  const names = [...(found[0]?.keys() ?? [])];
  const figures = names.map((name) =>
    row(
      name,
      `lists, ${data.count} of a kind`,
      found.map((one) => one.get(name) ?? 0),
    ),
  );
  return [...figures, ...(await pairRows(!smoke && count >= TRAINED_FROM))];
}

function row(name: string, data: string, values: readonly number[]): BenchRow {
  const [baseline = 0, second = 0, ours = 0] = values;
  return {
    also: { [VERSIONS[1]]: second },
    baseline,
    baseline_name: `re-ranker ${VERSIONS[0]}`,
    data,
    id: `matching/${name}`,
    ours,
    size: 'lists',
    suite: 'matching',
    unit: 'share',
  };
}

async function pairRows(isTrained: boolean): Promise<BenchRow[]> {
  const pairs = tuningPairs();
  const found = VERSIONS.map((version) => searchedPairs(new Seeker(version), pairs));
  if (isTrained) found[2] = trained(await trainingData()).outOfFold;
  const how = isTrained ? '2.0.0 out of fold' : '2.0.0 has seen them';
  const of = (name: string, value: (one: PairFigures) => number) =>
    row(`pairs ${name}`, `${pairs.length} labelled pairs, ${how}`, found.map(value));
  return [
    of('F1', ({ f1 }) => f1),
    of('area under the curve', ({ auc }) => auc),
    of('recall at precision .9', ({ recallAt90 }) => recallAt90),
  ];
}

/** Each pair as a search for one name in a list of the other. */
function searchedPairs(seeker: Seeker, pairs: readonly Pair[]): PairFigures {
  return pairFigures(
    pairs.map(({ a, b, isSame, schema }) => {
      const entity = { card: '', categories: 1, datesOfBirth: [], id: 'b', nationalities: [] };
      const run = new ListRun([{ ...entity, names: [b], schema }]);
      const [found] = seeker.search(run, byName(a, schema === 'Other' ? {} : { schema }));
      return { isSame, score: found?.directScore ?? 0 };
    }),
  );
}

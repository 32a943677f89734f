/**
 * What a second thread gives: the same queries through an engine of one thread and of two, turn by
 * turn so that both meet the same machine; queries a second of wall clock, with more queries under
 * way than threads. Two threads of a machine with two cores share them with the caller.
 */
import { createEngine, type RawQuery } from '#engine';
import type { NoisyQuery } from './noise.ts';
import type { BenchRow } from './row.ts';
import { SETTINGS } from './syntheticList.ts';

const ROUNDS = 3;
const UNDER_WAY = 6;
const DEADLINE_MS = 10_000;

async function perSecond(
  snapshot: SharedArrayBuffer,
  queries: readonly RawQuery[],
  threads: number,
): Promise<number> {
  const engine = createEngine({ threads, queueMax: 2 * UNDER_WAY });
  try {
    const index = engine.load(snapshot);
    const screen = (query: RawQuery) =>
      engine.screen({ query, indexes: [index], settings: SETTINGS, deadlineMs: DEADLINE_MS });
    const runAll = async (asked: readonly RawQuery[]): Promise<void> => {
      let next = 0;
      const caller = async () => {
        for (let query = asked[next++]; query !== undefined; query = asked[next++]) {
          await screen(query);
        }
      };
      await Promise.all(Array.from({ length: UNDER_WAY }, caller));
    };
    await runAll(queries.slice(0, Math.ceil(queries.length / 4)));
    const startedAt = performance.now();
    await runAll(queries);
    return (queries.length * 1e3) / (performance.now() - startedAt);
  } finally {
    await engine.close();
  }
}

export async function threadsRow(
  snapshot: SharedArrayBuffer,
  queries: readonly NoisyQuery[],
  common: Pick<BenchRow, 'suite' | 'data' | 'size'>,
): Promise<BenchRow> {
  const asked = queries.map(({ raw }) => raw);
  let one = 0;
  let two = 0;
  for (let round = 0; round < ROUNDS; round++) {
    one = Math.max(one, await perSecond(snapshot, asked, 1));
    two = Math.max(two, await perSecond(snapshot, asked, 2));
  }
  return {
    ...common,
    id: 'engine/two-threads',
    ours: two,
    unit: 'queries a second',
    baseline: one,
    baseline_name: 'one thread',
    ratio: two / one,
  };
}

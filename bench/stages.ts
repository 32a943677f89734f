/**
 * Where the time of a query goes, by stage: what a token may stand for (expansion), reading of
 * postings, scoring of candidates, and the rest (preparing, merging the answer). Wall time of one
 * thread, each kernel call with a clock around it: some 0.1 µs a call too much.
 */
import type { ScorerSettings } from '#engine';
import { Deadline } from '../src/engine/deadline.ts';
import { Formula } from '../src/engine/formula.ts';
import { KernelHost, type Kernels } from '../src/engine/kernelHost.ts';
import { layOutList } from '../src/engine/listMemory.ts';
import { normalizeQuery } from '../src/engine/normalizeQuery.ts';
import { PreparedQuery } from '../src/engine/preparedQuery.ts';
import { DIRECT_SCORE_MIN, ListScreener } from '../src/engine/screenList.ts';
import { openSnapshot } from '../src/engine/snapshotFormat.ts';
import { TopK } from '../src/engine/topK.ts';
import type { NoisyQuery } from './noise.ts';
import type { BenchRow } from './row.ts';

const STAGES: Readonly<Record<string, string>> = {
  makeUnits: 'expansion',
  countVotes: 'postings',
  addWholeNames: 'postings',
  soundCandidates: 'postings',
  sweepForms: 'sweep',
  scoreBatch: 'scoring',
  aliasScore: 'scoring',
};

/** The kernels with a clock around each call. */
function timed(kernels: Kernels, spent: Map<string, number>): Kernels {
  const entries = Object.entries(kernels).map(([name, kernel]) => {
    const stage = STAGES[name];
    if (stage === undefined) return [name, kernel];
    const call = kernel as (...values: number[]) => number;
    const clocked = (...values: number[]): number => {
      const startedAt = performance.now();
      const answer = call(...values);
      spent.set(stage, (spent.get(stage) ?? 0) + performance.now() - startedAt);
      return answer;
    };
    return [name, clocked];
  });
  return Object.fromEntries(entries) as Kernels;
}

/** Rows `engine/stage/…`, in µs a query. */
export function stageRows(
  snapshot: SharedArrayBuffer,
  ask: { readonly queries: readonly NoisyQuery[]; readonly settings: ScorerSettings },
  common: Pick<BenchRow, 'suite' | 'data' | 'size'>,
): BenchRow[] {
  const memory = layOutList(snapshot, { slots: 1 });
  const list = openSnapshot(memory.buffer);
  const host = new KernelHost({ list, ...memory });
  const spent = new Map<string, number>();
  Object.defineProperty(host, 'kernels', { value: timed(host.kernels, spent) });
  const screener = new ListScreener();
  const query = new PreparedQuery();
  const best = new TopK();
  const formula = new Formula(ask.settings);
  const run = (raw: NoisyQuery['raw']) => {
    query.set(normalizeQuery(raw));
    best.reset({ size: 50, directScoreMin: DIRECT_SCORE_MIN, idOrder: () => 0 });
    host.open(0, undefined);
    screener.screen({
      ...{ list, host, index: 0, query, formula, best, primaryOnly: false },
      ...{ directScoreMin: DIRECT_SCORE_MIN, deadline: new Deadline() },
    });
  };
  for (const { raw } of ask.queries.slice(0, 100)) run(raw);
  spent.clear();
  const startedAt = performance.now();
  for (const { raw } of ask.queries) run(raw);
  const total = performance.now() - startedAt;
  const inKernels = [...spent.values()].reduce((sum, ms) => sum + ms, 0);
  spent.set('prepare-merge', total - inKernels);
  return [...spent].map(([stage, ms]) => ({
    ...common,
    id: `engine/stage/${stage}`,
    ours: (ms * 1e3) / ask.queries.length,
    unit: 'µs a query',
  }));
}

/**
 * Retrieval and re-ranking of one query on one core, without threads or HTTP: queries a second of
 * CPU, beside FlexSearch over whole names in the same run, and recall beside the speed.
 *
 * `recall` is ours of the exhaustive answer (directScore at or over 0.70); the row of the baseline
 * gives the share of noisy names whose entity is among its 50, next to ours. Not a goal: FlexSearch
 * at its very best; its forward tokenizer is the set-up that served names best.
 */
import { Charset, Index } from 'flexsearch';
import { buildSnapshot, foldName, type IndexEntity, type ScorerSettings } from '#engine';
import { BLOCK, BLOCK_LENGTH } from '../src/engine/messages.ts';
import { normalizeQuery } from '../src/engine/normalizeQuery.ts';
import { COLUMN, ROW_LENGTH } from '../src/engine/topK.ts';
import { type BenchList, benchList } from './lists.ts';
import { type NoisyQuery, noisyQueries, syntheticEntities } from './names.ts';
import { measureRecall, openRunner, taskOf } from './recall.ts';
import type { BenchOptions, BenchRow } from './row.ts';
import { tokenLookupRows } from './tokenLookup.ts';

const SETTINGS: ScorerSettings = {
  version: '1.0.0',
  weights: { name: 0.4, phonetic: 0.15, dob: 0.2, nationality: 0.1, alias: 0.15 },
  missingAttributes: 'rescale',
  phoneticNames: 'all',
  boosts: { SAN: 1, PEP: 0.85, RCA: 0.7, SI: 0.9, DI: 0.75 },
  topN: 50,
};
const SYNTHETIC_COUNT = { lists: 0, '100k': 100_000, '1m': 1_000_000, '5m': 5_000_000 } as const;
const CANDIDATES = 50;

interface Measured {
  readonly perSecond: number;
  readonly times: Float64Array;
  /** Share of queries made from an entity whose answer holds it. */
  readonly knownFound: number;
  readonly checksum: number;
}

function measure(
  queries: readonly NoisyQuery[],
  ask: (query: NoisyQuery) => Set<string>,
): Measured {
  for (const query of queries.slice(0, 50)) ask(query);
  const times = new Float64Array(queries.length);
  let known = 0;
  let found = 0;
  let checksum = 0;
  const before = process.cpuUsage();
  queries.forEach((query, at) => {
    const startedAt = performance.now();
    const ids = ask(query);
    times[at] = performance.now() - startedAt;
    checksum += ids.size;
    if (query.id === undefined) return;
    known += 1;
    if (ids.has(query.id)) found += 1;
  });
  const { user, system } = process.cpuUsage(before);
  times.sort();
  const perSecond = (queries.length * 1e6) / (user + system);
  return { perSecond, times, knownFound: known === 0 ? 0 : found / known, checksum };
}

function oursOver(snapshot: SharedArrayBuffer, entities: readonly IndexEntity[]) {
  const runner = openRunner(snapshot);
  const block = new Float64Array(BLOCK_LENGTH);
  return ({ raw }: NoisyQuery): Set<string> => {
    runner.run(taskOf(normalizeQuery(raw), SETTINGS), block);
    const ids = new Set<string>();
    for (let rank = 0; rank < (block[BLOCK.count] ?? 0); rank++) {
      const entity = block[BLOCK.rows + rank * ROW_LENGTH + COLUMN.entity] ?? -1;
      ids.add(entities[entity]?.id ?? '');
    }
    return ids;
  };
}

function flexSearchOver(entities: readonly IndexEntity[]) {
  const index = new Index({ tokenize: 'forward', encoder: Charset.LatinBalance });
  const owners: string[] = [];
  for (const entity of entities) {
    for (const name of entity.names) {
      index.add(owners.length, foldName(name).latin);
      owners.push(entity.id);
    }
  }
  return ({ raw }: NoisyQuery): Set<string> => {
    const options = { limit: CANDIDATES * 4, suggest: true };
    const found = index.search(foldName(raw.name).latin, options) as number[];
    return new Set([...new Set(found.map((at) => owners[at] ?? ''))].slice(0, CANDIDATES));
  };
}

function percentile(times: Float64Array, share: number): number {
  return times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
}

async function listOf(options: BenchOptions): Promise<BenchList> {
  const count = SYNTHETIC_COUNT[options.size];
  if (count === 0) return benchList(options.smoke ? 2_000 : 15_000);
  const entities = syntheticEntities(count);
  return { data: `${count.toLocaleString('en')} synthetic entities`, entities };
}

export async function rows(options: BenchOptions): Promise<BenchRow[]> {
  const { data, entities } = await listOf(options);
  const queries = noisyQueries(entities, options.smoke ? 100 : 2_000);
  const buildStartedAt = performance.now();
  const snapshot = buildSnapshot(entities);
  const buildMs = performance.now() - buildStartedAt;
  const ours = measure(queries, oursOver(snapshot, entities));
  const flexSearch = measure(queries.slice(0, options.smoke ? 50 : 500), flexSearchOver(entities));
  const large = entities.length > 50_000;
  const sample = queries.slice(0, options.smoke ? 10 : large ? 20 : 200);
  const { wanted, found } = measureRecall({ snapshot, queries: sample, settings: SETTINGS });
  const common = { suite: 'engine', data, size: options.size };
  return [
    {
      ...common,
      id: 'engine/retrieve-rerank',
      ours: ours.perSecond,
      unit: 'queries a CPU second',
      baseline: flexSearch.perSecond,
      baseline_name: 'FlexSearch over whole names, not re-ranked',
      ratio: ours.perSecond / flexSearch.perSecond,
      recall: wanted === 0 ? 1 : found / wanted,
      p50_ms: percentile(ours.times, 0.5),
      p95_ms: percentile(ours.times, 0.95),
      p99_ms: percentile(ours.times, 0.99),
      memory_mb: snapshot.byteLength / 2 ** 20,
      checksum: String(ours.checksum),
    },
    {
      ...common,
      id: 'engine/entity-found',
      ours: ours.knownFound,
      unit: 'share of noisy names in the 50',
      baseline: flexSearch.knownFound,
      baseline_name: 'FlexSearch',
      ratio: ours.knownFound / flexSearch.knownFound,
      p50_ms: percentile(flexSearch.times, 0.5),
      p95_ms: percentile(flexSearch.times, 0.95),
      p99_ms: percentile(flexSearch.times, 0.99),
    },
    {
      ...common,
      id: 'engine/build',
      ours: buildMs,
      unit: 'ms',
      memory_mb: snapshot.byteLength / 2 ** 20,
    },
    ...tokenLookupRows(snapshot, { ...common, smoke: options.smoke }),
  ];
}

/**
 * Retrieval and re-ranking of one query on one core, without threads or HTTP: queries a second of
 * CPU, beside FlexSearch over whole names in the same run, and recall beside the speed.
 *
 * `recall` is ours of the exhaustive answer (directScore at or over 0.70); the row of the baseline
 * gives the share of noisy names whose entity is among its 50, next to ours. Not a goal: FlexSearch
 * at its very best; its forward tokenizer is the set-up that served names best.
 */
import { Charset, Index } from 'flexsearch';
import { foldName, type IndexEntity } from '#engine';
import { BLOCK, BLOCK_LENGTH } from '../src/engine/messages.ts';
import { normalizeQuery } from '../src/engine/normalizeQuery.ts';
import { COLUMN, ROW_LENGTH } from '../src/engine/topK.ts';
import { benchList } from './lists.ts';
import { lookupRows } from './lookups.ts';
import {
  type EntitySource,
  streamEntities,
  syntheticData,
  syntheticEntities,
  syntheticSource,
} from './names.ts';
import { type NoisyQuery, noisyQueries } from './noise.ts';
import { measureExhaustive, openRunner, taskOf } from './recall.ts';
import type { BenchOptions, BenchRow } from './row.ts';
import { stageRows } from './stages.ts';
import { type BuildTimes, buildAsideTimed, ENTITY_COUNTS, SETTINGS } from './syntheticList.ts';
import { threadsRow } from './threads.ts';
import { tokenLookupRows } from './tokenLookup.ts';

const CANDIDATES = 50;
/** FlexSearch over more whole names than these takes minutes to build and gigabytes to hold. */
const FLEX_ENTITIES_MAX = 50_000;

interface Measured {
  readonly perSecond: number;
  readonly times: Float64Array;
  /** Share of queries made from an entity whose answer holds it. */
  readonly knownFound: number;
  readonly checksum: number;
}

function measure(
  queries: readonly NoisyQuery[],
  ask: (query: NoisyQuery) => Set<number>,
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
    if (ids.has(query.place)) found += 1;
  });
  const { user, system } = process.cpuUsage(before);
  times.sort();
  const perSecond = (queries.length * 1e6) / (user + system);
  return { perSecond, times, knownFound: known === 0 ? 0 : found / known, checksum };
}

function oursOver(snapshot: SharedArrayBuffer) {
  const runner = openRunner(snapshot);
  const block = new Float64Array(BLOCK_LENGTH);
  return ({ raw }: NoisyQuery): Set<number> => {
    runner.run(taskOf(normalizeQuery(raw), SETTINGS), block);
    const ids = new Set<number>();
    for (let rank = 0; rank < (block[BLOCK.count] ?? 0); rank++) {
      ids.add(block[BLOCK.rows + rank * ROW_LENGTH + COLUMN.entity] ?? -1);
    }
    return ids;
  };
}

function flexSearchOver(entities: readonly IndexEntity[]) {
  const index = new Index({ tokenize: 'forward', encoder: Charset.LatinBalance });
  const owners: number[] = [];
  entities.forEach((entity, place) => {
    for (const name of entity.names) {
      index.add(owners.length, foldName(name).latin);
      owners.push(place);
    }
  });
  return ({ raw }: NoisyQuery): Set<number> => {
    const options = { limit: CANDIDATES * 4, suggest: true };
    const found = index.search(foldName(raw.name).latin, options) as number[];
    return new Set([...new Set(found.map((at) => owners[at] ?? -1))].slice(0, CANDIDATES));
  };
}

function percentile(times: Float64Array, share: number): number {
  return times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
}

interface EngineList {
  readonly data: string;
  readonly entities: EntitySource;
  readonly snapshot: SharedArrayBuffer;
  readonly build: BuildTimes;
  /** What FlexSearch is given: all, or as many of the first as it can take. */
  readonly sample: readonly IndexEntity[];
}

async function listOf(options: BenchOptions): Promise<EngineList> {
  if (options.size !== 'lists') {
    const count = ENTITY_COUNTS[options.size];
    const sample = syntheticEntities(Math.min(count, FLEX_ENTITIES_MAX));
    const list = { data: syntheticData(count), entities: syntheticSource(count) };
    return { ...list, ...(await buildAsideTimed(streamEntities(count))), sample };
  }
  const { data, entities } = await benchList(options.smoke ? 2_000 : 15_000);
  const source = { length: entities.length, at: (place: number) => entities.at(place) };
  return { data, entities: source, ...(await buildAsideTimed(entities)), sample: entities };
}

export async function rows(options: BenchOptions): Promise<BenchRow[]> {
  const { data, entities, snapshot, build, sample } = await listOf(options);
  const queries = noisyQueries(entities, options.smoke ? 100 : 2_000);
  const ours = measure(queries, oursOver(snapshot));
  const flexQueries = noisyQueries(sample, options.smoke ? 50 : 300);
  const flexSearch = measure(flexQueries, flexSearchOver(sample));
  const large = entities.length > FLEX_ENTITIES_MAX;
  const truthSample = queries.slice(0, options.smoke ? 10 : large ? 20 : 200);
  const { wanted, found } = measureExhaustive(snapshot, truthSample);
  const common = { suite: 'engine', data, size: options.size };
  return [
    {
      ...common,
      id: 'engine/retrieve-rerank',
      ours: ours.perSecond,
      unit: 'queries a CPU second',
      baseline: flexSearch.perSecond,
      baseline_name: `FlexSearch, whole names of ${sample.length} entities, not re-ranked`,
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
      ours: build.wallMs,
      unit: 'ms',
      memory_mb: snapshot.byteLength / 2 ** 20,
    },
    { ...common, id: 'engine/build-cpu', ours: build.cpuMs, unit: 'CPU ms' },
    ...stageRows(snapshot, { queries: queries.slice(0, 500), settings: SETTINGS }, common),
    await threadsRow(snapshot, queries.slice(0, 1_000), common),
    ...tokenLookupRows(snapshot, { ...common, smoke: options.smoke }),
    ...lookupRows(snapshot, { entities, sample }, { ...common, smoke: options.smoke }),
  ];
}

/**
 * Retrieval and re-ranking of one query on one core, without threads or HTTP: queries a second of
 * CPU, beside FlexSearch over whole names in the same run, and recall beside the speed.
 *
 * The row without a mark is re-ranker 2's best 50 whatever they score, `as-screened` its candidates
 * from .5 on, as screenings ask, the one with a version re-ranker 1's.
 *
 * `recall` is ours of the exhaustive answer (directScore at or over 0.70); the row of the baseline
 * gives the share of noisy names whose entity is among its 50, next to ours. Not a goal: FlexSearch
 * at its very best; its forward tokenizer is the set-up that served names best.
 */
import { Charset, Index } from 'flexsearch';
import { foldName, type IndexEntity, type ScorerSettings } from '#engine';
import { KERNEL_SECTIONS } from '../src/engine/kernelHost.ts';
import { BLOCK, BLOCK_LENGTH } from '../src/engine/messages.ts';
import { openSnapshot } from '../src/engine/snapshotFormat.ts';
import { COLUMN, ROW_LENGTH } from '../src/engine/topK.ts';
import { benchList } from './lists.ts';
import { lookupRows } from './lookups.ts';
import { pairRows } from './namePairs.ts';
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
import {
  type BuildTimes,
  buildAsideTimed,
  ENTITY_COUNTS,
  MEASURED_VERSIONS,
  SETTINGS,
  settingsOf,
} from './syntheticList.ts';
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

function oursOver(snapshot: SharedArrayBuffer, settings: ScorerSettings) {
  const runner = openRunner(snapshot);
  const block = new Float64Array(BLOCK_LENGTH);
  return ({ raw }: NoisyQuery): Set<number> => {
    runner.run(taskOf(raw, settings), block);
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

/** What screenings ask of 2.x: no candidate under this score is evidence. */
const SCREENED_SCORE_MIN = 0.5;

/** The settings that are measured, by what stands behind the id of a row. */
function measuredSettings(): readonly (readonly [string, ScorerSettings])[] {
  const [batches, single] = MEASURED_VERSIONS.map(settingsOf);
  if (batches === undefined || single === undefined) throw new Error('two are measured');
  return [
    ['', batches],
    ['/as-screened', { ...batches, answerScoreMin: SCREENED_SCORE_MIN }],
    [`/${single.version}`, single],
  ];
}

export async function rows(options: BenchOptions): Promise<BenchRow[]> {
  const { data, entities, snapshot, build, sample } = await listOf(options);
  const queries = noisyQueries(entities, options.smoke ? 100 : 2_000);
  const common = { suite: 'engine', data, size: options.size };
  const flexQueries = noisyQueries(sample, options.smoke ? 50 : 300);
  const flexSearch = measure(flexQueries, flexSearchOver(sample));
  const asked = { flexSearch, options, queries, sample: sample.length, snapshot };
  return [
    ...measuredSettings().flatMap(([mark, settings]) =>
      rerankerRows(asked, { mark, settings }, common),
    ),
    {
      ...common,
      id: 'engine/build',
      ours: build.wallMs,
      unit: 'ms',
      memory_mb: snapshot.byteLength / 2 ** 20,
    },
    { ...common, id: 'engine/build-cpu', ours: build.cpuMs, unit: 'CPU ms' },
    scoredMemoryRow(snapshot, common),
    ...pairRows(queries, options, common),
    ...stageRows(snapshot, { queries: queries.slice(0, 500), settings: SETTINGS }, common),
    await threadsRow(snapshot, queries.slice(0, 1_000), common),
    ...tokenLookupRows(snapshot, { ...common, smoke: options.smoke }),
    ...lookupRows(snapshot, { entities, sample }, { ...common, smoke: options.smoke }),
  ];
}

type Common = Pick<BenchRow, 'suite' | 'data' | 'size'>;

/** Speed, recall and the slowest query of one re-ranker. */
function rerankerRows(
  asked: {
    readonly flexSearch: Measured;
    readonly options: BenchOptions;
    readonly queries: readonly NoisyQuery[];
    /** Entities that FlexSearch was given. */
    readonly sample: number;
    readonly snapshot: SharedArrayBuffer;
  },
  { mark, settings }: { readonly mark: string; readonly settings: ScorerSettings },
  common: Common,
): BenchRow[] {
  const { flexSearch, options, queries, sample, snapshot } = asked;
  const ours = measure(queries, oursOver(snapshot, settings));
  const large = openSnapshot(snapshot).entitySchema.length > FLEX_ENTITIES_MAX;
  const isOne = settings.version.startsWith('1.');
  const truths = options.smoke ? 10 : large ? (isOne ? 20 : 5) : isOne ? 200 : 50;
  const { wanted, found } = measureExhaustive(snapshot, queries.slice(0, truths), settings);
  return [
    {
      ...common,
      id: `engine/retrieve-rerank${mark}`,
      ours: ours.perSecond,
      unit: 'queries a CPU second',
      baseline: flexSearch.perSecond,
      baseline_name: `FlexSearch, whole names of ${sample} entities, not re-ranked`,
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
      id: `engine/worst-query${mark}`,
      ours: percentile(ours.times, 1),
      unit: `ms, the slowest of ${queries.length}`,
    },
    {
      ...common,
      id: `engine/entity-found${mark}`,
      ours: ours.knownFound,
      unit: 'share of noisy names in the answer',
      baseline: flexSearch.knownFound,
      baseline_name: 'FlexSearch',
      ratio: ours.knownFound / flexSearch.knownFound,
      p50_ms: percentile(flexSearch.times, 0.5),
      p95_ms: percentile(flexSearch.times, 0.95),
      p99_ms: percentile(flexSearch.times, 0.99),
    },
  ];
}

/** What searching and scoring read of a list, in memory that all threads share. */
function scoredMemoryRow(snapshot: SharedArrayBuffer, common: Common): BenchRow {
  const list = openSnapshot(snapshot);
  const bytes = KERNEL_SECTIONS.reduce((sum, name) => sum + list[name].byteLength, 0);
  return {
    ...common,
    id: 'engine/scored-memory',
    ours: bytes / 2 ** 20,
    unit: 'MB that searching and scoring read; the rest is ids, cards and published names',
    memory_mb: snapshot.byteLength / 2 ** 20,
  };
}

/**
 * What the engine finds, by noise and against the truth.
 *
 * Each row for each re-ranker; those of single screenings by 1.x have its version behind their ids.
 *
 * `recall/exhaustive`: of the entities that looking at every entity (truth.ts) puts at or over the
 * lowest threshold, best 50 at most, the share that the engine answers with the same finalScore; an
 * entity that ties with the last of the 50 counts as found. Sampled: the truth takes a second or
 * two a query at a million entities.
 *
 * `recall/noise/<class>`: of queries made from a listed entity by one class of noise, the share
 * whose entity is among the 50 or ties with the last of them; `baseline` is the share without those
 * ties. Not all are to be found: a common name misspelt is a hundred other people's, too, and the
 * re-ranker then puts fifty of them first. `recall` is the share of those whose entity an
 * exhaustive search would answer; of missed ones a few are looked up, and stand for the rest.
 * Times include the folding of the query.
 */
import type { RawQuery, ScorerSettings } from '#engine';
import { BLOCK, BLOCK_LENGTH, type TaskQuery } from '../src/engine/messages.ts';
import { QueryRunner } from '../src/engine/queryRunner.ts';
import { DIRECT_SCORE_MIN } from '../src/engine/screenList.ts';
import { COLUMN, ROW_LENGTH } from '../src/engine/topK.ts';
import { NOISE_NAMES, type NoisyQuery, noisyQueries, noisyQuery } from './noise.ts';
import { seededRandom } from './random.ts';
import type { BenchOptions, BenchRow } from './row.ts';
import {
  CallTimes,
  entityCountOf,
  idOf,
  MEASURED_VERSIONS,
  SETTINGS,
  type SyntheticList,
  settingsOf,
  syntheticList,
} from './syntheticList.ts';
import { type Judge, judgeOf, type Scored } from './truth.ts';

interface Recall {
  readonly wanted: number;
  readonly found: number;
  /** Queries made from an entity, and those of them whose answer holds it. */
  readonly known: number;
  readonly knownFound: number;
}

/** One engine on the caller's thread over one snapshot, in the form that a thread uses. */
export function openRunner(snapshot: SharedArrayBuffer): QueryRunner {
  const runner = new QueryRunner();
  runner.useIndexes([{ number: 1, buffer: snapshot }]);
  return runner;
}

/** A task of the one index. */
export function taskOf(query: TaskQuery['query'], settings: ScorerSettings): TaskQuery {
  return { query, settings, indexes: [1], expiresAt: Number.POSITIVE_INFINITY };
}

function rowsOf(block: Float64Array): Map<number, string> {
  const rows = new Map<number, string>();
  for (let rank = 0; rank < (block[BLOCK.count] ?? 0); rank++) {
    const at = BLOCK.rows + rank * ROW_LENGTH;
    rows.set(block[at + COLUMN.entity] ?? -1, block.slice(at, at + ROW_LENGTH).join());
  }
  return rows;
}

function directOf(row: string): number {
  return Number(row.split(',')[COLUMN.directScore]);
}

/** Row by row to the last digit, against scoring everything: for small lists, and for tests. */
export function measureRecall(ask: {
  readonly snapshot: SharedArrayBuffer;
  readonly queries: readonly NoisyQuery[];
  readonly settings: ScorerSettings;
  /** Place of an id in the list, to see whether the entity behind a query is in its answer. */
  readonly entityOf?: ReadonlyMap<string, number>;
}): Recall {
  const runner = openRunner(ask.snapshot);
  const block = new Float64Array(BLOCK_LENGTH);
  const least = ask.settings.directScoreMin ?? DIRECT_SCORE_MIN;
  const sum = { wanted: 0, found: 0, known: 0, knownFound: 0 };
  for (const { id, raw } of ask.queries) {
    const task = taskOf(raw, ask.settings);
    runner.run(task, block);
    const ours = rowsOf(block);
    runner.run(task, block, { exhaustive: true });
    for (const [entity, row] of rowsOf(block)) {
      if (directOf(row) < least) continue;
      sum.wanted += 1;
      if (ours.get(entity) === row) sum.found += 1;
    }
    const entity = id === undefined ? undefined : ask.entityOf?.get(id);
    if (entity === undefined) continue;
    sum.known += 1;
    if (ours.has(entity)) sum.knownFound += 1;
  }
  return sum;
}

/** The engine's answer to one query. */
export interface Found {
  /** Entity → finalScore. */
  readonly entities: ReadonlyMap<number, number>;
  /** finalScore of the last of a full answer; undefined where there was room for more. */
  readonly last: number | undefined;
}

/** Asks one index on this thread and takes its time. */
export class Asker {
  readonly times = new CallTimes();
  readonly #runner: QueryRunner;
  readonly #block = new Float64Array(BLOCK_LENGTH);

  readonly #settings: ScorerSettings;

  constructor(snapshot: SharedArrayBuffer, settings: ScorerSettings = SETTINGS) {
    this.#runner = openRunner(snapshot);
    this.#settings = settings;
  }

  ask(raw: RawQuery): Found {
    const block = this.#block;
    this.times.run(() => this.#runner.run(taskOf(raw, this.#settings), block));
    const count = block[BLOCK.count] ?? 0;
    const entities = new Map<number, number>();
    let last: number | undefined;
    for (let rank = 0; rank < count; rank++) {
      const at = BLOCK.rows + rank * ROW_LENGTH;
      const final = block[at + COLUMN.finalScore] ?? 0;
      entities.set(block[at + COLUMN.entity] ?? -1, final);
      if (count === SETTINGS.topN) last = Math.min(last ?? final, final);
    }
    return { entities, last };
  }
}

/** How many of the truth's best 50 over the line are answered, or tie with the last answer. */
export function foundOf(truth: readonly Scored[], found: Found): { wanted: number; found: number } {
  const wanted = truth.slice(0, SETTINGS.topN);
  const isFound = ({ entity, final }: Scored) =>
    found.entities.get(entity) === final || (found.last !== undefined && final <= found.last);
  return { wanted: wanted.length, found: wanted.filter(isFound).length };
}

/** The sample fits three minutes: the truth takes 1.5 µs an entity, by re-ranker 2 ten. */
function truthQueries(count: number, version: string): number {
  const isOne = version.startsWith('1.');
  return Math.max(isOne ? 20 : 10, Math.min(200, Math.floor((isOne ? 1e8 : 1e7) / count)));
}

/** Missed entities of a class that are looked up in the truth. */
const LOOKED_UP_MAX = 4;

interface Measured {
  readonly list: SyntheticList;
  readonly settings: ScorerSettings;
  readonly common: Common;
}

/** How many of the entities over the line, best 50 at most, the engine answers; ties count. */
export function measureExhaustive(
  snapshot: SharedArrayBuffer,
  queries: readonly NoisyQuery[],
  settings: ScorerSettings = SETTINGS,
  asker = new Asker(snapshot, settings),
): { readonly wanted: number; readonly found: number } {
  const truth = judgeOf(snapshot, settings);
  const sum = { wanted: 0, found: 0 };
  for (const { raw } of queries) {
    truth.ask(raw);
    const { wanted, found } = foundOf(truth.overLine(DIRECT_SCORE_MIN), asker.ask(raw));
    sum.wanted += wanted;
    sum.found += found;
  }
  return sum;
}

function exhaustiveRow({ common, list, settings }: Measured, options: BenchOptions): BenchRow {
  const asker = warm(list, settings);
  const sample = options.smoke ? 11 : truthQueries(list.entities.length, settings.version);
  const queries = noisyQueries(list.entities, sample, 41);
  const sum = measureExhaustive(list.snapshot, queries, settings, asker);
  const recall = sum.wanted === 0 ? 1 : sum.found / sum.wanted;
  return {
    ...common,
    id: idOf('recall/exhaustive', settings.version),
    ours: recall,
    unit: `of ${sum.wanted} entities over ${DIRECT_SCORE_MIN}, ${sample} queries`,
    recall,
    ...asker.times.columns(),
  };
}

/** An asker whose code is compiled. */
function warm(list: SyntheticList, settings: ScorerSettings): Asker {
  const first = new Asker(list.snapshot, settings);
  for (const { raw } of noisyQueries(list.entities, 60, 5)) first.ask(raw);
  return new Asker(list.snapshot, settings);
}

function noiseRow({ common, list, settings }: Measured, noise: string, count: number): BenchRow {
  const asker = warm(list, settings);
  const truth = judgeOf(list.snapshot, settings);
  const random = seededRandom(1_000 + NOISE_NAMES.indexOf(noise));
  let strict = 0;
  let tied = 0;
  const missed = { lookedUp: 0, answerable: 0 };
  for (let at = 0; at < count; at++) {
    const { raw, place } = noisyQuery(list.entities, noise, random);
    const found = asker.ask(raw);
    if (found.entities.has(place)) {
      strict += 1;
      continue;
    }
    truth.ask(raw);
    const own = truth.scoreOf(place) ?? { entity: place, direct: 0, final: 0 };
    if (found.last !== undefined && own.final >= found.last) tied += 1;
    else if (missed.lookedUp < LOOKED_UP_MAX) {
      missed.lookedUp += 1;
      if (isAnswerable(truth, own)) missed.answerable += 1;
    }
  }
  const found = strict + tied;
  const lost = ((count - found) * missed.answerable) / Math.max(1, missed.lookedUp);
  const row: BenchRow = {
    ...common,
    id: idOf(`recall/noise/${noise}`, settings.version),
    ours: found / count,
    unit: `of ${count} entities among the 50, ties counted`,
    baseline: strict / count,
    baseline_name: 'ties not counted',
    recall: found + lost === 0 ? 1 : found / (found + lost),
    ...asker.times.columns(),
  };
  return row;
}

/** Whether fewer than 50 entities stand before this one in the truth. */
function isAnswerable(truth: Judge, own: Scored): boolean {
  const line = Math.min(own.direct, DIRECT_SCORE_MIN);
  const before = truth.overLine(line).filter(({ final }) => final > own.final);
  return before.length < SETTINGS.topN;
}

type Common = Pick<BenchRow, 'suite' | 'data' | 'size'>;

export async function rows(options: BenchOptions): Promise<BenchRow[]> {
  const list = syntheticList(entityCountOf(options));
  const common = { suite: 'recall', data: list.data, size: options.size };
  const count = options.smoke ? 10 : 200;
  return MEASURED_VERSIONS.flatMap((version) => {
    const measured = { common, list, settings: settingsOf(version) };
    return [
      exhaustiveRow(measured, options),
      ...NOISE_NAMES.map((noise) => noiseRow(measured, noise, count)),
    ];
  });
}

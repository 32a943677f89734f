/**
 * A synthetic list as an index: built from the stream, so that five million entities are never in
 * memory as objects.
 */
import { buildSnapshot, buildSnapshotAside, type IndexEntity, type ScorerSettings } from '#engine';
import { type EntitySource, streamEntities, syntheticData, syntheticSource } from './names.ts';
import type { BenchOptions } from './row.ts';

export interface SyntheticList {
  readonly data: string;
  readonly snapshot: SharedArrayBuffer;
  readonly entities: EntitySource;
  readonly build: BuildTimes;
}

/** Milliseconds of building alone. */
export interface BuildTimes {
  readonly wallMs: number;
  readonly cpuMs: number;
}

/** Entities by `--size`; `lists` is what a bench takes in seconds. */
export const ENTITY_COUNTS = {
  lists: 20_000,
  '100k': 100_000,
  '1m': 1_000_000,
  '5m': 5_000_000,
} as const;

/** What ships: the settings of all engine benches. */
export const SETTINGS: ScorerSettings = {
  version: '1.0.0',
  weights: { name: 0.4, phonetic: 0.15, dob: 0.2, nationality: 0.1, alias: 0.15 },
  missingAttributes: 'rescale',
  phoneticNames: 'all',
  boosts: { SAN: 1, PEP: 0.85, RCA: 0.7, SI: 0.9, DI: 0.75 },
  topN: 50,
};

/** The re-rankers that benches measure: batches' own, and that of single screenings beside it. */
export const MEASURED_VERSIONS = ['2.0.0', '1.0.0'] as const;

/** The same with another re-ranker. */
export function settingsOf(version: string): ScorerSettings {
  return { ...SETTINGS, version };
}

/** A row's id: bare for the first of MEASURED_VERSIONS. */
export function idOf(id: string, version: string): string {
  return version === MEASURED_VERSIONS[0] ? id : `${id}/${version}`;
}

export function entityCountOf(options: BenchOptions): number {
  return options.smoke ? 1_500 : ENTITY_COUNTS[options.size];
}

export function syntheticList(count: number): SyntheticList {
  const { snapshot, build } = buildTimed(streamEntities(count));
  return { data: syntheticData(count), snapshot, entities: syntheticSource(count), build };
}

/** Entities that are made, or read, at a time. */
const BATCH_ENTITIES = 2_000;
/**
 * For threads that build: while more are made they have six batches left to work on, which is less
 * than a thirtieth of a piece.
 */
const PIECE_ENTITIES = 200_000;

interface Timed {
  readonly snapshot: SharedArrayBuffer;
  readonly build: BuildTimes;
}

/**
 * A snapshot of these, built by the caller's thread alone, and what building took: what making the
 * entities takes is not of it.
 */
export function buildTimed(entities: Iterable<IndexEntity>): Timed {
  const made = new MadeEntities(entities);
  function* each(): Generator<IndexEntity> {
    for (const batch of made.batches(BATCH_ENTITIES)) yield* batch;
  }
  const before = clock();
  const snapshot = buildSnapshot(each());
  return { snapshot, build: since(before, made.making) };
}

/** The same as imports build it: in threads aside. */
export async function buildAsideTimed(entities: Iterable<IndexEntity>): Promise<Timed> {
  const made = new MadeEntities(entities);
  async function* batches(): AsyncGenerator<readonly IndexEntity[]> {
    for (const piece of made.batches(PIECE_ENTITIES)) {
      for (let at = 0; at < piece.length; at += BATCH_ENTITIES) {
        yield piece.slice(at, at + BATCH_ENTITIES);
      }
    }
  }
  const before = clock();
  const snapshot = await buildSnapshotAside(batches());
  return { snapshot, build: since(before, made.making) };
}

/** Times of the process: the elapsed time, and the processor's in all threads. */
function clock(): BuildTimes {
  const { user, system } = process.cpuUsage();
  return { wallMs: performance.now(), cpuMs: (user + system) / 1e3 };
}

function since(before: BuildTimes, without: BuildTimes = { wallMs: 0, cpuMs: 0 }): BuildTimes {
  const now = clock();
  return {
    wallMs: now.wallMs - before.wallMs - without.wallMs,
    cpuMs: now.cpuMs - before.cpuMs - without.cpuMs,
  };
}

/** Entities as they are made, and what making them took. */
class MadeEntities {
  readonly #entities: Iterator<IndexEntity>;
  #making: BuildTimes = { wallMs: 0, cpuMs: 0 };

  constructor(entities: Iterable<IndexEntity>) {
    this.#entities = entities[Symbol.iterator]();
  }

  get making(): BuildTimes {
    return this.#making;
  }

  *batches(most: number): Generator<readonly IndexEntity[]> {
    for (let batch = this.#make(most); batch.length > 0; batch = this.#make(most)) yield batch;
  }

  #make(most: number): IndexEntity[] {
    const batch: IndexEntity[] = [];
    const before = clock();
    while (batch.length < most) {
      const { value, done } = this.#entities.next();
      if (done === true) break;
      batch.push(value);
    }
    const { wallMs, cpuMs } = since(before);
    this.#making = {
      wallMs: this.#making.wallMs + wallMs,
      cpuMs: this.#making.cpuMs + cpuMs,
    };
    return batch;
  }
}

const ATTEMPTS_MAX = 3;

/**
 * Milliseconds of single calls, to be asked for percentiles. Clocks of a thread's CPU tick every
 * four milliseconds here, so it is wall time; a call during which the machine gave the processor to
 * somebody else is timed again, three times at most, and the shortest counts.
 */
export class CallTimes {
  readonly #times: number[] = [];
  #sorted: Float64Array | undefined;

  run<T>(call: () => T): T {
    let best = Number.POSITIVE_INFINITY;
    let result: T;
    let attempts = 0;
    let switches: number;
    do {
      attempts += 1;
      switches = process.resourceUsage().involuntaryContextSwitches;
      const startedAt = performance.now();
      result = call();
      best = Math.min(best, performance.now() - startedAt);
      switches = process.resourceUsage().involuntaryContextSwitches - switches;
    } while (switches > 0 && attempts < ATTEMPTS_MAX);
    this.#times.push(best);
    this.#sorted = undefined;
    return result;
  }

  get count(): number {
    return this.#times.length;
  }

  get totalMs(): number {
    return this.#times.reduce((sum, time) => sum + time, 0);
  }

  percentile(share: number): number {
    this.#sorted ??= Float64Array.from(this.#times).sort();
    return this.#sorted[Math.min(this.count - 1, Math.floor(this.count * share))] ?? 0;
  }

  /** The row's columns. */
  columns(): { readonly p50_ms: number; readonly p95_ms: number; readonly p99_ms: number } {
    const [p50_ms, p95_ms, p99_ms] = [0.5, 0.95, 0.99].map((share) => this.percentile(share));
    return { p50_ms: p50_ms ?? 0, p95_ms: p95_ms ?? 0, p99_ms: p99_ms ?? 0 };
  }
}

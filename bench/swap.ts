/**
 * A list is refreshed while screenings go on: how much longer does the slowest of them take, and
 * how much memory does the moment need in which old and new are both there?
 *
 * One process as a gateway has it: queries due at even intervals, 300 a second (less where one
 * thread cannot do as many: the rows say how many) whatever the answers do (open loop; latency
 * counts from when a query was due), one engine thread; the new version is
 * read from a blob store on disk with its digest, checked, and swapped in; the old one is released.
 * `engine/overlay`: the same for a version that changes one entity in a hundred, from the changed
 * entities to the index in force.
 *
 * Not a goal: throughput. The machine is shared, so the quiet phase of the same run stands beside.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import {
  buildOverlay,
  createEngine,
  type Engine,
  type IndexEntity,
  type LoadedIndex,
  type RawQuery,
  type ScorerSettings,
} from '#engine';
import { openFolderBlobStore } from '../src/storage/index.ts';
import { syntheticEntity } from './names.ts';
import { noisyQueries } from './noise.ts';
import type { BenchOptions, BenchRow } from './row.ts';
import {
  entityCountOf,
  idOf,
  MEASURED_VERSIONS,
  type SyntheticList,
  settingsOf,
  syntheticList,
} from './syntheticList.ts';

const QUERIES_PER_S = 300;
/** Share of what one thread can do: beyond it the queue is measured, not the refresh. */
const LOAD_MAX = 0.6;
const TICK_MS = 2;
const MEMORY_EVERY_MS = 20;
const CHANGED_SHARE = 0.01;
const DEADLINE_MS = 10_000;

type Common = Pick<BenchRow, 'suite' | 'data' | 'size'>;
type Blobs = Awaited<ReturnType<typeof openFolderBlobStore>>;

/** Screenings at an even rate, whatever becomes of them. */
class Load {
  index: LoadedIndex;
  latencies: number[] = [];
  #failed = 0;
  readonly #engine: Engine;
  readonly #queries: readonly RawQuery[];
  readonly #settings: ScorerSettings;
  #isOver = false;
  #sent = 0;
  #perSecond = QUERIES_PER_S;

  constructor(
    engine: Engine,
    index: LoadedIndex,
    asked: { readonly queries: readonly RawQuery[]; readonly settings: ScorerSettings },
  ) {
    this.#engine = engine;
    this.index = index;
    this.#queries = asked.queries;
    this.#settings = asked.settings;
  }

  /** One after the other, to know what the thread can take; the rate a second that follows. */
  async calibrate(): Promise<number> {
    for (let pass = 0; pass < 2; pass++) {
      const startedAt = performance.now();
      for (const _ of this.#queries) {
        await this.#ask(performance.now());
        this.#sent += 1;
      }
      const capacity = (this.#queries.length * 1e3) / (performance.now() - startedAt);
      this.#perSecond = Math.round(Math.min(QUERIES_PER_S, capacity * LOAD_MAX));
    }
    this.#sent = 0;
    this.take();
    return this.#perSecond;
  }

  /** Until `end`; resolves with the last answer. */
  async run(): Promise<void> {
    const startedAt = performance.now();
    const pending: Promise<void>[] = [];
    while (!this.#isOver) {
      const due = Math.floor(((performance.now() - startedAt) / 1e3) * this.#perSecond);
      while (this.#sent < due) {
        pending.push(this.#ask(startedAt + (this.#sent * 1e3) / this.#perSecond));
        this.#sent += 1;
      }
      await wait(TICK_MS);
    }
    await Promise.all(pending);
    if (this.#failed > 0) console.warn(`swap: ${this.#failed} screenings failed`);
  }

  async #ask(dueAt: number): Promise<void> {
    const query = this.#queries[this.#sent % this.#queries.length];
    if (query === undefined) return;
    try {
      await this.#engine.screen({
        query,
        indexes: [this.index],
        settings: this.#settings,
        deadlineMs: DEADLINE_MS,
      });
      this.latencies.push(performance.now() - dueAt);
    } catch (error) {
      this.#failed += 1;
      if (this.#failed === 1) console.warn('swap: a screening failed', error);
    }
  }

  /** Latencies since the last call, ascending. */
  take(): Float64Array {
    const taken = Float64Array.from(this.latencies).sort();
    this.latencies = [];
    return taken;
  }

  end(): void {
    this.#isOver = true;
  }
}

const at = (sorted: Float64Array, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

/** Largest resident size, looked at while `work` runs. */
async function peakMb(work: () => Promise<void>): Promise<number> {
  let peak = process.memoryUsage.rss();
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, MEMORY_EVERY_MS);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return Math.max(peak, process.memoryUsage.rss()) / 2 ** 20;
}

async function readShared(
  engine: Engine,
  blobs: Blobs,
  address: string,
): Promise<SharedArrayBuffer> {
  const bytes = await blobs.getShared(address, (size) => engine.allocate(size));
  if (bytes === undefined) throw new Error(`blob ${address} is not there`);
  return bytes;
}

/** As LoadedLists does it. */
async function refresh(engine: Engine, load: Load, blobs: Blobs, address: string): Promise<void> {
  const next = await engine.loadInSteps(await readShared(engine, blobs, address));
  const former = load.index;
  load.index = next;
  former.release();
}

async function swapRows(
  list: { address: string; blobs: Blobs; entities: SyntheticList['entities'] },
  ask: { readonly options: BenchOptions; readonly common: Common; readonly version: string },
): Promise<BenchRow[]> {
  const { address, blobs, entities } = list;
  const phaseMs = ask.options.smoke ? 300 : 4_000;
  const refreshes = ask.options.smoke ? 2 : 4;
  const engine = createEngine({ threads: 1, queueMax: 10_000 });
  const queries = noisyQueries(entities, 500, 91).map(({ raw }) => raw);
  const index = await engine.loadInSteps(await readShared(engine, blobs, address));
  const load = new Load(engine, index, { queries, settings: settingsOf(ask.version) });
  const perSecond = await load.calibrate();
  const running = load.run();
  await wait(phaseMs);
  load.take();
  const memory = process.memoryUsage.rss() / 2 ** 20;
  await wait(phaseMs);
  const quiet = load.take();
  let refreshMs = 0;
  const peak = await peakMb(async () => {
    for (let count = 0; count < refreshes; count++) {
      const startedAt = performance.now();
      await refresh(engine, load, blobs, address);
      refreshMs += (performance.now() - startedAt) / refreshes;
      await wait(phaseMs / refreshes);
    }
  });
  const busy = load.take();
  load.end();
  await running;
  const held = engine.bytesHeld;
  load.index.release();
  await engine.close();
  const unit = `ms at ${perSecond}/s`;
  return [
    {
      ...ask.common,
      id: idOf('engine/swap', ask.version),
      ours: at(busy, 1),
      unit: `slowest screening, ${unit}, while the list is refreshed`,
      baseline: at(quiet, 1),
      baseline_name: 'without a refresh',
      p50_ms: at(busy, 0.5),
      p95_ms: at(busy, 0.95),
      p99_ms: at(busy, 0.99),
    },
    {
      ...ask.common,
      id: idOf('engine/swap/quiet', ask.version),
      ours: at(quiet, 1),
      unit: `slowest screening, ${unit}, without a refresh`,
      p50_ms: at(quiet, 0.5),
      p95_ms: at(quiet, 0.95),
      p99_ms: at(quiet, 0.99),
    },
    {
      ...ask.common,
      id: idOf('engine/swap/memory', ask.version),
      ours: peak / memory,
      unit: 'peak resident memory, times that of one version',
      memory_mb: peak,
      checksum: String(held),
    },
    {
      ...ask.common,
      id: idOf('engine/swap/time', ask.version),
      ours: refreshMs,
      unit: 'ms from disk to in force',
    },
  ];
}

/** One in a hundred: half of them different, a quarter gone, a quarter new. */
function changesOf(count: number): { removed: string[]; changed: IndexEntity[] } {
  const removed: string[] = [];
  const changed: IndexEntity[] = [];
  const every = Math.round(1 / CHANGED_SHARE);
  for (let place = 0; place < count; place += every) {
    const former = syntheticEntity(place);
    const other = syntheticEntity(place, 2);
    const kind = (place / every) % 4;
    if (kind === 0) removed.push(former.id);
    else if (kind === 1) changed.push({ ...other, id: `${former.id}-new` });
    else changed.push({ ...former, names: [...former.names, ...other.names] });
  }
  return { removed, changed };
}

async function overlayRow(snapshot: SharedArrayBuffer, count: number, common: Common) {
  const engine = createEngine({ threads: 0, queueMax: 1 });
  const held = engine.load(snapshot);
  const { removed, changed } = changesOf(count);
  const before = process.cpuUsage();
  const overlay = buildOverlay({ base: snapshot, removed, changed });
  const index = await engine.loadInSteps(snapshot, overlay);
  const { user, system } = process.cpuUsage(before);
  const row: BenchRow = {
    ...common,
    id: 'engine/overlay',
    ours: (user + system) / 1e3,
    unit: `ms of CPU from ${removed.length + changed.length} changes to the index`,
    memory_mb: overlay.byteLength / 2 ** 20,
    checksum: String(index.entityCount),
  };
  held.release();
  index.release();
  await engine.close();
  return row;
}

export async function rows(options: BenchOptions): Promise<BenchRow[]> {
  const count = entityCountOf(options);
  const directory = await mkdtemp(join(tmpdir(), 'compliance-bench-swap-'));
  try {
    const blobs = await openFolderBlobStore({ directory });
    // In a scope of its own: the gateway of the measurement never had the builder's buffer.
    const { address, entities, common, overlay } = await (async () => {
      const { data, entities, snapshot } = syntheticList(count);
      const common = { suite: 'swap', data, size: options.size };
      const { address } = await blobs.put(new Uint8Array(snapshot));
      return { address, entities, common, overlay: await overlayRow(snapshot, count, common) };
    })();
    const swapped: BenchRow[] = [];
    for (const version of MEASURED_VERSIONS) {
      const asked = { options, common, version };
      swapped.push(...(await swapRows({ address, blobs, entities }, asked)));
    }
    return [...swapped, overlay];
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

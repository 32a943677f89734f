/**
 * Builds a large snapshot in threads of its own. A million entities take ten to twenty seconds, in
 * which the caller's thread goes on answering, renewing leases, and reading the next entities.
 * Entities are packed on the caller's thread, so sending them copies nothing. The memory that
 * building takes is returned when its threads end.
 *
 * A small list is built on the caller's thread, as a thread takes longer to start; a second thread
 * pays off where the list is large.
 */
import { Worker } from 'node:worker_threads';
import { BATCH_ENTITIES, buildSnapshot } from './buildSnapshot.ts';
import type { BuildAnswer, BuildOrder } from './buildThread.ts';
import { buffersOf, EntityPacker, type PackedEntities } from './packedEntities.ts';
import type { IndexEntity } from './ports.ts';
import { buffersOfPart, type SnapshotPart } from './snapshotPart.ts';

/** Lists below this number of entities are built without a thread: a quarter of a second. */
const ASIDE_FROM = 5_000;
/** Entities that one thread gets before another one is started. */
const ENTITIES_PER_THREAD = 100_000;
/** Threads that build one index: as many as the smallest machine has processors. */
const THREADS_MAX = 2;
/** Batches on their way to a thread at a time. */
const BATCHES_MAX = 3;
const THREAD_URL = new URL('./buildThread.ts', import.meta.url);

/** Overrides for tests of small lists and of dying threads. */
interface AsideOptions {
  readonly asideFrom?: number;
  readonly entitiesPerThread?: number;
  readonly threadsMax?: number;
  readonly threadUrl?: URL;
}

/**
 * Builds the same bytes as buildSnapshotFrom, in up to two threads from 5,000 entities on. Rejects
 * with an Error when ids are not ascending and unique, and when a thread dies.
 */
export async function buildSnapshotAside(
  batches: AsyncIterable<readonly IndexEntity[]>,
  options: AsideOptions = {},
): Promise<SharedArrayBuffer> {
  let gathered: IndexEntity[] = [];
  let aside: BuildThreads | undefined;
  try {
    for await (const batch of batches) {
      for (const entity of batch) gathered.push(entity);
      if (aside === undefined && gathered.length < (options.asideFrom ?? ASIDE_FROM)) continue;
      aside ??= new BuildThreads(options);
      await aside.add(gathered);
      gathered = [];
    }
    if (aside === undefined) return buildSnapshot(gathered);
    return await aside.finish();
  } finally {
    await aside?.end();
  }
}

/**
 * Sends each batch to the thread with the fewest batches under way. Batches carry numbers, so it
 * does not matter which thread gets which.
 */
class BuildThreads {
  readonly #threads: BuildThread[] = [];
  readonly #packer = new EntityPacker();
  readonly #options: AsideOptions;
  #batches = 0;

  constructor(options: AsideOptions) {
    this.#options = options;
    this.#start();
  }

  #start(): BuildThread {
    const thread = new BuildThread(this.#options.threadUrl ?? THREAD_URL);
    this.#threads.push(thread);
    return thread;
  }

  /** Resolves when there is room for more. */
  async add(entities: readonly IndexEntity[]): Promise<void> {
    for (const entity of entities) {
      this.#packer.add(entity);
      if (this.#packer.count === BATCH_ENTITIES) await this.#send();
    }
  }

  async #send(): Promise<void> {
    const { entitiesPerThread = ENTITIES_PER_THREAD, threadsMax = THREADS_MAX } = this.#options;
    const sent = this.#batches * BATCH_ENTITIES;
    const isMore = sent >= this.#threads.length * entitiesPerThread;
    if (isMore && this.#threads.length < threadsMax) this.#start();
    const least = Math.min(...this.#threads.map(({ underWay }) => underWay));
    const idle = this.#threads.find(({ underWay }) => underWay === least) ?? this.#start();
    idle.send(this.#packer.take(), this.#batches++);
    while (this.#threads.every(({ underWay }) => underWay >= BATCHES_MAX)) {
      await Promise.race(this.#threads.map((thread) => thread.taken()));
    }
  }

  async finish(): Promise<SharedArrayBuffer> {
    await this.#send();
    const parts = await Promise.all(this.#threads.map((thread) => thread.part()));
    const [first, ...others] = this.#threads;
    // A thread that ends returns its memory.
    await Promise.all(others.map((thread) => thread.end()));
    return (first ?? this.#start()).snapshotOf(parts);
  }

  async end(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.end()));
  }
}

class BuildThread {
  readonly #worker: Worker;
  /** Rejects when the thread dies; never resolves. */
  readonly #death: Promise<never>;
  #underWay = 0;
  #onTaken: (() => void) | undefined;
  #onAnswer: ((answer: SnapshotPart | SharedArrayBuffer) => void) | undefined;

  constructor(threadUrl: URL) {
    this.#worker = new Worker(threadUrl);
    this.#worker.on('message', (answer: BuildAnswer) => {
      if (answer !== 'taken') this.#onAnswer?.(answer);
      else {
        this.#underWay--;
        this.#onTaken?.();
      }
    });
    this.#death = new Promise((_, reject) => {
      this.#worker.on('error', reject);
      this.#worker.once('exit', (code) => reject(new Error(`the index's thread ended: ${code}`)));
    });
    this.#death.catch(() => undefined); // the waiting call rejects
  }

  /** Batches sent that the thread has not taken yet. */
  get underWay(): number {
    return this.#underWay;
  }

  send(batch: PackedEntities, number: number): void {
    this.#post({ kind: 'batch', batch, number }, buffersOf(batch));
    this.#underWay++;
  }

  /** Resolves when the thread takes another batch; rejects when it dies. */
  async taken(): Promise<void> {
    const taken = new Promise<void>((resolve) => {
      this.#onTaken = resolve;
    });
    await Promise.race([taken, this.#death]);
  }

  /** The part made of the thread's batches; to be called once. */
  async part(): Promise<SnapshotPart> {
    return (await this.#ask({ kind: 'part' }, [])) as SnapshotPart;
  }

  async snapshotOf(parts: readonly SnapshotPart[]): Promise<SharedArrayBuffer> {
    const buffers = parts.flatMap(buffersOfPart);
    return (await this.#ask({ kind: 'snapshot', parts }, buffers)) as SharedArrayBuffer;
  }

  #ask(order: BuildOrder, buffers: ArrayBuffer[]): Promise<SnapshotPart | SharedArrayBuffer> {
    const answer = new Promise<SnapshotPart | SharedArrayBuffer>((resolve) => {
      this.#onAnswer = resolve;
    });
    this.#post(order, buffers);
    return Promise.race([answer, this.#death]);
  }

  #post(order: BuildOrder, buffers: ArrayBuffer[]): void {
    this.#worker.postMessage(order, buffers);
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }
}

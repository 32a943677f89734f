/**
 * Builds a large snapshot in a thread of its own: ten to twenty seconds of work for a million
 * entities, in which the caller's thread goes on answering, renewing leases, and reading the next
 * entities. They are packed here, so that sending them copies nothing. What the building took of
 * memory goes with the thread. A small list is built where the caller is: a thread takes longer to
 * start.
 */
import { Worker } from 'node:worker_threads';
import { buildSnapshot } from './buildSnapshot.ts';
import { EntityPacker } from './packedEntities.ts';
import type { IndexEntity } from './ports.ts';

/** Entities that are built without a thread: a quarter of a second. */
const ASIDE_FROM = 5_000;
/** Batches on their way at a time. */
const BATCHES_MAX = 4;
const BATCH_ENTITIES = 1_000;
const THREAD_URL = new URL('./buildThread.ts', import.meta.url);

/** For tests of small lists, and of what happens when the thread dies. */
interface AsideOptions {
  readonly asideFrom?: number;
  readonly threadUrl?: URL;
}

/** As buildSnapshotFrom. */
export async function buildSnapshotAside(
  batches: AsyncIterable<readonly IndexEntity[]>,
  options: AsideOptions = {},
): Promise<SharedArrayBuffer> {
  let gathered: IndexEntity[] = [];
  let aside: BuildThread | undefined;
  try {
    for await (const batch of batches) {
      for (const entity of batch) gathered.push(entity);
      if (aside === undefined && gathered.length < (options.asideFrom ?? ASIDE_FROM)) continue;
      aside ??= new BuildThread(options.threadUrl ?? THREAD_URL);
      await aside.add(gathered);
      gathered = [];
    }
    if (aside === undefined) return buildSnapshot(gathered);
    return await aside.finish();
  } finally {
    await aside?.end();
  }
}

class BuildThread {
  readonly #worker: Worker;
  /** Rejects when the thread dies; never resolves. */
  readonly #death: Promise<never>;
  readonly #snapshot: Promise<SharedArrayBuffer>;
  readonly #packer = new EntityPacker();
  #underWay = 0;
  #onTaken: (() => void) | undefined;

  constructor(threadUrl: URL) {
    this.#worker = new Worker(threadUrl);
    this.#snapshot = new Promise((resolve) => {
      this.#worker.on('message', (message: SharedArrayBuffer | 'taken') => {
        if (message !== 'taken') resolve(message);
        else {
          this.#underWay--;
          this.#onTaken?.();
        }
      });
    });
    this.#death = new Promise((_, reject) => {
      this.#worker.on('error', reject);
      this.#worker.once('exit', (code) => reject(new Error(`the index's thread ended: ${code}`)));
    });
    this.#death.catch(() => undefined); // whoever waits hears of it
  }

  /** Resolves when there is room for more. */
  async add(entities: readonly IndexEntity[]): Promise<void> {
    for (const entity of entities) {
      this.#packer.add(entity);
      if (this.#packer.count === BATCH_ENTITIES) await this.#send();
    }
  }

  async #send(): Promise<void> {
    const batch = this.#packer.copy();
    this.#packer.clear();
    this.#worker.postMessage(batch, [batch.numbers.buffer, batch.text.buffer]);
    this.#underWay++;
    while (this.#underWay >= BATCHES_MAX) {
      const taken = new Promise<void>((resolve) => {
        this.#onTaken = resolve;
      });
      await Promise.race([taken, this.#death]);
    }
  }

  async finish(): Promise<SharedArrayBuffer> {
    await this.#send();
    this.#worker.postMessage('end');
    return Promise.race([this.#snapshot, this.#death]);
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }
}

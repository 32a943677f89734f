/**
 * Batches in a worker: starts those that wait, reads their cohorts, screens chunks, and brings
 * those that are screened to their end. Any number of workers do the same over one store; every
 * step is a lease or a compare-and-set there, so none is done twice and none is lost with a worker.
 *
 * Looks into the store every half second, and at once when it is woken up (wakeUpQueue.ts): what
 * wakes it up may be lost.
 *
 * Fair by turns: the next chunk is of the tenant that waited longest for one, and among a tenant's
 * batches of the one that did. So a small batch beside one of ten million waits for a few chunks,
 * not for all of them.
 */
import { DomainError } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import type { Log } from '#platform/log';
import {
  BATCH_LEASE_MS,
  type Batch,
  type BatchChunk,
  BatchHold,
  BatchLost,
  type BatchWorkPorts,
  CHUNK_TRIES_MAX,
  claimBatch,
  failBatch,
  faultCode,
  finishBatch,
  isCounted,
  isForGood,
  isFree,
  isScreened,
  leaseChunk,
  readBatch,
  returnChunk,
  runChunk,
  SUSPECT_TRIES,
  startBatch,
  unfinished,
  updateBatch,
} from '#slices/batches';
import type { RunningWork, WorkerProcess } from '../../processes.ts';
import { ChunkRoom } from './chunkRoom.ts';
import { BatchFailures } from './failures.ts';
import { BatchTurns } from './turns.ts';
import { workPartsOf } from './workParts.ts';

const POLL_MS = 500;
/**
 * Batches seen by one look, of each tenant as many as there is room for; the others wait for their
 * end.
 */
const OPEN_BATCHES_MAX = 500;
/** Chunks beside those in the threads: one is read, or written, meanwhile. */
const CHUNKS_BESIDE = 1;
/** Cohorts that are read, or reports that are written, at once. */
const STEWARDED_MAX = 3;
/** Reports of ten million take minutes: another tenant's batch is not to wait for two of them. */
const STEWARDED_PER_TENANT_MAX = 2;
/** How often its start, its cohort or its reports may fail here before the batch does. */
const FAILURES_MAX = 5;

export interface BatchRunnerOptions<Index> {
  readonly ports: BatchWorkPorts<Index>;
  /** Unique to this process and start. */
  readonly holder: string;
  readonly log: Log;
  readonly pollMs?: number;
  readonly renewMs?: number;
}

export interface BatchRunner {
  /** Something may have come in. */
  wake(): void;
  /** Gives back running work, for other workers. */
  close(): Promise<void>;
}

export function startBatchRunner<Index extends object>(
  options: BatchRunnerOptions<Index>,
): BatchRunner {
  const runner = new Runner(options);
  const timer = setInterval(() => runner.look(), options.pollMs ?? POLL_MS);
  return {
    close: async () => {
      clearInterval(timer);
      await runner.close();
    },
    wake: () => runner.look(),
  };
}

/** Starts the work as workers do it. */
export async function start(process: WorkerProcess): Promise<RunningWork> {
  const { holder, log } = process;
  const runner = startBatchRunner({ holder, log, ports: await workPartsOf(process) });
  return { stop: () => runner.close(), wake: () => runner.wake() };
}

export const namedBlobs = ({ storage }: WorkerProcess): AsyncIterable<string> =>
  storage.batches.namedBlobs();

interface Stewarded {
  readonly tenantId: Batch['tenantId'];
  readonly work: Promise<void>;
}

class Runner<Index extends object> {
  readonly #options: BatchRunnerOptions<Index>;
  readonly #stop = new AbortController();
  readonly #turns = new BatchTurns();
  readonly #failures = new BatchFailures();
  /** Batches whose cohort is read or whose reports are written here. */
  readonly #stewarded = new Map<string, Stewarded>();
  readonly #chunks = new Set<Promise<void>>();
  readonly #room = new ChunkRoom();
  #running: readonly Batch[] = [];
  #looking: Promise<void> | undefined;

  constructor(options: BatchRunnerOptions<Index>) {
    this.#options = options;
  }

  /** One look at a time: a slow store is not asked twice at once. */
  look(): void {
    if (this.#stop.signal.aborted) return;
    this.#looking ??= this.#look()
      .catch((error) => this.#options.log.warn({ error }, 'batches wait for the store'))
      .finally(() => {
        this.#looking = undefined;
      });
  }

  async close(): Promise<void> {
    this.#stop.abort(new BatchLost('the worker stops'));
    await this.#looking;
    const stewarded = [...this.#stewarded.values()].map(({ work }) => work);
    await Promise.all([...stewarded, ...this.#chunks]);
  }

  async #look(): Promise<void> {
    const { ports } = this.#options;
    const open = await ports.batches.openBatches(OPEN_BATCHES_MAX);
    this.#failures.forgetAllBut(open);
    for (const batch of open) this.#steward(batch);
    this.#running = open.filter(({ counts, status, chunksTotal }) => {
      return status === 'running' && counts.chunks !== chunksTotal;
    });
    this.#turns.forgetAllBut(this.#running);
    if (this.#running.length === 0) return;
    const atOnce = ports.threads.atOnce + CHUNKS_BESIDE;
    while (this.#chunks.size < atOnce) this.#startChunkWork();
  }

  /** Work on a batch that one worker at a time does: its start, its cohort, its end. */
  #steward(batch: Batch): void {
    const { clock } = this.#options.ports;
    const isWanted = batch.chunksTotal === undefined || isScreened(batch);
    if (!isWanted || !isFree(batch, clock.now()) || this.#stewarded.has(batch.batchId)) return;
    if (!this.#hasRoomFor(batch) || !this.#failures.mayTry(batch, clock)) return;
    const work = this.#tend(batch)
      .catch((error) => {
        this.#failures.putOff(batch, clock);
        this.#options.log.error({ ...fieldsOf(batch), error }, 'a batch waits');
      })
      .finally(() => {
        this.#stewarded.delete(batch.batchId);
        this.look();
      });
    this.#stewarded.set(batch.batchId, { tenantId: batch.tenantId, work });
  }

  #hasRoomFor({ tenantId }: Batch): boolean {
    const all = [...this.#stewarded.values()];
    const own = all.filter((one) => one.tenantId === tenantId);
    return all.length < STEWARDED_MAX && own.length < STEWARDED_PER_TENANT_MAX;
  }

  async #tend(batch: Batch): Promise<void> {
    const { holder, ports, renewMs } = this.#options;
    const claimed = await claimBatch(ports, batch, holder);
    if (claimed === undefined) return;
    const hold = new BatchHold(ports, claimed, {
      holder,
      ...(renewMs !== undefined && { renewMs }),
      signal: this.#stop.signal,
    });
    try {
      await this.#advance(hold);
      this.#failures.forget(batch);
    } catch (error) {
      await this.#settle(hold, error);
    }
  }

  async #advance(hold: BatchHold): Promise<void> {
    const { log, ports } = this.#options;
    const { batch } = hold;
    if (isScreened(batch)) {
      const { counts } = await finishBatch(ports, hold);
      log.info({ ...fieldsOf(batch), count: counts.subjects }, 'a batch is completed');
      return;
    }
    if (batch.status === 'queued') {
      await hold.replace(await startBatch(ports, batch));
      log.info({ ...fieldsOf(batch), count: batch.subjectsTotal }, 'a batch runs');
    }
    this.look();
    await readBatch(ports, hold);
  }

  /** Decides by the cause: a lost lease, a fault of the batch, or a transient failure. */
  async #settle(hold: BatchHold, error: unknown): Promise<void> {
    const { clock } = this.#options.ports;
    const { batch } = hold;
    if (error instanceof BatchLost || this.#stop.signal.aborted) return hold.giveBack();
    const code = faultCode(error);
    if (!isCounted(code)) this.#failures.putOff(batch, clock);
    const isSpent = isCounted(code) && this.#failures.count(batch, clock) >= FAILURES_MAX;
    this.#options.log.error({ ...fieldsOf(batch), code, error }, 'a batch was held up');
    if (isForGood(code) || isSpent) {
      await hold.end();
      return this.#fail(hold.batch, { code, detail: detailOf(error) });
    }
    await hold.giveBack({ at: clock.now(), code });
  }

  async #fail(batch: Batch, failure: NonNullable<Batch['failure']>): Promise<void> {
    try {
      await failBatch(this.#options.ports, batch, failure);
      this.#failures.forget(batch);
    } catch (lost) {
      if (!(lost instanceof BatchLost)) throw lost; // it had ended already
    }
  }

  #startChunkWork(): void {
    const work = this.#workChunks()
      .catch((error) => this.#options.log.warn({ error }, 'chunks wait for the store'))
      .finally(() => {
        this.#chunks.delete(work);
      });
    this.#chunks.add(work);
  }

  /** Chunk after chunk, of whomever's turn it is, until there is none that waits. */
  async #workChunks(): Promise<void> {
    const { clock } = this.#options.ports;
    const dry = new Set<string>();
    while (!this.#stop.signal.aborted && this.#room.isOpen) {
      const candidates = this.#running.filter(
        (batch) => !dry.has(batch.batchId) && this.#failures.mayTry(batch, clock),
      );
      const known = this.#turns.next(candidates);
      if (known === undefined) return;
      if (await this.#workChunk(known)) this.look();
      else dry.add(known.batchId);
    }
  }

  /** `false`: no chunk of the batch waits. */
  async #workChunk(known: Batch): Promise<boolean> {
    const suspect = await this.#room.beside(async () => {
      const batch = await this.#options.ports.batches.findBatch(known);
      const chunk = batch?.status === 'running' ? await this.#lease(batch) : undefined;
      if (batch === undefined || chunk === undefined) return 'none';
      if ((chunk.tries ?? 0) > SUSPECT_TRIES) return { batch, chunk };
      await this.#screen(batch, chunk);
      return undefined;
    });
    if (suspect === 'none') return false;
    if (suspect !== undefined) await this.#trySuspect(suspect);
    return true;
  }

  /** Begun before, and never ended: given up, or tried with nothing beside it. */
  async #trySuspect({ batch, chunk }: { batch: Batch; chunk: BatchChunk }): Promise<void> {
    const { holder, ports } = this.#options;
    if ((chunk.tries ?? 0) > CHUNK_TRIES_MAX) return this.#fail(batch, unfinished(batch, chunk));
    const { batchId, chunkNo } = chunk;
    const isTried = await this.#room.alone(async () => {
      const until = (ports.clock.now() + BATCH_LEASE_MS) as EpochMs;
      const isOurs = await ports.batches.renewChunk({ batchId, chunkNo, holder, until });
      if (isOurs) await this.#screen(batch, chunk);
    });
    if (!isTried) await returnChunk(ports, { chunk, holder });
  }

  async #lease(batch: Batch): ReturnType<typeof leaseChunk> {
    const { holder, ports } = this.#options;
    try {
      return await leaseChunk(ports, batch, holder);
    } catch (error) {
      this.#failures.putOff(batch, ports.clock);
      throw error;
    }
  }

  async #screen(batch: Batch, chunk: BatchChunk): Promise<void> {
    const { holder, log, ports, renewMs } = this.#options;
    try {
      const after = await runChunk(ports, batch, {
        chunk,
        holder,
        ...(renewMs !== undefined && { renewMs }),
        signal: this.#stop.signal,
      });
      if (isScreened(after)) this.look();
    } catch (error) {
      if (error instanceof BatchLost || this.#stop.signal.aborted) return;
      const code = faultCode(error);
      this.#failures.putOff(batch, ports.clock);
      log.error({ ...fieldsOf(batch), code, count: chunk.chunkNo, error }, 'a chunk was held up');
      if (isForGood(code)) return this.#fail(batch, { code, detail: detailOf(error) });
      const isSpent = isCounted(code) && (chunk.tries ?? 0) >= CHUNK_TRIES_MAX;
      await (isSpent ? this.#fail(batch, unfinished(batch, chunk, code)) : this.#note(batch, code));
    }
  }

  /** Notes on the batch what holds it up, until one of its chunks is done. */
  async #note(batch: Batch, code: string): Promise<void> {
    const { ports } = this.#options;
    const notice = { at: ports.clock.now(), code };
    try {
      await updateBatch(ports, batch, (found) => ({ ...found, notice }));
    } catch (error) {
      if (!(error instanceof BatchLost)) throw error; // the note is not needed any more
    }
  }
}

const fieldsOf = ({ batchId, tenantId }: Batch) => ({ batch_id: batchId, tenant_id: tenantId });

const detailOf = (error: unknown): string =>
  error instanceof DomainError ? error.message : 'see the log of the worker';

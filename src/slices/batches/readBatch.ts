/**
 * The first half of a batch's life in a worker: its lists are pinned and it runs; its cohort is
 * read into chunks, which are screened meanwhile, by this worker and others.
 *
 * After a crash another worker reads from the start: the same bytes give the same chunks, and those
 * that exist already stay.
 */
import { type DataKey, seedAt } from '#core/blobs';
import { WorkLost } from '#core/work';
import { ExternalIds, type NumberedSubject, type Rejection, writeRejections } from '#slices/intake';
import type { Batch, BatchChunk, StoredFile } from './batch.ts';
import { failedEntry, startedEntry } from './batchEvidence.ts';
import { chunkPlace, findBatchKey, putFile } from './batchKeys.ts';
import { type BatchHold, type BatchPorts, commitBatch } from './batchWork.ts';
import { putSubjects } from './chunkBlob.ts';
import { cohortParts } from './cohortParts.ts';
import { retainedUntil } from './reportPorts.ts';
import { chunkTable } from './tables.ts';

/** Chunks that are written at once: each waits for the disk. */
const CHUNKS_WRITTEN_AT_ONCE = 8;

/**
 * queued → running, with the lists in force. A DomainError of theirs fails the batch. Throws
 * WorkLost where it runs already: a slow worker must not pin other lists under its chunks.
 */
export async function startBatch(ports: BatchPorts, batch: Batch): Promise<Batch> {
  await ports.results.checkOrder(batch);
  const pinned = await ports.pinLists(batch);
  const exclusions = await ports.exclusions({ tenantId: batch.tenantId });
  return commitBatch(ports, batch, (found) => {
    if (found.status !== 'queued') throw new WorkLost('another worker has started it');
    const next: Batch = {
      ...found,
      ...pinned,
      ...(exclusions !== undefined && { exclusions: exclusions.digest }),
      startedAt: ports.clock.now(),
      status: 'running',
    };
    return { events: [startedEntry(ports, next)], next };
  });
}

/** Ends a batch after an error with which it cannot go on. */
export async function failBatch(
  ports: BatchPorts,
  batch: Batch,
  failure: { readonly code: string; readonly detail: string },
): Promise<void> {
  await commitBatch(ports, batch, (found) => ({
    bus: found.kind === 'aml' ? [failedEvent(found)] : [],
    events: [failedEntry(ports, found, failure)],
    next: {
      ...found,
      completedAt: ports.clock.now(),
      failure,
      status: 'failed',
    },
  }));
}

const failedEvent = ({ batchId, tenantId }: Batch) => ({
  partition: tenantId,
  payload: { batch_id: batchId },
  topic: 'aml.batch.failed' as const,
});

/** Chunks of the whole cohort, and `rejected.csv`. The batch is given back with what it came to. */
export async function readBatch(ports: BatchPorts, hold: BatchHold): Promise<void> {
  const { lineVersion } = hold.record;
  const key = lineVersion && (await findBatchKey(ports.dataKeys, hold.record));
  const reading = new CohortReading(ports, hold, key);
  const rejected = await reading.run();
  hold.signal.throwIfAborted();
  const isSaved = await hold.giveBack({
    isTried: false,
    work: {
      chunksTotal: reading.chunks,
      rejected,
      rejectedTotal: reading.rejections,
      subjectsTotal: reading.subjects,
    },
  });
  if (!isSaved) throw new WorkLost('another worker reads it');
}

class CohortReading {
  chunks = 0;
  subjects = 0;
  rejections = 0;
  readonly #ports: BatchPorts;
  readonly #batch: Batch;
  readonly #hold: BatchHold;
  readonly #key: DataKey | undefined;
  #writing: Promise<BatchChunk>[] = [];

  /** @param key absent for a batch of a former release */
  constructor(ports: BatchPorts, hold: BatchHold, key: DataKey | undefined) {
    this.#ports = ports;
    this.#batch = hold.record;
    this.#hold = hold;
    this.#key = key;
  }

  /** The file of rejections, a report, draws the cohort along: neither is ever whole in memory. */
  async run(): Promise<StoredFile> {
    const bytes = encoded(writeRejections(this.#rejections()));
    const retainUntil = retainedUntil(this.#ports.clock.now());
    return putFile(this.#ports, { bytes, key: this.#key, name: 'rejected' }, { retainUntil });
  }

  async *#rejections(): AsyncGenerator<readonly Rejection[]> {
    const { random, spoolDirectory: directory } = this.#ports;
    const ids = new ExternalIds({ directory, random });
    try {
      for await (const part of await cohortParts(this.#ports, this.#batch, ids)) {
        this.#hold.signal.throwIfAborted();
        await this.#take(part.subjects);
        this.rejections += part.rejections.length;
        this.#hold.tell({ rejectedTotal: this.rejections });
        yield part.rejections;
      }
      await this.#settle();
    } finally {
      ids.close();
    }
  }

  async #take(subjects: readonly NumberedSubject[]): Promise<void> {
    const { chunkSubjects } = this.#batch;
    for (let from = 0; from < subjects.length; from += chunkSubjects) {
      const writing = this.#put(subjects.slice(from, from + chunkSubjects));
      writing.catch(() => undefined); // reported when it is awaited
      this.#writing.push(writing);
      this.chunks++;
    }
    this.subjects += subjects.length;
    if (this.#writing.length >= CHUNKS_WRITTEN_AT_ONCE) await this.#settle();
  }

  async #put(subjects: readonly NumberedSubject[]): Promise<BatchChunk> {
    const chunkNo = this.chunks;
    const { batchId, tenantId, traceparent } = this.#batch;
    const seed = this.#key && seedAt(this.#key.seeds, chunkPlace(chunkNo));
    const input = await putSubjects(this.#ports, subjects, seed);
    return {
      batchId,
      chunkNo,
      input,
      subjects: subjects.length,
      tenantId,
      ...(traceparent !== undefined && { traceparent }),
    };
  }

  async #settle(): Promise<void> {
    const chunks = await Promise.all(this.#writing.splice(0));
    if (chunks.length > 0) await this.#ports.tables.insertMissing(chunkTable, chunks);
  }
}

async function* encoded(text: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const piece of text) yield Buffer.from(piece);
}

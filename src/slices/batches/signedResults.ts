/**
 * What was found of the subjects of a chunk, as the chunk's signed entry in the chain says it.
 * Records and blobs say where results are; only the entry says what they were. So whoever reads
 * results (hits, reports, proofs) reads them through this: lines whose Merkle root is not that of
 * the entry are refused, and so is a record whose figures are not those of the entry, since a chunk
 * that says it has no hits is not read at all.
 *
 * An entry is verified once, and the lines of a blob once: entries never change, and the blob store
 * answers by the digest. Both are kept for as many chunks as CHUNKS_KEPT_MAX.
 */
import { type AuditStore, Erasures, type KeyRing } from '#core/audit';
import type { BlobStore, DataKeys } from '#core/blobs';
import { DomainError } from '#core/kernel';
import type { ChainPlace, HitReview } from './batch.ts';
import { ChunkEvents, chunkKey } from './chunkEvents.ts';
import { type ChunkLines, lineKeys, linesUnder } from './chunkLines.ts';
import type { AnswerTo, ChunkQuestion } from './chunkQuestions.ts';
import {
  type ChunkTask,
  type ReadingCaller,
  type ResultReader,
  readChunk,
} from './chunkReading.ts';
import type { DoneChunk } from './chunkWalk.ts';
import { readResultLines } from './resultLine.ts';
import { type SignedBatches, type StartedBatch, signedBatches } from './signedBatch.ts';
import {
  altered,
  type BatchOf,
  refuseLines,
  refuseRecord,
  type SignedChunk,
} from './signedChunk.ts';
import { SignedReviews } from './signedReviews.ts';

/** Two batches of ten million subjects; some megabytes. */
const CHUNKS_KEPT_MAX = 20_000;

/** All reject with DomainError `results-altered` where something is not what was signed. */
export interface SignedResults extends SignedBatches {
  /** The chunk as it was signed, and its record says the same. */
  check(batch: BatchOf, chunk: DoneChunk, by?: ReadingCaller): Promise<SignedChunk>;
  /**
   * What its lines answer, read where the process reads them: a gateway in a thread. Rejects with
   * `blob-damaged` where they are gone, and as the thread does.
   */
  read<Question extends ChunkQuestion>(
    batch: BatchOf,
    of: { readonly chunk: DoneChunk; readonly question: Question; readonly by?: ReadingCaller },
  ): Promise<AnswerTo<Question>>;
  /**
   * Its lines, in the order of its subjects, read on this thread: for workers and commands.
   * Rejects with `blob-damaged` where they are gone.
   */
  linesOf(batch: BatchOf, chunk: DoneChunk): Promise<ChunkLines>;
  /** A signed decision of a person made the review what it is. */
  checkReview(review: HitReview): Promise<void>;
  /**
   * It began as its record says, and the chain has entries of so many chunks of it. Answers the
   * place of its start.
   */
  checkBatch(batch: StartedBatch, chunks: number): Promise<ChainPlace>;
}

export interface SignedResultsPorts {
  readonly audit: Pick<AuditStore, 'findBySeq' | 'head' | 'readEvents'>;
  readonly blobs: Pick<BlobStore, 'get'>;
  readonly dataKeys: Pick<DataKeys, 'find'>;
  readonly keyRing: KeyRing;
  /** Absent: on this thread. */
  readonly reader?: ResultReader;
}

interface Kept {
  readonly signed: SignedChunk;
  /** The blob whose lines have been found to be the signed ones. */
  readonly goodBlob?: string | undefined;
}

/** One for a process. */
export const signedResults = (ports: SignedResultsPorts): SignedResults => {
  const results = new Results(ports);
  const reviews = new SignedReviews(ports);
  return {
    ...signedBatches({ ...ports, events: results.events }),
    check: (...ask) => results.check(...ask),
    checkBatch: (...ask) => results.checkBatch(...ask),
    checkReview: (review) => reviews.check(review),
    linesOf: (...ask) => results.linesOf(...ask),
    read: (...ask) => results.read(...ask),
  };
};

class Results {
  readonly events: ChunkEvents;
  readonly #ports: SignedResultsPorts;
  readonly #batches: SignedBatches;
  readonly #kept = new Map<string, Kept>();
  readonly #linePorts: Parameters<typeof lineKeys>[0];
  readonly #reader: ResultReader;

  constructor(ports: SignedResultsPorts) {
    this.events = new ChunkEvents(ports.audit);
    this.#ports = ports;
    this.#batches = signedBatches({ ...ports, events: this.events });
    this.#linePorts = { dataKeys: ports.dataKeys, erasures: new Erasures(ports) };
    this.#reader = ports.reader ?? ((task) => readChunk(ports, task));
  }

  async check(batch: BatchOf, chunk: DoneChunk, by?: ReadingCaller): Promise<SignedChunk> {
    return (await this.#keptOf(batch, chunk, by)).signed;
  }

  async read<Question extends ChunkQuestion>(
    batch: BatchOf,
    of: { readonly chunk: DoneChunk; readonly question: Question; readonly by?: ReadingCaller },
  ): Promise<AnswerTo<Question>> {
    const { by, chunk, question } = of;
    const known = this.#kept.get(chunkKey(batch, chunk.chunkNo));
    const task: ChunkTask = {
      ...(await this.#taskOf(batch, chunk)),
      isGood: known?.goodBlob === chunk.result.blob,
      keys: await lineKeys(this.#linePorts, { batch, chunk }),
      question,
    };
    const { answer, signed } = await this.#reader(task, { turn: batch.tenantId, ...by });
    this.#keep(batch, chunk, { goodBlob: chunk.result.blob, signed });
    return answer as AnswerTo<Question>;
  }

  async linesOf(batch: BatchOf, chunk: DoneChunk): Promise<ChunkLines> {
    const known = await this.#keptOf(batch, chunk);
    const stored = await readResultLines(this.#ports.blobs, chunk.result);
    if (known.goodBlob !== chunk.result.blob) {
      refuseLines(known.signed, chunk, stored.lines);
      this.#keep(batch, chunk, { ...known, goodBlob: chunk.result.blob });
    }
    return linesUnder(await lineKeys(this.#linePorts, { batch, chunk }), { batch, stored });
  }

  async checkBatch(batch: StartedBatch, chunks: number): Promise<ChainPlace> {
    const start = await this.#batches.checkStart(batch);
    const signed = await this.events.count(batch, start.seq);
    if (signed === chunks) return start;
    const detail = `the chain tells of ${signed} chunks, its records of ${chunks}`;
    throw new DomainError('results-altered', { detail: `batch ${batch.batchId}: ${detail}` });
  }

  async #keptOf(batch: BatchOf, chunk: DoneChunk, by?: ReadingCaller): Promise<Kept> {
    const known = this.#kept.get(chunkKey(batch, chunk.chunkNo));
    if (known !== undefined) {
      refuseRecord(known.signed, chunk);
      return known;
    }
    const task = await this.#taskOf(batch, chunk);
    const { signed } = await this.#reader(task, { turn: batch.tenantId, ...by });
    return this.#keep(batch, chunk, { signed });
  }

  /** With the entry where it is not known to be good. */
  async #taskOf(batch: BatchOf, chunk: DoneChunk): Promise<ChunkTask> {
    const { batchId, chunkNo, result, subjects } = chunk;
    const of = {
      batch: { batchId: batch.batchId, tenantId: batch.tenantId },
      chunk: { batchId, chunkNo, result, subjects },
    };
    const known = this.#kept.get(chunkKey(batch, chunkNo));
    if (known !== undefined) return { ...of, signed: known.signed };
    const event = await this.events.find(batch, chunk);
    if (event === undefined) throw altered(chunk, 'no entry of the chain is about it');
    return { ...of, event };
  }

  #keep(batch: BatchOf, chunk: DoneChunk, kept: Kept): Kept {
    this.#kept.set(chunkKey(batch, chunk.chunkNo), kept);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > CHUNKS_KEPT_MAX && oldest !== undefined) this.#kept.delete(oldest);
    return kept;
  }
}

/**
 * The input of a batch's reports once it was screened: its record, and the results of its chunks,
 * read from the blob store as often as reports need them. Reviews are no part of it: a report
 * states findings, and people decide afterwards.
 */
import assert from 'node:assert/strict';
import type { EpochMs } from '#platform/clock';
import type { Signer } from '#platform/crypto';
import type {
  Batch,
  BatchChunk,
  BatchReports,
  ChunkResult,
  PlacedBatch,
  Reissue,
  StoredFile,
} from './batch.ts';
import type { ChunkLines } from './chunkLines.ts';
import { chunksOf } from './finishBatch.ts';
import type { HitFactsOf } from './hitFacts.ts';
import type { BatchStore } from './ports.ts';
import type { SignedResults } from './signedResults.ts';

/** Running, with every chunk done and its counts final. */
export type ScreenedBatch = PlacedBatch &
  Required<Pick<Batch, 'startedAt' | 'completedAt' | 'resultsRoot' | 'listsPinned'>>;

/** A chunk with its result lines, as bytes, in the order of its subjects. */
export interface ChunkFindings extends ChunkLines {
  readonly chunk: BatchChunk & { readonly result: ChunkResult };
}

/** The same input always gives the same bytes of reports. */
export interface ReportFrom {
  readonly batch: ScreenedBatch;
  /** Absent: they are written for the first time. */
  readonly reissue?: Reissue;
  readonly tenantName: string;
  /** All chunks, ascending. Called once for each pass over the results. */
  chunks(): AsyncIterable<ChunkFindings>;
  /** What the pinned lists say of hits. */
  readonly factsOf: HitFactsOf;
}

/** A file among the reports. */
export type ReportName = Exclude<keyof BatchReports, 'pdfSignature'>;

/** Where reports go, and who signs them. */
export interface ReportPorts {
  /**
   * Write-once, and retained as long as the batch is: the caller binds that, and seals what has
   * personal data.
   */
  put(bytes: AsyncIterable<Uint8Array> | Uint8Array, name: ReportName): Promise<StoredFile>;
  readonly signer: Signer;
}

/** Ten years (interface.md 8), the days that leap years may add, and a week for the batch. */
const RETAINED_MS = (10 * 365 + 3 + 7) * 24 * 60 * 60_000;

/** Until when reports are kept of a batch that ends now, and results of a chunk that does. */
export const retainedUntil = (endedAt: EpochMs): EpochMs => (endedAt + RETAINED_MS) as EpochMs;

/**
 * The findings of a batch as the store has them; the next blob is read ahead. Throws DomainError
 * `blob-damaged` where a blob is gone or is another one, `results-altered` where something is not
 * what the chain has signed, and the reason of `signal` once it fires.
 */
export async function* readFindings(
  ports: {
    readonly batches: Pick<BatchStore, 'listChunks'>;
    readonly results: Pick<SignedResults, 'linesOf'>;
  },
  batch: Pick<Batch, 'batchId' | 'tenantId'>,
  signal?: AbortSignal,
): AsyncGenerator<ChunkFindings> {
  let ahead: Promise<ChunkFindings> | undefined;
  try {
    for await (const chunk of chunksOf(ports.batches, batch)) {
      signal?.throwIfAborted();
      const inHand = ahead;
      ahead = findingsOf(ports.results, batch, chunk);
      ahead.catch(() => undefined); // reported when it is awaited
      if (inHand) yield await inHand;
    }
    if (ahead) yield await ahead;
  } finally {
    // The reader has stopped: the blob that was requested ahead is released first.
    await ahead?.catch(() => undefined); // the reader that stopped has its own error, or none
  }
}

async function findingsOf(
  results: Pick<SignedResults, 'linesOf'>,
  batch: Pick<Batch, 'batchId' | 'tenantId'>,
  chunk: BatchChunk,
): Promise<ChunkFindings> {
  const { result } = chunk;
  assert(result !== undefined, `chunk ${chunk.chunkNo} is done`);
  const done = { ...chunk, result };
  return { chunk: done, ...(await results.linesOf(batch, done)) };
}

/**
 * One chunk, read and asked: its entry is verified, its record and its lines must say the same, and
 * the lines answer. All of it depends on how much was screened and on what is asked, so a gateway
 * does it in a thread (resultThread of asks.ts), in turns of tenants, a chunk at a time.
 */
import type { KeyRing, SealedEvent } from '#core/audit';
import type { BlobStore } from '#core/blobs';
import { type LineKeys, linesUnder } from './chunkLines.ts';
import { type AnswerTo, answerIn, type ChunkQuestion } from './chunkQuestions.ts';
import { readResultLines } from './resultLine.ts';
import {
  altered,
  type BatchOf,
  type ChunkOf,
  refuseLines,
  refuseRecord,
  type SignedChunk,
  signedChunk,
} from './signedChunk.ts';

/** Plain, so that it can be handed to a thread. */
export interface ChunkTask {
  readonly batch: BatchOf;
  readonly chunk: ChunkOf;
  /** As it was signed; absent: `event` says it. */
  readonly signed?: SignedChunk;
  /** The entry about the chunk, not verified. */
  readonly event?: SealedEvent;
  /** The blob's lines are known to be the signed ones. */
  readonly isGood?: boolean;
  readonly keys?: LineKeys;
  /** Absent: the record is compared with the entry alone. */
  readonly question?: ChunkQuestion;
}

export interface ChunkRead {
  readonly signed: SignedChunk;
  readonly answer?: AnswerTo<ChunkQuestion>;
}

/** Who reads, and for how long he waits; a tenant's reads take his turns. */
export interface ReadingCaller {
  readonly signal?: AbortSignal | undefined;
  /** Absent: as long as it takes. */
  readonly deadlineMs?: number | undefined;
}

/** Rejects with `results-altered`, `blob-damaged`, and where it queues as its queue does. */
export type ResultReader = (
  task: ChunkTask,
  by: ReadingCaller & { readonly turn: string },
) => Promise<ChunkRead>;

/** On this thread. */
export async function readChunk(
  { blobs, keyRing }: { readonly blobs: Pick<BlobStore, 'get'>; readonly keyRing: KeyRing },
  { batch, chunk, event, isGood, keys, question, ...task }: ChunkTask,
): Promise<ChunkRead> {
  const signed = task.signed ?? (event && signedChunk(event, { batch, chunk, keyRing }));
  if (signed === undefined) throw altered(chunk, 'no entry of the chain is about it');
  refuseRecord(signed, chunk);
  if (question === undefined || keys === undefined) return { signed };
  const stored = await readResultLines(blobs, chunk.result);
  if (isGood !== true) refuseLines(signed, chunk, stored.lines);
  return { answer: answerIn(linesUnder(keys, { batch, stored }), question), signed };
}

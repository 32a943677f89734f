/**
 * The subjects of a batch that came under one reference of its caller's, found by looking through
 * all of them, as they are erased: in results, and in what waits to be screened and never will.
 */
import type { BlobStore, DataKeys } from '#core/blobs';
import { type Batch, type BatchChunk, hasEnded } from './batch.ts';
import { findChunkSeed } from './batchKeys.ts';
import { readSubjects, unpackSubjects } from './chunkBlob.ts';
import { firstOrdinal } from './chunkWalk.ts';
import { chunksOf } from './finishBatch.ts';
import type { BatchStore } from './ports.ts';
import type { SignedResults } from './signedResults.ts';

export interface FindSubjectPorts {
  readonly batches: Pick<BatchStore, 'listChunks'>;
  readonly blobs: Pick<BlobStore, 'get'>;
  readonly dataKeys: Pick<DataKeys, 'find'>;
  readonly results: Pick<SignedResults, 'linesOf'>;
}

/** Ordinals, ascending; none where the batch has no such subject, or he is erased. */
export async function ordinalsOf(
  ports: FindSubjectPorts,
  batch: Batch,
  externalId: string,
): Promise<readonly number[]> {
  const found: number[] = [];
  for await (const chunk of chunksOf(ports.batches, batch)) {
    const ids = await idsOf(ports, batch, chunk);
    const first = firstOrdinal(batch, chunk.chunkNo);
    found.push(...ids.flatMap((id, at) => (id === externalId ? [first + at] : [])));
  }
  return found;
}

/** Whether somebody of it is still to be screened, or to be read: nobody knows yet who. */
export async function isPending(
  { batches }: Pick<FindSubjectPorts, 'batches'>,
  batch: Batch,
): Promise<boolean> {
  if (hasEnded(batch)) return false;
  if (batch.chunksTotal === undefined) return true;
  for await (const { result } of chunksOf(batches, batch)) if (result === undefined) return true;
  return false;
}

async function idsOf(
  ports: FindSubjectPorts,
  batch: Batch,
  chunk: BatchChunk,
): Promise<readonly string[]> {
  const { result } = chunk;
  if (result !== undefined) {
    const { lines, parse } = await ports.results.linesOf(batch, { ...chunk, result });
    return lines.map((line) => parse(line).external_id);
  }
  if (!hasEnded(batch)) return [];
  const seed = await findChunkSeed(ports.dataKeys, batch, chunk.chunkNo);
  if (seed === undefined && batch.lineVersion !== undefined) return []; // it was erased whole
  const input = await readSubjects(ports.blobs, chunk, seed);
  return (await unpackSubjects(input, chunk)).map(({ subject }) => subject.external_id);
}

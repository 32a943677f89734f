/** What was found of subjects of batches, read as it was signed. */
import { type BatchId, DomainError, type TenantId } from '#core/kernel';
import type { Batch, BatchStore, ChunkLines, SignedResults, SubjectResult } from '#slices/batches';

/** What results are read with. */
export interface BatchEvidencePorts {
  readonly batches: Pick<BatchStore, 'findBatch' | 'findChunk'>;
  readonly results: SignedResults;
}

/**
 * Results of a chunk's subjects, in their order; none before it is done. Rejects with
 * `results-altered`.
 */
export async function resultsOfChunk(
  ports: BatchEvidencePorts,
  batch: Batch,
  chunkNo: number,
): Promise<readonly SubjectResult[]> {
  const found = await linesOf(ports, batch, chunkNo);
  return found?.lines.map((line) => found.parse(line)) ?? [];
}

/** The result of one subject. Rejects with `not-found`, `results-altered`. */
export async function resultOf(
  ports: BatchEvidencePorts,
  of: { readonly tenantId: TenantId; readonly batchId: BatchId; readonly ordinal: number },
): Promise<SubjectResult> {
  const batch = await ports.batches.findBatch(of);
  if (batch === undefined) throw new DomainError('not-found', { detail: 'no such batch' });
  const chunkNo = Math.floor(of.ordinal / batch.chunkSubjects);
  const found = await linesOf(ports, batch, chunkNo);
  const line = found?.lines[of.ordinal - chunkNo * batch.chunkSubjects];
  if (found === undefined || line === undefined)
    throw new DomainError('not-found', { detail: 'no such subject' });
  return found.parse(line);
}

async function linesOf(
  ports: BatchEvidencePorts,
  batch: Batch,
  chunkNo: number,
): Promise<ChunkLines | undefined> {
  const chunk = await ports.batches.findChunk(batch.batchId, chunkNo);
  const { result } = chunk ?? {};
  if (chunk === undefined || result === undefined) return undefined;
  return ports.results.linesOf(batch, { ...chunk, result });
}

/** Chunks whose lines one answer keeps: alerts of a chunk stand together in a list. */
const CHUNKS_KEPT_MAX = 4;

/** Results as one answer reads them: a chunk is unpacked once for all of its alerts. */
export function readTogether(results: SignedResults): SignedResults {
  const kept = new Map<string, Promise<ChunkLines>>();
  return {
    ...results,
    linesOf: (batch, chunk) => {
      const key = `${batch.batchId}/${chunk.chunkNo}`;
      const known = kept.get(key);
      if (known !== undefined) return known;
      const [oldest] = kept.keys();
      if (kept.size >= CHUNKS_KEPT_MAX && oldest !== undefined) kept.delete(oldest);
      const lines = results.linesOf(batch, chunk);
      kept.set(key, lines);
      return lines;
    },
  };
}

/**
 * The results of the subjects of a sanctions batch (interface.md 4.8), in their order. Each has a
 * screening of its own, whose whole evidence is fetched by its id.
 */
import type { Batch } from './batch.ts';
import { chunkOf, chunksFrom, firstOrdinal } from './chunkWalk.ts';
import type { BatchStore } from './ports.ts';
import type { ScreenedSubject } from './screenAsScreenings.ts';
import type { SignedResults } from './signedResults.ts';

export interface ScreeningPage {
  readonly results: readonly ScreenedSubject[];
  /** Ordinal of the last subject of the page; undefined: that was all. */
  readonly next?: number;
}

/**
 * Results after the subject `after`; -1 is the start. A page ends before the first incomplete
 * chunk.
 */
export async function readScreenings(
  {
    batches,
    results: signed,
  }: {
    readonly batches: Pick<BatchStore, 'listChunks'>;
    readonly results: Pick<SignedResults, 'linesOf'>;
  },
  {
    after,
    batch,
    limit,
  }: { readonly batch: Batch; readonly after: number; readonly limit: number },
): Promise<ScreeningPage> {
  const results: ScreenedSubject[] = [];
  for await (const walked of chunksFrom(batches, batch, chunkOf(batch, after + 1))) {
    const first = firstOrdinal(batch, walked.chunkNo);
    if (!walked.isDone) return { next: Math.max(after, first - 1), results };
    const { lines, parse } = await signed.linesOf(batch, walked.chunk);
    for (const line of lines.slice(Math.max(0, after + 1 - first))) {
      const last = results.at(-1);
      if (results.length === limit && last !== undefined) return { next: last.ordinal, results };
      results.push(parse(line) as ScreenedSubject);
    }
  }
  return { results };
}

export const presentScreened = ({ erased, external_id, hits, screening }: ScreenedSubject) => ({
  external_id,
  ...(erased && { erased }),
  screening_id: screening?.screening_id ?? null,
  decision: screening?.decision ?? null,
  hits_count: hits.length,
});

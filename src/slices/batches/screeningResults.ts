/**
 * The results of the subjects of a sanctions batch (interface.md 4.8), in their order. Each has a
 * screening of its own, whose whole evidence is fetched by its id.
 */
import type { Batch } from './batch.ts';
import type { ShownScreening } from './chunkQuestions.ts';
import type { ReadingCaller } from './chunkReading.ts';
import { chunkOf, chunksFrom, firstOrdinal } from './chunkWalk.ts';
import type { BatchStore } from './ports.ts';
import type { SignedResults } from './signedResults.ts';

export interface ScreeningPage {
  readonly results: readonly ShownScreening[];
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
    readonly results: Pick<SignedResults, 'read'>;
  },
  {
    after,
    batch,
    by,
    limit,
  }: {
    readonly batch: Batch;
    readonly after: number;
    readonly limit: number;
    readonly by?: ReadingCaller;
  },
): Promise<ScreeningPage> {
  const results: ShownScreening[] = [];
  for await (const walked of chunksFrom(batches, batch, chunkOf(batch, after + 1))) {
    const first = firstOrdinal(batch, walked.chunkNo);
    if (!walked.isDone) return { next: Math.max(after, first - 1), results };
    const last = results.at(-1);
    if (results.length === limit && last !== undefined) return { next: last.ordinal, results };
    const from = Math.max(0, after + 1 - first);
    const { chunk } = walked;
    const question = { from, limit: limit - results.length, what: 'screenings' as const };
    const found = await signed.read(batch, { ...(by && { by }), chunk, question });
    results.push(...found);
    const shown = results.at(-1);
    if (from + found.length < chunk.subjects && shown !== undefined) {
      return { next: shown.ordinal, results };
    }
  }
  return { results };
}

export const presentScreened = ({ erased, external_id, hits, screening }: ShownScreening) => ({
  external_id,
  ...(erased && { erased }),
  screening_id: screening?.screening_id ?? null,
  decision: screening?.decision ?? null,
  hits_count: hits,
});

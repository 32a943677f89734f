/**
 * What else is known of subjects that are to be erased, beside lines and files of their batch: the
 * evidence of screenings of their own (kind `sanctions`), and what people noted when they decided
 * hits. Each event is erased by an entry of its own; the notes of reviews go with the commit.
 */
import {
  type Asker,
  type AuditStore,
  type ErasurePorts,
  entryPages,
  eraseOpenOf,
  seqSince,
  storedMembers,
} from '#core/audit';
import { chainOf, type ScreeningId, type TableChange } from '#core/kernel';
import type { Batch, HitReview } from './batch.ts';
import { chunkOf } from './chunkWalk.ts';
import type { BatchStore } from './ports.ts';
import { parseResult } from './resultLine.ts';
import type { ScreenedSubject } from './screenAsScreenings.ts';
import type { SignedResults } from './signedResults.ts';
import { reviewTable } from './tables.ts';

export interface TracesPorts extends Omit<ErasurePorts, 'store'> {
  readonly batches: Pick<BatchStore, 'findChunk' | 'findReview'>;
  readonly results: Pick<SignedResults, 'linesOf'>;
  readonly store: ErasurePorts['store'] & Pick<AuditStore, 'findBySeq' | 'head' | 'readEvents'>;
}

interface TracesAsk extends Asker {
  readonly batch: Batch;
  readonly ordinals: readonly number[];
  readonly reason: string;
}

const DECIDED = 'aml.batch.hit.decided';

/** The changes that take the notes away. */
export async function eraseTraces(
  ports: TracesPorts,
  ask: TracesAsk,
): Promise<readonly TableChange[]> {
  const { batch, ordinals } = ask;
  const chainId = chainOf(batch.tenantId);
  const subjects = await resultsOf(ports, batch, ordinals);
  for (const { screening } of subjects) {
    const id = screening?.screening_id as ScreeningId | undefined;
    const event = id && (await ports.store.findByScreening(chainId, id));
    if (event?.open === undefined) continue;
    await eraseOpenOf(ports, event, { ...ask, chainId, target: String(id) });
  }
  const reviews: HitReview[] = [];
  for (const { hit_id } of subjects.flatMap(({ hits }) => hits)) {
    const review = await ports.batches.findReview(batch.batchId, hit_id);
    if (review !== undefined) reviews.push(review);
  }
  const ids = new Set(subjects.map(({ batch_subject_id }) => batch_subject_id));
  if (reviews.length > 0) await eraseDecisions(ports, ask, ids);
  return reviews
    .filter(({ notes }) => notes !== '')
    .map((review) => {
      const { version } = review;
      return reviewTable.put({ ...review, notes: '', version: version + 1 }, version);
    });
}

/** Only of chunks that are screened: of others there are none. */
async function resultsOf(
  { batches, results }: TracesPorts,
  batch: Batch,
  ordinals: readonly number[],
): Promise<readonly ScreenedSubject[]> {
  const found: ScreenedSubject[] = [];
  for (const [chunkNo, own] of Map.groupBy(ordinals, (ordinal) => chunkOf(batch, ordinal))) {
    const chunk = await batches.findChunk(batch.batchId, chunkNo);
    if (chunk?.result === undefined) continue;
    const { lines } = await results.linesOf(batch, { ...chunk, result: chunk.result });
    for (const ordinal of own) {
      const line = lines[ordinal - chunkNo * batch.chunkSubjects];
      // What is asked of it is not personal, and stands in the line itself.
      if (line !== undefined) found.push(parseResult(line));
    }
  }
  return found;
}

async function eraseDecisions(
  ports: TracesPorts,
  ask: TracesAsk,
  subjectIds: ReadonlySet<string>,
): Promise<void> {
  const { batch } = ask;
  const chainId = chainOf(batch.tenantId);
  const fromSeq = await seqSince(ports.store, chainId, batch.requestedAt);
  for await (const page of entryPages(ports.store, { action: DECIDED, chainId, fromSeq })) {
    for (const event of page) {
      const { batch_subject_id, target } = storedMembers(event);
      const isTheirs = target === batch.batchId && subjectIds.has(String(batch_subject_id));
      if (!isTheirs || event.open === undefined) continue;
      await eraseOpenOf(ports, event, { ...ask, chainId, target: batch.batchId });
    }
  }
}

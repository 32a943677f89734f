/**
 * What batches hold of one person, by the reference under which he came: his results, given to him,
 * and erased by destroying their keys once no duty wants them. Results of former releases, which
 * have no keys, are kept as long as their store keeps them.
 */
import {
  type DataSubject,
  dutyEnd,
  type ErasureOrder,
  type ErasureTerms,
  type HoldingErasure,
  plannedByDuty,
} from '#core/privacy';
import type { EpochMs } from '#platform/clock';
import { type Batch, hasEnded } from './batch.ts';
import { chunkOf } from './chunkWalk.ts';
import { ERASED_AT_ONCE_MAX, type EraseSubjectsPorts, eraseSubjects } from './eraseSubjects.ts';
import { isPending, ordinalsOf } from './findSubject.ts';
import { isRejected } from './rejectedFile.ts';
import { retainedUntil } from './reportPorts.ts';
import type { SubjectResult } from './resultLine.ts';

/** One batch, with the places that a person has in it. */
export interface PersonInBatch {
  readonly batch: Batch;
  readonly ordinals: readonly number[];
  /** A row of his was rejected: the file of those rows has his reference. */
  readonly isRejected: boolean;
}

/** A batch may still come to the person: it is looked at again after so long. */
const AGAIN_MS = 24 * 3_600_000;
const BATCHES_A_PAGE = 100;

/** Batches of a tenant, latest first. */
export async function* everyBatch(
  { batches }: Pick<EraseSubjectsPorts, 'batches'>,
  tenantId: Batch['tenantId'],
): AsyncGenerator<Batch> {
  for (let last: Batch | undefined; ; ) {
    const before = last && { before: { batchId: last.batchId, requestedAt: last.requestedAt } };
    const page: readonly Batch[] = await batches.listBatches({
      limit: BATCHES_A_PAGE,
      tenantId,
      ...before,
    });
    yield* page;
    last = page.at(-1);
    if (page.length < BATCHES_A_PAGE) return;
  }
}

/** Every batch of the tenant that the person is in. */
export async function* batchesWith(
  ports: EraseSubjectsPorts,
  { subjectRef, tenantId }: DataSubject,
  { asOf }: Pick<ErasureTerms, 'asOf'>,
): AsyncGenerator<PersonInBatch> {
  if (subjectRef === undefined) return;
  for await (const batch of everyBatch(ports, tenantId)) {
    if (batch.requestedAt > asOf) continue;
    const ordinals =
      batch.chunksTotal === undefined ? [] : await ordinalsOf(ports, batch, subjectRef);
    const isOut = batch.lineVersion !== undefined && (await isRejected(ports, batch, subjectRef));
    if (ordinals.length > 0 || isOut || (await isPending(ports, batch))) {
      yield { batch, isRejected: isOut, ordinals };
    }
  }
}

/** Places of one person, by their fate. */
export const erasureOfPersons = (ports: EraseSubjectsPorts): HoldingErasure => ({
  async plan(subject, terms) {
    const ends: EpochMs[] = [];
    for await (const found of batchesWith(ports, subject, terms)) {
      const count = found.ordinals.length + (found.isRejected ? 1 : 0);
      const end = await endOf(ports, found.batch, terms);
      ends.push(...new Array<EpochMs>(Math.max(1, count)).fill(end));
    }
    return plannedByDuty(ends, { kept: 'keep', now: terms.now });
  },
  async erase(subject, order) {
    for await (const found of batchesWith(ports, subject, order)) {
      if ((await endOf(ports, found.batch, order)) > order.now) continue;
      await eraseIn(ports, found, { ...order, subjectRef: subject.subjectRef ?? '' });
    }
  },
});

/** When the person may go out of a batch. */
async function endOf(
  ports: EraseSubjectsPorts,
  batch: Batch,
  terms: Pick<ErasureTerms, 'now' | 'retentionYears'>,
): Promise<EpochMs> {
  const at = batch.completedAt ?? batch.requestedAt;
  if (batch.lineVersion === undefined) return retainedUntil(at);
  // Whether the person is in it is not known yet: a duty of years would keep who is not.
  const isLater = !hasEnded(batch) || (await isPending(ports, batch));
  return isLater ? ((terms.now + AGAIN_MS) as EpochMs) : dutyEnd(at, terms);
}

async function eraseIn(
  ports: EraseSubjectsPorts,
  { batch, ordinals }: PersonInBatch,
  { actor, reason, subjectRef }: ErasureOrder & { readonly subjectRef: string },
): Promise<void> {
  for (let from = 0; from === 0 || from < ordinals.length; from += ERASED_AT_ONCE_MAX) {
    const some = ordinals.slice(from, from + ERASED_AT_ONCE_MAX);
    const ask = { actor, batch, externalIds: [subjectRef], ordinals: some, reason };
    await eraseSubjects(ports, ask);
  }
}

/** What was found of the person: one document a place. */
export async function* resultsOf(
  ports: EraseSubjectsPorts,
  { batch, ordinals }: PersonInBatch,
): AsyncGenerator<SubjectResult> {
  for (const ordinal of ordinals) {
    const chunk = await ports.batches.findChunk(batch.batchId, chunkOf(batch, ordinal));
    if (chunk?.result === undefined) continue;
    const { lines, parse } = await ports.results.linesOf(batch, { ...chunk, result: chunk.result });
    const line = lines[ordinal - chunk.chunkNo * batch.chunkSubjects];
    if (line !== undefined) yield parse(line);
  }
}

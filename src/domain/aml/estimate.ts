/**
 * When a batch will be done, as far as that can be said: what is left of it at the pace that it has
 * shown, or, before it has shown any, at BATCH_SUBJECTS_PER_S after everything that was asked for
 * before it. Batches take turns, so the wait is rather shorter than that.
 */
import type { EpochMs } from '#platform/clock';
import type { BatchId } from '../kernel/index.ts';
import { type Batch, hasEnded } from './batch.ts';
import type { BatchStore } from './ports.ts';

/** Of two cores, less than what was measured (docs/performance.md). */
export const BATCH_SUBJECTS_PER_S = 2_000;
/** Until a worker has looked, pinned the lists and read the first subjects; and the reports. */
const OVERHEAD_MS = 2_000;
/** A pace that was shown for less than this says nothing. */
const PACE_MS_MIN = 5_000;
/** Batches that are counted as waiting before another one. */
const QUEUE_BATCHES_MAX = 100;

type Remaining = Pick<Batch, 'subjectsTotal' | 'counts'>;
const remaining = ({ counts, subjectsTotal }: Remaining): number =>
  Math.max(0, subjectsTotal - counts.subjects);

/** Open batches, of which those before another one are looked for: of each tenant its oldest. */
export const openBatches = (batches: Pick<BatchStore, 'openBatches'>): Promise<readonly Batch[]> =>
  batches.openBatches(QUEUE_BATCHES_MAX);

/** Subjects that are left of all batches that were asked for before it. */
export function subjectsBefore(
  open: readonly Batch[],
  { batchId, requestedAt }: { readonly batchId?: BatchId; readonly requestedAt: EpochMs },
): number {
  return open
    .filter((other) => other.batchId !== batchId && other.requestedAt <= requestedAt)
    .reduce((sum, other) => sum + remaining(other), 0);
}

/** Undefined of one that failed or was canceled. */
export function estimatedCompletion(
  batch: Remaining & Pick<Batch, 'status' | 'startedAt' | 'completedAt'>,
  { now, before }: { readonly now: EpochMs; readonly before: number },
): EpochMs | undefined {
  const { completedAt, counts, startedAt, status } = batch;
  if (hasEnded(batch)) return status === 'completed' ? completedAt : undefined;
  const workedMs = startedAt === undefined ? 0 : now - startedAt;
  if (startedAt !== undefined && workedMs >= PACE_MS_MIN && counts.subjects > 0) {
    return Math.ceil(now + (remaining(batch) * workedMs) / counts.subjects) as EpochMs;
  }
  const leftMs = ((remaining(batch) + before) / BATCH_SUBJECTS_PER_S) * 1_000;
  return Math.ceil(now + OVERHEAD_MS + leftMs) as EpochMs;
}

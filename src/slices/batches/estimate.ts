/**
 * When a batch will be done, as far as that is known: its rest at the pace that it has shown.
 * Before it has shown any, the pace is that of its tenant's last batches, and for the very first
 * batch it is BATCH_SUBJECTS_PER_S.
 *
 * Workers serve tenants in turns, and a tenant's batches in turns. So a batch waits for as much of
 * each other one of its tenant as it has itself. With T tenants that have open batches it gets
 * every T-th chunk, for any amount of their work: only T enters the answer.
 */
import type { EpochMs } from '#platform/clock';
import { type Batch, hasEnded } from './batch.ts';
import type { BatchStore } from './ports.ts';

/** Subjects per second on two cores, less than what was measured (docs/performance.md). */
export const BATCH_SUBJECTS_PER_S = 2_000;
/** Until a worker has looked, pinned the lists and read the first subjects. */
const OVERHEAD_MS = 2_000;
/**
 * Subjects per second in the three reports, less than what was measured; a pace is of screening
 * alone.
 */
const REPORTED_PER_S = 10_000;
/** A pace that was shown for less than this says nothing. */
const PACE_MS_MIN = 5_000;
/** Open batches that are counted. */
const QUEUE_BATCHES_MAX = 100;
/** Latest batches of the tenant that give its pace. */
const PACE_BATCHES = 10;

type Remaining = Pick<Batch, 'subjectsTotal' | 'counts'>;
const remaining = ({ counts, subjectsTotal }: Remaining): number =>
  Math.max(0, subjectsTotal - counts.subjects);

/** The facts by which a batch of one tenant and kind is estimated. */
export interface BatchQueue {
  /** Open batches of all tenants. */
  readonly open: readonly Batch[];
  /** Pace of the tenant's recent batches; undefined where there is none. */
  readonly subjectsPerS: number | undefined;
}

/** For batches without an estimate. */
export const NO_QUEUE: BatchQueue = { open: [], subjectsPerS: undefined };

type Batches = Pick<BatchStore, 'listBatches' | 'openBatches'>;
type Whose = Pick<Batch, 'kind' | 'tenantId'>;

export async function batchQueue(batches: Batches, whose: Whose): Promise<BatchQueue> {
  const [open, subjectsPerS] = await Promise.all([
    batches.openBatches(QUEUE_BATCHES_MAX),
    paceLately(batches, whose),
  ]);
  return { open, subjectsPerS };
}

/** A tenant's own pace, so that it says nothing of another one; undefined where none is known. */
export async function paceLately(
  batches: Pick<Batches, 'listBatches'>,
  { kind, tenantId }: Whose,
): Promise<number | undefined> {
  const ask = { kind, limit: PACE_BATCHES, status: 'completed', tenantId } as const;
  return paceOf(await batches.listBatches(ask));
}

/** Pace of all of them together, so that a long batch weighs more than a short one. */
function paceOf(completed: readonly Batch[]): number | undefined {
  let subjects = 0;
  let ms = 0;
  for (const { completedAt, counts, startedAt } of completed) {
    const workedMs = (completedAt ?? 0) - (startedAt ?? Number.POSITIVE_INFINITY);
    if (workedMs < PACE_MS_MIN) continue;
    subjects += counts.subjects;
    ms += workedMs;
  }
  return subjects === 0 ? undefined : (subjects / ms) * 1_000;
}

/** Undefined of one that failed or was canceled. */
export function estimatedCompletion(
  batch: Remaining & Pick<Batch, 'batchId' | 'tenantId' | 'status' | 'startedAt' | 'completedAt'>,
  { now, queue }: { readonly now: EpochMs; readonly queue: BatchQueue },
): EpochMs | undefined {
  const { completedAt, counts, startedAt, status } = batch;
  if (hasEnded(batch)) return status === 'completed' ? completedAt : undefined;
  const workedMs = startedAt === undefined ? 0 : now - startedAt;
  if (startedAt !== undefined && workedMs >= PACE_MS_MIN && counts.subjects > 0) {
    const leftMs = (remaining(batch) * workedMs) / counts.subjects;
    const reportsMs = (batch.subjectsTotal * 1_000) / REPORTED_PER_S;
    return Math.ceil(now + leftMs + reportsMs) as EpochMs;
  }
  const { open, subjectsPerS = BATCH_SUBJECTS_PER_S } = queue;
  const own = open.filter(({ tenantId }) => tenantId === batch.tenantId);
  const left = remaining(batch);
  const between = own
    .filter(({ batchId }) => batchId !== batch.batchId)
    .reduce((sum, other) => sum + Math.min(remaining(other), left), 0);
  const tenants = new Set(open.map(({ tenantId }) => tenantId)).add(batch.tenantId).size;
  const leftMs = ((left + between) * tenants * 1_000) / subjectsPerS;
  return Math.ceil(now + OVERHEAD_MS + leftMs) as EpochMs;
}

/**
 * Cancels a batch (decisions 4.1): from then on no worker takes a chunk of it, and a chunk that is
 * being screened is not kept. Completed chunks stay, with their evidence.
 */
import {
  type Asker,
  type CommitEvidence,
  entry,
  type IdempotencyRecord,
  overwrite,
} from '#core/audit';
import { type BatchId, chainOf, DomainError, type TenantId } from '#core/kernel';
import type { Clock } from '#platform/clock';
import type { Random } from '#platform/random';
import { type Batch, hasEnded } from './batch.ts';
import type { BatchStore } from './ports.ts';
import { batchTable } from './tables.ts';

export interface CancelBatchPorts {
  readonly batches: Pick<BatchStore, 'findBatch'>;
  readonly commit: CommitEvidence;
  readonly clock: Pick<Clock, 'now'>;
  readonly random: Random;
}

/** Rejects with `not-found`, or with `state-conflict` where it has ended already. */
export async function cancelBatch(
  ports: CancelBatchPorts,
  ask: Asker & {
    readonly tenantId: TenantId;
    readonly batchId: BatchId;
    readonly idempotency?: (batch: Batch) => IdempotencyRecord;
  },
): Promise<Batch> {
  return overwrite(async () => {
    const { batchId, tenantId } = ask;
    const found = await ports.batches.findBatch({ batchId, tenantId });
    if (found === undefined) throw new DomainError('not-found');
    if (hasEnded(found)) {
      const detail = `the batch is ${found.status}: expected queued or running`;
      throw new DomainError('state-conflict', { detail });
    }
    return commitCanceled(ports, ask, found);
  });
}

async function commitCanceled(
  ports: CancelBatchPorts,
  { actor, idempotency, ip }: Parameters<typeof cancelBatch>[1],
  found: Batch,
): Promise<Batch> {
  const canceled: Batch = {
    ...found,
    completedAt: ports.clock.now(),
    status: 'canceled',
    version: found.version + 1,
  };
  const { counts, status, subjectsTotal } = found;
  const canceledEntry = entry(ports, {
    action: 'aml.batch.canceled',
    actor,
    ...(ip !== undefined && { ip }),
    target: found.batchId,
    members: {
      chunks: counts.chunks,
      former_status: status,
      hits: counts.hits,
      subjects: counts.subjects,
      subjects_total: subjectsTotal,
    },
  });
  await ports.commit(chainOf(found.tenantId), {
    bus: [],
    changes: [batchTable.put(canceled, found.version)],
    events: [canceledEntry],
    ...(idempotency !== undefined && { idempotency: () => idempotency(canceled) }),
  });
  return canceled;
}

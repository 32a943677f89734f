/**
 * A batch is canceled (decisions 4.1): from then on no worker takes a chunk of it, and what one is
 * just screening is not kept. What was done before stays, with its evidence.
 */
import { type Commit, type IdempotencyRecord, StaleChange } from '#core/audit';
import { type BatchId, type ChainId, chainOf, DomainError, type TenantId } from '#core/kernel';
import type { Clock } from '#platform/clock';
import type { Random } from '#platform/random';
import { type Batch, type BatchChange, hasEnded } from './batch.ts';
import { batchEntry } from './batchEvidence.ts';
import type { BatchStore } from './ports.ts';

/** Workers change the record with every chunk. */
const CONFLICTS_MAX = 50;

export interface CancelBatchPorts {
  readonly batches: Pick<BatchStore, 'findBatch'>;
  readonly commit: (chainId: ChainId, commit: Commit) => Promise<unknown>;
  readonly clock: Pick<Clock, 'now'>;
  readonly random: Random;
}

/** Rejects with `not-found`, or with `state-conflict` where it has ended already. */
export async function cancelBatch(
  ports: CancelBatchPorts,
  ask: {
    readonly tenantId: TenantId;
    readonly batchId: BatchId;
    readonly actor: string;
    readonly idempotency?: (batch: Batch) => IdempotencyRecord;
  },
): Promise<Batch> {
  for (let tries = 0; tries < CONFLICTS_MAX; tries++) {
    const { batchId, tenantId } = ask;
    const found = await ports.batches.findBatch({ batchId, tenantId });
    if (found === undefined) throw new DomainError('not-found');
    if (hasEnded(found)) {
      const detail = `the batch is ${found.status}: expected queued or running`;
      throw new DomainError('state-conflict', { detail });
    }
    try {
      return await commitCanceled(ports, ask, found);
    } catch (error) {
      if (!(error instanceof StaleChange)) throw error;
    }
  }
  throw new DomainError('state-conflict', { detail: 'the batch changes too often just now' });
}

async function commitCanceled(
  ports: CancelBatchPorts,
  { actor, idempotency }: Parameters<typeof cancelBatch>[1],
  found: Batch,
): Promise<Batch> {
  const { leaseHolder: _, leaseUntil: __, ...batch } = found;
  const canceled: Batch = {
    ...batch,
    completedAt: ports.clock.now(),
    status: 'canceled',
    version: found.version + 1,
  };
  const change: BatchChange = {
    batch: canceled,
    kind: 'batch.put',
    versionExpected: found.version,
  };
  const { counts, status, subjectsTotal } = found;
  const entry = batchEntry(ports, {
    action: 'aml.batch.canceled',
    actor,
    batch: found,
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
    changes: [change],
    events: [entry],
    ...(idempotency !== undefined && { idempotency: () => idempotency(canceled) }),
  });
  return canceled;
}

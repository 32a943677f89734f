/** The base of a batch of mode delta, listsdelta or newlist: the batch from which it continues. */
import type { Batch } from './batch.ts';
import type { BatchStore } from './ports.ts';

/** The last one that was completed of a tenant, by kind and name; undefined where there is none. */
export async function lastCompletedBatch(
  batches: Pick<BatchStore, 'listBatches'>,
  { kind, name, tenantId }: Pick<Batch, 'kind' | 'name' | 'tenantId'>,
): Promise<Batch | undefined> {
  const ask = { kind, limit: 1, name, status: 'completed' as const, tenantId };
  return (await batches.listBatches(ask))[0];
}

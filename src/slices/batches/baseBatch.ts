/** The base of a batch of mode delta, listsdelta or newlist: the batch from which it continues. */
import type { Batch } from './batch.ts';
import type { BatchStore } from './ports.ts';

const PAGE_BATCHES = 100;

/** The last one that was completed of a tenant, by kind and name; undefined where there is none. */
export async function lastCompletedBatch(
  batches: Pick<BatchStore, 'listBatches'>,
  { kind, name, tenantId }: Pick<Batch, 'kind' | 'name' | 'tenantId'>,
): Promise<Batch | undefined> {
  const ask = { limit: PAGE_BATCHES, name, status: 'completed' as const, tenantId };
  let page = await batches.listBatches(ask);
  for (;;) {
    const found = page.find((batch) => batch.kind === kind);
    const last = page.at(-1);
    if (found !== undefined || last === undefined) return found;
    const { batchId, requestedAt } = last;
    page = await batches.listBatches({ ...ask, before: { batchId, requestedAt } });
  }
}

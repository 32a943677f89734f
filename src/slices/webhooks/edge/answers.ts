/** Answers of webhooks to questions of the slices on its left. */
import type { WebhookDelivered } from '#slices/batches';
import { Arrivals } from '#slices/webhooks';
import type { SliceProcess } from '../../processes.ts';

const BATCH_COMPLETED = 'aml.batch.completed';

export function webhookDelivered({ keyRing, storage }: SliceProcess): WebhookDelivered {
  const { audit, tables } = storage;
  const arrivals = new Arrivals({ audit, keyRing, tables });
  return ({ batchId, tenantId }) =>
    arrivals.hasArrived({ about: batchId, eventType: BATCH_COMPLETED, tenantId });
}

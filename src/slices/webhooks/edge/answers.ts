/** Answers of webhooks to questions of the slices on its left. */
import type { WebhookDelivered } from '#slices/batches';
import { isDelivered } from '#slices/webhooks';
import type { SliceProcess } from '../../processes.ts';

const BATCH_COMPLETED = 'aml.batch.completed';

export const webhookDelivered =
  ({ storage: { tables } }: SliceProcess): WebhookDelivered =>
  ({ batchId, tenantId }) =>
    isDelivered({ tables }, { about: batchId, eventType: BATCH_COMPLETED, tenantId });

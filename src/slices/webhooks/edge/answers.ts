/** Answers of webhooks to questions of the slices on its left. */
import type { WebhookDelivered } from '#slices/batches';
import { hasArrived } from '#slices/webhooks';
import type { SliceProcess } from '../../processes.ts';

const BATCH_COMPLETED = 'aml.batch.completed';

export const webhookDelivered =
  ({ storage: { tables } }: SliceProcess): WebhookDelivered =>
  ({ batchId, tenantId }) =>
    hasArrived({ tables }, { about: batchId, eventType: BATCH_COMPLETED, tenantId });

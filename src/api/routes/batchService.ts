/** All operations of batches, as the composition root wires them. */
import type { Operation } from '../operation.ts';
import { type BatchRouteOptions, batchOperations } from './batches.ts';
import { batchHitOperations } from './batchHits.ts';
import { batchReportOperations } from './batchReport.ts';
import { screeningBatchOperations } from './screeningBatches.ts';

export function batchServiceOperations(options: BatchRouteOptions): Operation[] {
  return [
    ...batchOperations(options),
    ...batchHitOperations(options),
    ...batchReportOperations(options),
    ...screeningBatchOperations(options),
  ];
}

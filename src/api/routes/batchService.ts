/** All operations of batches, as the composition root wires them. */
import type { ProofPorts } from '#domain/aml';
import type { Operation } from '../operation.ts';
import { type BatchRouteOptions, batchOperations } from './batches.ts';
import { batchHitOperations } from './batchHits.ts';
import { batchProofOperations } from './batchProof.ts';
import { batchReportOperations } from './batchReport.ts';
import { screeningBatchOperations } from './screeningBatches.ts';

export function batchServiceOperations(
  options: BatchRouteOptions & Pick<ProofPorts, 'audit'>,
): Operation[] {
  return [
    ...batchOperations(options),
    ...batchHitOperations(options),
    ...batchReportOperations(options),
    ...batchProofOperations(options),
    ...screeningBatchOperations(options),
  ];
}

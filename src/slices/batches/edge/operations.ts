/** All operations of batches, as the composition root wires them. */
import type { ProofPorts } from '#slices/batches';
import type { Operation } from '../../../api/operation.ts';
import { type BatchRouteOptions, batchOperations } from './batches.ts';
import { batchHitOperations } from './hits.ts';
import { batchProofOperations } from './proof.ts';
import { batchReportOperations } from './report.ts';
import { screeningBatchOperations } from './screenings.ts';

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

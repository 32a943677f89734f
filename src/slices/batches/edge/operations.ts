/** All operations of batches. */
import { NO_CASES, type ProofPorts } from '#slices/batches';
import countries from '../../../../config/tables/countries.json' with { type: 'json' };
import type { Operation } from '../../../api/operation.ts';
import type { GatewayProcess } from '../../processes.ts';
import { type BatchRouteOptions, batchOperations } from './batches.ts';
import { batchHitOperations } from './hits.ts';
import { batchProofOperations } from './proof.ts';
import { batchReportOperations } from './report.ts';
import { screeningBatchOperations } from './screenings.ts';

export function operations(process: GatewayProcess): readonly Operation[] {
  const { blobs, clock, commit, config, cursors, origin, random, storage, tenants } = process;
  return batchServiceOperations({
    audit: storage.audit,
    baseUrlOf: (environment) => `${config.origins[environment] ?? origin()}/v1`,
    batches: storage.batches,
    blobs,
    cases: NO_CASES,
    clock,
    commit,
    countries,
    cursors,
    lists: storage.lists,
    random,
    settingsOf: (tenantId) => tenants.settings(tenantId),
    wake: (batchId) => process.wake('batches', batchId),
  });
}

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

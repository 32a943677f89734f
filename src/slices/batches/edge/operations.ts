/** All operations of batches. */
import { batchStore, gatewayResults, type ProofPorts } from '#slices/batches';
import { factsOfProcess, linesOfProcess, listStore } from '#slices/lists';
import { policySettingsOf } from '#slices/policies';
import { explainPorts } from '#slices/screening';
import countries from '../../../../config/tables/countries.json' with { type: 'json' };
import type { Operation } from '../../../api/operation.ts';
import type { GatewayProcess } from '../../processes.ts';
import { caseWords, screeningById, storedCases, webhookDelivered } from '../asks.ts';
import { type BatchRouteOptions, batchOperations, uploadSlots } from './batches.ts';
import { batchHitOperations } from './hits.ts';
import { batchProofOperations } from './proof.ts';
import { batchReportOperations } from './report.ts';
import { screeningBatchOperations } from './screenings.ts';

export function operations(process: GatewayProcess): readonly Operation[] {
  const { blobs, clock, commit, config, cursors, dataKeys, keyRing, origin, random } = process;
  const { storage, tenants, tracer } = process;
  return batchServiceOperations({
    audit: storage.audit,
    baseUrlOf: (environment) => `${config.origins[environment] ?? origin()}/v1`,
    batches: batchStore(storage.tables),
    blobs,
    cases: { listSubjects: process.ask(storedCases), words: process.ask(caseWords) },
    clock,
    commit,
    countries,
    cursors,
    dataKeys,
    explain: explainPorts(process, (...ask) => linesOfProcess(process)(...ask)),
    factsOf: (...ask) => factsOfProcess(process)(...ask),
    keyRing,
    lists: listStore(storage.tables),
    policyInForce: policySettingsOf(process),
    random,
    results: gatewayResults(process),
    screeningById: process.ask(screeningById),
    settingsOf: (tenantId) => tenants.settings(tenantId),
    tracer,
    wake: (batchId) => process.wake('batches', batchId),
    webhookDelivered: process.ask(webhookDelivered),
  });
}

export function batchServiceOperations(
  options: BatchRouteOptions & Pick<ProofPorts, 'audit' | 'keyRing'>,
): Operation[] {
  const uploads = uploadSlots();
  return [
    ...batchOperations(options, uploads),
    ...batchHitOperations(options),
    ...batchReportOperations(options),
    ...batchProofOperations(options),
    ...screeningBatchOperations(options, uploads),
  ];
}

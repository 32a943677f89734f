/** Cases of identity verification over HTTP (interface.md 4.1). */
import type { Operation } from '../../../api/operation.ts';
import { Slots } from '../../../api/slots.ts';
import type { GatewayProcess } from '../../processes.ts';
import { caseOperations } from './cases.ts';
import { decisionOperations } from './decisions.ts';
import { documentPartsOf } from './documentParts.ts';
import { type DocumentRouteOptions, documentOperations } from './documents.ts';
import { casePortsOf } from './parts.ts';
import { workflowOperations } from './workflowRoutes.ts';

/** Documents that are received at once: fifteen mebibytes each are in memory. */
const UPLOADS_MAX = 8;
const UPLOADS_PER_TENANT_MAX = 4;

export function operations(process: GatewayProcess): readonly Operation[] {
  // Opened when it is first used: the description of the API is made without an installation.
  return customerOperations({
    cursors: process.cursors,
    documents: () => documentPartsOf(process),
    ports: () => casePortsOf(process),
    secrets: () => process.secrets,
    slots: new Slots({
      inAllMax: UPLOADS_MAX,
      max: UPLOADS_PER_TENANT_MAX,
      what: 'documents of customers',
    }),
  });
}

export const customerOperations = (options: DocumentRouteOptions): Operation[] => [
  ...caseOperations(options),
  ...documentOperations(options),
  ...decisionOperations(options),
  ...workflowOperations(options),
];

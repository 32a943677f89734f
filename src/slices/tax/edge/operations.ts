/** Tax reporting over HTTP (interface.md 4.3). */
import type { Operation } from '../../../api/operation.ts';
import type { GatewayProcess } from '../../processes.ts';
import { accountFileOperations } from './accountFiles.ts';
import { accountOperations } from './accounts.ts';
import { classificationOperations } from './classifications.ts';
import { declarationContentOperations } from './declarationContent.ts';
import { declarationOperations } from './declarations.ts';
import { filingOperations } from './filing.ts';
import { formOperations } from './forms.ts';
import { gatewayPortsOf } from './parts.ts';
import { reportingFiOperations } from './reportingFis.ts';

export function operations(process: GatewayProcess): readonly Operation[] {
  const { cursors, identity } = process;
  // Opened when it is first used: the description of the API is made without an installation.
  const options = { cursors, identity, ports: () => gatewayPortsOf(process) };
  const filing = { ...options, wake: (id: string) => process.wake('tax', id) };
  return [
    ...classificationOperations(options),
    ...formOperations(options),
    ...reportingFiOperations(options),
    ...accountOperations(options),
    ...declarationOperations(filing),
    ...declarationContentOperations(filing),
    ...filingOperations(filing),
    ...accountFileOperations({
      ...options,
      blobs: () => process.blobs,
      wake: (id) => process.wake('tax', id),
    }),
  ];
}

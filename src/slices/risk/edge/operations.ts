/** Risk over HTTP (interface.md 4.6): policies and evaluations. */
import type { Operation } from '../../../api/operation.ts';
import type { GatewayProcess } from '../../processes.ts';
import { backtestOperations } from './backtestRoutes.ts';
import { evaluationOperations } from './evaluationRoutes.ts';
import { overrideOperations } from './overrideRoutes.ts';
import { riskPortsOf } from './parts.ts';
import { policyOperations } from './policyRoutes.ts';
import { stageOperations } from './stageRoutes.ts';

export function operations(process: GatewayProcess): readonly Operation[] {
  // Opened when it is first used: the description of the API is made without an installation.
  const options = {
    cursors: process.cursors,
    ports: () => riskPortsOf(process),
    wake: (tenantId: string) => process.wake('risk', tenantId),
  };
  return [
    ...policyOperations(options),
    ...stageOperations(options),
    ...backtestOperations(options),
    ...evaluationOperations(options),
    ...overrideOperations(options),
  ];
}

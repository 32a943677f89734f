/** Forms and their versions over HTTP (interface.md 4.4). */
import type { Operation } from '../../../api/operation.ts';
import type { GatewayProcess } from '../../processes.ts';
import { formOperations } from './formRoutes.ts';
import { formPartsOf } from './parts.ts';
import type { FormRouteOptions } from './routeOptions.ts';
import { versionOperations } from './versionRoutes.ts';

export function operations(process: GatewayProcess): readonly Operation[] {
  const options: FormRouteOptions = {
    cursors: process.cursors,
    ports: () => formPartsOf(process),
    signer: () => process.signer,
  };
  return [...formOperations(options), ...versionOperations(options)];
}

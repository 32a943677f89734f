/** Forms, their versions, and what is filled in, over HTTP (interface.md 4.4). */
import { formSettings } from '#slices/forms';
import type { Operation } from '../../../api/operation.ts';
import type { GatewayProcess } from '../../processes.ts';
import { formOperations } from './formRoutes.ts';
import { formPartsOf } from './parts.ts';
import type { FormRouteOptions } from './routeOptions.ts';
import { submissionPartsOf } from './submissionParts.ts';
import { submissionOperations } from './submissionRoutes.ts';
import { versionOperations } from './versionRoutes.ts';

export function operations(process: GatewayProcess): readonly Operation[] {
  const options: FormRouteOptions = {
    cursors: process.cursors,
    ports: () => formPartsOf(process),
    sdkOf: async (tenantId) => (await process.tenants.settings(tenantId)).of(formSettings),
    signer: () => process.signer,
  };
  return [
    ...formOperations(options),
    ...versionOperations(options),
    ...submissionOperations({
      cursors: process.cursors,
      submissions: () => submissionPartsOf(process),
    }),
  ];
}

/** Privacy over HTTP: requests, what is decided about them, and flags of subjects. */
import { privacyPartsOf } from '#slices/privacy';
import type { Operation } from '../../../api/operation.ts';
import type { GatewayProcess } from '../../processes.ts';
import { decisionRoutes } from './decisionRoutes.ts';
import { requestRoutes } from './requestRoutes.ts';
import type { PrivacyRouteOptions } from './routeOptions.ts';
import { subjectRoutes } from './subjectRoutes.ts';

export function operations(process: GatewayProcess): readonly Operation[] {
  const { cursors, identity } = process;
  const options: PrivacyRouteOptions = {
    cursors,
    identity,
    // Opened when it is first used: the description of the API is made without an installation.
    get ports() {
      return privacyPartsOf(process);
    },
  };
  return [...requestRoutes(options), ...decisionRoutes(options), ...subjectRoutes(options)];
}

/** Privacy over HTTP: requests, what is decided about them, and flags of subjects. */
import { CallerLinks } from '#platform/callerLinks';
import { casePartsOf } from '#slices/customers';
import { ARCHIVE_LINK_MS, privacyDeskOf } from '#slices/privacy';
import type { Operation } from '../../../api/operation.ts';
import type { GatewayProcess } from '../../processes.ts';
import { archiveRoutes } from './archiveRoutes.ts';
import { decisionRoutes } from './decisionRoutes.ts';
import { holdRoutes } from './holdRoutes.ts';
import { requestRoutes } from './requestRoutes.ts';
import type { PrivacyRouteOptions } from './routeOptions.ts';
import { subjectRoutes } from './subjectRoutes.ts';
import { vaultRoutes } from './vaultRoutes.ts';

export function operations(process: GatewayProcess): readonly Operation[] {
  const { cursors, identity } = process;
  const options: PrivacyRouteOptions = {
    cases: () => casePartsOf(process),
    cursors,
    identity,
    links: () => process.once(openLinks),
    wake: process.wake,
    // Opened when it is first used: the description of the API is made without an installation.
    get ports() {
      return privacyDeskOf(process);
    },
  };
  return [
    ...requestRoutes(options),
    ...decisionRoutes(options),
    ...archiveRoutes(options),
    ...subjectRoutes(options),
    ...holdRoutes(options),
    ...vaultRoutes(options),
  ];
}

const openLinks = ({ clock, secretOf }: GatewayProcess): CallerLinks =>
  new CallerLinks({
    clock,
    key: secretOf('privacy-archive-link'),
    lifeMs: ARCHIVE_LINK_MS,
    purpose: 'privacy-archive-link-v1',
  });

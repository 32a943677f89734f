/** Reports to the authority over HTTP (interface.md 4.2): drafted, validated, filed. */
import { CallerLinks } from '#platform/callerLinks';
import { LINK_MS } from '#slices/str';
import type { Operation } from '../../../api/operation.ts';
import { Slots } from '../../../api/slots.ts';
import type { GatewayProcess } from '../../processes.ts';
import { attachmentOperations } from './attachmentRoutes.ts';
import { draftingOperations } from './drafting.ts';
import { filingOperations } from './filing.ts';
import { deskOf } from './parts.ts';
import { profileOperations } from './profileRoutes.ts';
import type { StrRouteOptions } from './routeOptions.ts';

/** Files that are received at once: five mebibytes each are in memory. */
const UPLOADS_MAX = 8;
const UPLOADS_PER_TENANT_MAX = 2;

export function operations(process: GatewayProcess): readonly Operation[] {
  // Opened when it is first used: the description of the API is made without an installation.
  return strOperations({
    cursors: process.cursors,
    desk: () => deskOf(process),
    links: () => process.once(openLinks),
    slots: new Slots({
      inAllMax: UPLOADS_MAX,
      max: UPLOADS_PER_TENANT_MAX,
      what: 'files of reports',
    }),
    wake: (tenantId) => process.wake('str', tenantId),
  });
}

const openLinks = ({ clock, secretOf }: GatewayProcess): CallerLinks =>
  new CallerLinks({
    clock,
    key: secretOf('str-package-link'),
    lifeMs: LINK_MS,
    purpose: 'str-package-link-v1',
  });

export const strOperations = (options: StrRouteOptions): Operation[] => [
  ...draftingOperations(options),
  ...attachmentOperations(options),
  ...filingOperations(options),
  ...profileOperations(options),
];

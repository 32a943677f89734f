/** The audit trail of the caller's tenant (interface.md 4.5), read from its chain. */
import { signedEvents } from '#core/audit';
import type { Operation } from '../../../api/operation.ts';
import type { GatewayProcess } from '../../processes.ts';
import { eventOperation } from './eventOperation.ts';
import type { AuditRouteOptions } from './routeOptions.ts';
import { trailOperation } from './trailOperation.ts';

export const operations = ({
  actions,
  clock,
  commit,
  cursors,
  keyRing,
  random,
  storage: { audit },
}: GatewayProcess): readonly Operation[] => {
  const signed = signedEvents({ audit, keyRing });
  return auditOperations({ actions, audit, clock, commit, cursors, random, signed });
};

export const auditOperations = (options: AuditRouteOptions): Operation[] => [
  trailOperation(options),
  eventOperation(options),
];

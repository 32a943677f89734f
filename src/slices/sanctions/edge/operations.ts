/** Sanctions over HTTP: the register of screenings (interface.md 4.8), and its breaks. */
import type { Operation } from '../../../api/operation.ts';
import type { GatewayProcess } from '../../processes.ts';
import { acknowledgeOperation, type BreakRouteOptions } from './breaks.ts';
import { kpiOperation } from './kpis.ts';
import { sanctionsPartsOf } from './parts.ts';
import { replayOperations } from './replays.ts';
import { screeningListOperation } from './screeningList.ts';

export function operations(process: GatewayProcess): readonly Operation[] {
  const options = breakOptionsOf(process);
  const { parts } = options;
  return [
    screeningListOperation({ cursors: process.cursors, parts }),
    acknowledgeOperation(options),
    kpiOperation(parts),
    ...replayOperations({
      parts,
      wake: (replayId) => process.wake('sanctions', replayId),
    }),
  ];
}

export const breakOptionsOf = (process: GatewayProcess): BreakRouteOptions => ({
  clock: process.clock,
  listPersons: (tenantId) => process.identity.listPersons(tenantId),
  parts: () => sanctionsPartsOf(process),
});

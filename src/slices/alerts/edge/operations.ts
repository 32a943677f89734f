/** Alerts over HTTP: listed, read, streamed, worked on (interface.md 4.2); and hits decided. */
import { gatewayResults } from '#slices/batches';
import { factsOfProcess, linesOfProcess } from '#slices/lists';
import { explainPorts } from '#slices/screening';
import type { Operation } from '../../../api/operation.ts';
import type { GatewayProcess } from '../../processes.ts';
import { closingOperations } from './closing.ts';
import { decisionsOperation } from './decisions.ts';
import { type HitRouteOptions, hitOperations } from './hits.ts';
import { alertPartsOf } from './parts.ts';
import { type AlertRouteOptions, readingOperations } from './reading.ts';
import { streamOperation } from './stream.ts';
import { workingOperations } from './working.ts';

export function operations(process: GatewayProcess): readonly Operation[] {
  const parts = { ...alertPartsOf(process), results: gatewayResults(process) };
  const options: AlertRouteOptions & HitRouteOptions = {
    ...parts,
    cursors: process.cursors,
    explain: explainPorts(process, (...ask) => linesOfProcess(process)(...ask)),
    factsOf: (...ask) => factsOfProcess(process)(...ask),
  };
  return [
    ...readingOperations(options),
    streamOperation(options, process),
    ...workingOperations(options),
    ...closingOperations(options),
    decisionsOperation(options),
    ...hitOperations(options),
  ];
}

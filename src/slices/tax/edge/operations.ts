/** Tax reporting over HTTP (interface.md 4.3). */
import type { Operation } from '../../../api/operation.ts';
import type { GatewayProcess } from '../../processes.ts';
import { classificationOperations } from './classifications.ts';
import { taxPortsOf } from './parts.ts';

export function operations(process: GatewayProcess): readonly Operation[] {
  const { cursors, identity } = process;
  // Opened when it is first used: the description of the API is made without an installation.
  return classificationOperations({ cursors, identity, ports: () => taxPortsOf(process) });
}

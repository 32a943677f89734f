/** Alerts over HTTP: listed, read, streamed, worked on (interface.md 4.2). */
import type { Operation } from '../../../api/operation.ts';
import type { GatewayProcess } from '../../processes.ts';
import { closingOperations } from './closing.ts';
import { alertPartsOf } from './parts.ts';
import { readingOperations } from './reading.ts';
import { streamOperation } from './stream.ts';
import { workingOperations } from './working.ts';

export function operations(process: GatewayProcess): readonly Operation[] {
  const parts = alertPartsOf(process);
  const options = { ...parts, cursors: process.cursors };
  return [
    ...readingOperations(options),
    streamOperation(options, process),
    ...workingOperations(options),
    ...closingOperations(options),
  ];
}

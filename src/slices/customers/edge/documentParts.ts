/** The ports of documents: cases with their settings; in a worker, what scans and reads. */

import { isHeld } from '#core/privacy';
import type { DocumentViewPorts, ForgetPorts } from '#slices/customers';
import { compareNames, openRecogniser, openScanner } from '#slices/recognition';
import type { SliceProcess, WorkerProcess } from '../../processes.ts';
import { settings } from '../settings.ts';
import { casePortsOf } from './parts.ts';

/** One for the process. */
export const documentPartsOf = (process: SliceProcess): DocumentViewPorts => process.once(open);

const open = (process: SliceProcess): DocumentViewPorts => ({
  ...casePortsOf(process),
  settingsOf: async (tenantId) => (await process.tenants.settings(tenantId)).of(settings),
});

/** What a worker looks at documents with. */
export function readingPortsOf(process: WorkerProcess): ForgetPorts {
  const { blobs, clock, config } = process;
  return {
    ...documentPartsOf(process),
    blobs,
    compareNames: process.need(compareNames),
    isHeld: process.ask(isHeld),
    recogniser: openRecogniser({ clock, config }),
    scanner: openScanner(config),
  };
}

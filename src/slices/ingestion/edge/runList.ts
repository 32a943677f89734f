/** A run of a list in the process of the command line: on record, and audited, like any other. */
import { DomainError } from '#core/kernel';
import { isProcessGone } from '#core/work';
import {
  type ExecuteRunPorts,
  endLostRun,
  executeRun,
  type RunOutcome,
  SOURCE_IDS,
  startRun,
} from '#slices/ingestion';
import type { CliInstallation } from '../../../cli/ports.ts';

export async function runList(
  ports: ExecuteRunPorts & { readonly holder: string },
  ask: Parameters<CliInstallation['runList']>[0],
): Promise<RunOutcome> {
  const { actor, kind, sourceId, ...options } = ask;
  // Before the run is on record: a word that was mistyped is no failure of a list.
  if (ports.readerOf(sourceId) === undefined) {
    const known = SOURCE_IDS.filter((id) => ports.readerOf(id) !== undefined).join(', ');
    throw new DomainError('list-unknown', { detail: `source: expected one of ${known}` });
  }
  const { holder } = ports;
  await endLostRun(ports, { holder, isGone: (other) => isProcessGone(other, holder), sourceId });
  const run = await startRun(ports, { holder, kind, sourceId, triggeredBy: actor });
  return executeRun(ports, run, options);
}

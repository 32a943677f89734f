/** Answers of exclusions to questions of the slices on their left. */
import { exclusionsInForce, signedExclusionsOf } from '#slices/exclusions';
import type { ExclusionsInForce } from '#slices/screening';
import type { GatewayProcess, SliceProcess } from '../../processes.ts';

/** One for the process. */
export const exclusions = (process: SliceProcess): ExclusionsInForce => process.once(openAnswer);

function openAnswer(process: SliceProcess): ExclusionsInForce {
  const { clock, dataKeys, storage } = process;
  // The command line tells by its check; the others by their log.
  const { log } = process as Partial<GatewayProcess>;
  return exclusionsInForce({
    clock,
    dataKeys,
    onRefused: (tenantId, { length: count }) =>
      log?.error({ count, tenant_id: tenantId }, 'exclusions that nobody signed: see doctor'),
    signed: signedExclusionsOf(process),
    tables: storage.tables,
  });
}

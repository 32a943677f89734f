/** What approvals does now and then: requests that nobody decided in time expire. */
import type { PerTenant } from '#core/work';
import { type EndPorts, expireRequests } from '#slices/approvals';
import type { ScheduledJob } from '../../../workers/jobQueue.ts';
import { createPartsApart } from '../../../workers/partsApart.ts';
import type { JobPurposes, WorkerProcess } from '../../processes.ts';

export const purposes: JobPurposes = { 'approval-expiry': 'none' };

const EXPIRY_EVERY_MS = 60_000;

export const scheduled = (process: WorkerProcess): readonly ScheduledJob[] => [
  {
    everyMs: EXPIRY_EVERY_MS,
    name: 'approval-expiry',
    run: () => {
      const { clock, commit, random, storage } = process;
      const perTenant = process.once(createPartsApart)('approval-expiry');
      return applyExpiry({ clock, commit, random, tables: storage.tables }, perTenant);
    },
  },
];

export const applyExpiry = async (
  ports: EndPorts,
  perTenant?: PerTenant,
): Promise<Readonly<Record<'expired', number>>> => ({
  expired: await expireRequests(ports, perTenant),
});

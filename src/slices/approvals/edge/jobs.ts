/** What approvals does now and then: requests that nobody decided in time expire. */
import { type EndPorts, expireRequests } from '#slices/approvals';
import type { ScheduledJob } from '../../../workers/jobQueue.ts';
import type { WorkerProcess } from '../../processes.ts';

const EXPIRY_EVERY_MS = 60_000;

export const scheduled = ({
  clock,
  commit,
  random,
  storage,
}: WorkerProcess): readonly ScheduledJob[] => [
  {
    everyMs: EXPIRY_EVERY_MS,
    name: 'approval-expiry',
    run: () => applyExpiry({ clock, commit, random, tables: storage.tables }),
  },
];

export const applyExpiry = async (
  ports: EndPorts,
): Promise<Readonly<Record<'expired', number>>> => ({ expired: await expireRequests(ports) });

/** What exclusions do by themselves: they follow the lists, expire, and are counted. */

import { everyRecord, type TenantId } from '#core/kernel';
import type { Subscriber } from '#core/reactions';
import {
  checkLists,
  type ExclusionPorts,
  exclusionPartsOf,
  exclusionTable,
  expireExclusions,
  onScreened,
} from '#slices/exclusions';
import type { ScheduledJob } from '../../../workers/jobQueue.ts';
import type { JobPurposes, WorkerProcess } from '../../processes.ts';

export const purposes: JobPurposes = {
  'exclusion-expiry': 'screening',
  'exclusion-lists': 'screening',
  exclusions: 'screening',
};

const EXPIRY_EVERY_MS = 10_000;
const EVERY_MS = 60_000;
const RETRY_MS = 5_000;

export function subscribers(process: WorkerProcess): readonly Subscriber[] {
  const { tables } = process.storage;
  return [
    {
      from: 'now',
      name: 'exclusions',
      on: { 'sanctions.screening.completed': (event) => onScreened({ tables }, event) },
    },
    {
      from: 'now',
      name: 'exclusion-lists',
      sweep: {
        after: ['service.sanctions.lists.updated'],
        everyMs: EVERY_MS,
        retryMs: RETRY_MS,
        run: async (signal) => {
          const { ended, lists } = await followLists(exclusionPartsOf(process), signal);
          if (lists > 0) process.log.info({ count: ended }, 'exclusions follow the lists');
        },
      },
    },
  ];
}

/** Every tenant with exclusions is compared with the lists in force. */
export async function followLists(ports: ExclusionPorts, signal: AbortSignal) {
  const tenants = new Set<TenantId>();
  const walk = { equal: { isOpen: true }, index: 'due' };
  for await (const { tenantId } of everyRecord(ports.tables, exclusionTable, walk)) {
    tenants.add(tenantId);
  }
  let [ended, lists] = [0, 0];
  for (const tenantId of tenants) {
    signal.throwIfAborted();
    const found = await checkLists(ports, tenantId);
    ended += found.ended;
    lists += found.lists;
  }
  return { ended, lists };
}

export const scheduled = (process: WorkerProcess): readonly ScheduledJob[] => [
  {
    everyMs: EXPIRY_EVERY_MS,
    name: 'exclusion-expiry',
    run: async () => ({ expired: await expireExclusions(exclusionPartsOf(process)) }),
  },
];

/** Blobs that no record names go after a day. */
import { join } from 'node:path';
import { applyListRetention } from '#slices/lists';
import type { ScheduledJob } from '../../../workers/jobQueue.ts';
import type { WorkerProcess } from '../../processes.ts';

/** It looks at every blob, and what it takes away was there for a day. */
const EVERY_MS = 6 * 3_600_000;

export function scheduled(process: WorkerProcess): readonly ScheduledJob[] {
  const { blobs, clock, config, storage } = process;
  const spoolDirectory = join(config.dataDir, 'spool');
  return [
    {
      everyMs: EVERY_MS,
      name: 'list-retention',
      run: async () => ({
        ...(await applyListRetention({
          alsoNamed: process.namedBlobs(),
          blobs,
          clock,
          lists: storage.lists,
          spoolDirectory,
        })),
      }),
    },
  ];
}

/** Blobs that no record names go after a day. */
import { join } from 'node:path';
import { namedBlobs, sweepBlobs } from '#core/blobs';
import type { ScheduledJob } from '../../../workers/jobQueue.ts';
import type { JobPurposes, WorkerProcess } from '../../processes.ts';

export const purposes: JobPurposes = { 'list-retention': 'none' };

/** It looks at every blob, and what it takes away was there for a day. */
const EVERY_MS = 6 * 3_600_000;

export function scheduled(process: WorkerProcess): readonly ScheduledJob[] {
  const { blobs, clock, config, storage, tables } = process;
  const spoolDirectory = join(config.dataDir, 'spool');
  const sweep = () =>
    sweepBlobs({ blobs, clock, named: namedBlobs(storage.tables, tables), spoolDirectory });
  return [
    {
      everyMs: EVERY_MS,
      name: 'list-retention',
      run: async () => ({ ...(await sweep()) }),
    },
  ];
}

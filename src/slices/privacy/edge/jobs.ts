/** What privacy does by itself: reminders, archives of requests that are proven, and their end. */
import {
  buildArchives,
  exportPartsOf,
  privacyPartsOf,
  removeArchives,
  sendReminders,
} from '#slices/privacy';
import type { ScheduledJob } from '../../../workers/jobQueue.ts';
import type { JobPurposes, WorkerProcess } from '../../processes.ts';

export const purposes: JobPurposes = {
  'privacy-archives': 'privacy',
  'privacy-reminders': 'privacy',
};

const EVERY_MS = 60_000;
const ARCHIVES_EVERY_MS = 10_000;

export const scheduled = (process: WorkerProcess): readonly ScheduledJob[] => [
  {
    everyMs: EVERY_MS,
    name: 'privacy-reminders',
    async run() {
      const done = await sendReminders(privacyPartsOf(process));
      if (done.altered > 0) {
        process.log.error(
          { count: done.altered },
          'privacy requests that nobody signed: see doctor',
        );
      }
      return { ...done };
    },
  },
  {
    everyMs: ARCHIVES_EVERY_MS,
    name: 'privacy-archives',
    async run() {
      const ports = exportPartsOf(process);
      let failed = 0;
      const built = await buildArchives(ports, ({ requestId }, error) => {
        failed++;
        process.log.error({ error, request_id: requestId }, 'an archive was not built');
      });
      return { built, failed, removed: await removeArchives(ports) };
    },
  },
];

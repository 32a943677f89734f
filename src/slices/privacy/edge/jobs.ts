/** What privacy does by itself: people are reminded of requests that are due. */
import { privacyPartsOf, sendReminders } from '#slices/privacy';
import type { ScheduledJob } from '../../../workers/jobQueue.ts';
import type { WorkerProcess } from '../../processes.ts';

const EVERY_MS = 60_000;

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
];

/** The work of tax reporting in a worker: times of cures and of documents that are over. */
import { lapseCures } from '#slices/tax';
import type { ScheduledJob } from '../../../workers/jobQueue.ts';
import type { JobPurposes, WorkerProcess } from '../../processes.ts';
import { taxPortsOf } from './parts.ts';

export const purposes: JobPurposes = { 'tax-cures': 'reporting' };

const LAPSE_EVERY_MS = 10 * 60_000;

export function scheduled(process: WorkerProcess): readonly ScheduledJob[] {
  return [
    {
      everyMs: LAPSE_EVERY_MS,
      name: 'tax-cures',
      run: async () => ({ lapsed: await lapseCures(taxPortsOf(process)) }),
    },
  ];
}

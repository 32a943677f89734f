/** The work of cases in a worker. */
import type { JobPurposes, RunningWork, WorkerProcess } from '../../processes.ts';
import { checkWork } from './checkWork.ts';
import { readingPortsOf } from './documentParts.ts';
import { documentWork } from './documentWork.ts';
import { startTasks } from './taskRunner.ts';

export const purposes: JobPurposes = { start: 'case-work' };

export const start = (process: WorkerProcess): RunningWork => {
  const reading = readingPortsOf(process);
  return startTasks(process, [checkWork(process, reading), ...documentWork(reading)]);
};

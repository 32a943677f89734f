/** The work of cases in a worker. */
import type { JobPurposes, RunningWork, WorkerProcess } from '../../processes.ts';
import { readingPortsOf } from './documentParts.ts';
import { documentWork } from './documentWork.ts';
import { mailPortsOf, mailWork } from './mailWork.ts';
import { startTasks } from './taskRunner.ts';

export const purposes: JobPurposes = { start: 'case-work' };

export const start = (process: WorkerProcess): RunningWork =>
  startTasks(process, [...documentWork(readingPortsOf(process)), mailWork(mailPortsOf(process))]);

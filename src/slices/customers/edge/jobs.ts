/** The work of cases in a worker: tasks, what time does to cases, and what lists do. */
import { signedEvents } from '#core/audit';
import { isHeld } from '#core/privacy';
import type { Subscriber } from '#core/reactions';
import { forgetSubmissions, type ListedPorts, onListed, sweepCases } from '#slices/customers';
import type { ScheduledJob } from '../../../workers/jobQueue.ts';
import type { JobPurposes, RunningWork, WorkerProcess } from '../../processes.ts';
import { checkWork } from './checkWork.ts';
import { readingPortsOf } from './documentParts.ts';
import { documentWork } from './documentWork.ts';
import { mailPortsOf, mailWork } from './mailWork.ts';
import { casePortsOf } from './parts.ts';
import { startTasks } from './taskRunner.ts';

export const purposes: JobPurposes = {
  'case-sweeps': 'case-work',
  cases: 'case-work',
  start: 'case-work',
};

const SWEEP_EVERY_MS = 60_000;

export const start = (process: WorkerProcess): RunningWork => {
  const reading = readingPortsOf(process);
  return startTasks(process, [
    checkWork(process, reading),
    ...documentWork(reading),
    mailWork(mailPortsOf(process)),
  ]);
};

export const scheduled = (process: WorkerProcess): readonly ScheduledJob[] => [
  {
    everyMs: SWEEP_EVERY_MS,
    name: 'case-sweeps',
    async run() {
      const done = await sweepCases({
        ...casePortsOf(process),
        forgetSubmissions: process.ask(forgetSubmissions),
        isHeld: process.ask(isHeld),
      });
      if (done.altered > 0) {
        process.log.error({ count: done.altered }, 'cases that nobody signed: see doctor');
      }
      return { ...done };
    },
  },
];

export function subscribers(process: WorkerProcess): readonly Subscriber[] {
  const { keyRing, storage } = process;
  const { audit } = storage;
  const ports: ListedPorts = {
    ...casePortsOf(process),
    audit,
    events: signedEvents({ audit, keyRing }),
  };
  return [
    {
      from: 'now',
      name: 'cases',
      on: { 'sanctions.screening.completed': (event) => onListed(ports, event) },
    },
  ];
}

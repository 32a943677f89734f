/** The work of alerts in a worker: they are raised after events, and marked once overdue. */
import type { Subscriber } from '#core/reactions';
import {
  type AlertFigures,
  createAlertFigures,
  markOverdue,
  onChunkDone,
  onExclusionEnded,
  onScreened,
} from '#slices/alerts';
import type { ScheduledJob } from '../../../workers/jobQueue.ts';
import type { WorkerProcess } from '../../processes.ts';
import { alertPartsOf } from './parts.ts';

const OVERDUE_EVERY_MS = 60_000;

export function subscribers(process: WorkerProcess): readonly Subscriber[] {
  const parts = alertPartsOf(process);
  return [
    {
      from: 'now',
      name: 'alerts',
      on: {
        'sanctions.batch.progress': (event) => onChunkDone(parts, event),
        'sanctions.exclusion.ended': (event) => onExclusionEnded(parts, event),
        'sanctions.screening.completed': (event) => onScreened(parts, event),
      },
    },
  ];
}

const figuresOf = ({ metrics, storage }: WorkerProcess): AlertFigures =>
  createAlertFigures(metrics, storage);

export function scheduled(process: WorkerProcess): readonly ScheduledJob[] {
  const figures = process.once(figuresOf);
  return [
    {
      everyMs: OVERDUE_EVERY_MS,
      name: 'alert-deadlines',
      run: async () => ({ ...(await markOverdue(alertPartsOf(process), figures)) }),
    },
  ];
}

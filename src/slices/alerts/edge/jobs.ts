/** The work of alerts in a worker: they are raised after events, and marked once overdue. */
import type { Subscriber } from '#core/reactions';
import {
  type AlertFigures,
  createAlertFigures,
  markOverdue,
  noteBegin,
  onChunkDone,
  onExclusionEnded,
  onScreened,
} from '#slices/alerts';
import type { ScheduledJob } from '../../../workers/jobQueue.ts';
import { createPartsApart } from '../../../workers/partsApart.ts';
import type { WorkerProcess } from '../../processes.ts';
import { alertPartsOf } from './parts.ts';

const OVERDUE_EVERY_MS = 60_000;
/** Tenants whose alerts are raised at once: their commits share the durable writes of the store. */
const TENANTS_AT_ONCE = 8;
/** Screenings of a tenant whose alerts are one commit. */
const SCREENINGS_TOGETHER = 50;
const BEGIN_EVERY_MS = 24 * 3_600_000;
const BEGIN_RETRY_MS = 60_000;

export function subscribers(process: WorkerProcess): readonly Subscriber[] {
  const parts = alertPartsOf(process);
  return [
    {
      from: 'now',
      name: 'alerts',
      on: {
        'sanctions.batch.progress': (event) => onChunkDone(parts, event),
        'sanctions.exclusion.ended': (event) => onExclusionEnded(parts, event),
        'sanctions.screening.completed': (event) => onScreened(parts, [event]),
      },
      partitionsAtOnce: TENANTS_AT_ONCE,
      sweep: {
        after: [],
        everyMs: BEGIN_EVERY_MS,
        retryMs: BEGIN_RETRY_MS,
        run: () => noteBegin(process),
      },
      together: {
        'sanctions.screening.completed': {
          handle: (events) => onScreened(parts, events),
          max: SCREENINGS_TOGETHER,
        },
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
      run: async () => {
        const perTenant = process.once(createPartsApart)('alert-deadlines');
        return { ...(await markOverdue(alertPartsOf(process), figures, perTenant)) };
      },
    },
  ];
}

/** The work of alerts in a worker: they are raised after events, and marked once overdue. */
import type { TenantId } from '#core/kernel';
import type { Subscriber } from '#core/reactions';
import type { PerTenant } from '#core/work';
import {
  type AlertFigures,
  AlertWatch,
  createAlertFigures,
  markOverdue,
  noteBegin,
  onChunkDone,
  onExclusionEnded,
  onScreened,
  tellAltered,
  toldAltered,
} from '#slices/alerts';
import type { ScheduledJob } from '../../../workers/jobQueue.ts';
import { createPartsApart } from '../../../workers/partsApart.ts';
import type { JobPurposes, WorkerProcess } from '../../processes.ts';
import { alertPartsOf } from './parts.ts';

export const purposes: JobPurposes = {
  'alert-deadlines': 'monitoring',
  'alert-watch': 'monitoring',
  alerts: 'monitoring',
};

const OVERDUE_EVERY_MS = 60_000;
const WATCH_EVERY_MS = 60_000;
/** Other jobs wait meanwhile: tenants that it does not come to are the next run's first. */
const WATCH_RUN_MS = 20_000;
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
    {
      everyMs: WATCH_EVERY_MS,
      name: 'alert-watch',
      run: () => process.once(watchOf)(figures, process.once(createPartsApart)('alert-watch')),
    },
  ];
}

/** Compares some alerts of each tenant with the chain, and tells of those that are altered. */
function watchOf(process: WorkerProcess) {
  const { clock, identity, keyRing, storage } = process;
  const { audit, tables } = storage;
  const { signed } = alertPartsOf(process);
  const watch = new AlertWatch({ audit, clock, signed, tables });
  /** By tenant. */
  const standing = new Map<TenantId, number>();
  /** Who is looked at first; the one behind whom the time of a run was over. */
  let first = 0;
  return async (figures: AlertFigures, perTenant: PerTenant) => {
    const endsAtMs = clock.monotonicMs() + WATCH_RUN_MS;
    const tenants = await identity.listTenants();
    let [compared, told] = [0, 0];
    for (let looked = 0; looked < tenants.length && clock.monotonicMs() < endsAtMs; looked += 1) {
      first = (first + 1) % tenants.length;
      const { id } = tenants[first] ?? {};
      if (id === undefined) continue;
      await perTenant(id, async () => {
        const before = await toldAltered({ audit, keyRing }, id);
        const { altered, ...of } = await watch.look(id, before);
        standing.set(id, altered.length);
        compared += of.compared;
        if (await tellAltered(process, id, { altered, told: before })) told += 1;
      });
    }
    const altered = [...standing.values()].reduce((sum, one) => sum + one, 0);
    figures.watched({ altered, compared });
    return { told };
  };
}

/** Scheduled work of ingestion: removes old runs. */
import type { Clock, EpochMs } from '#platform/clock';
import type { RunStore } from '#slices/ingestion';
import type { ScheduledJob } from '../../../workers/jobQueue.ts';
import type { WorkerProcess } from '../../processes.ts';

const RETENTION_EVERY_MS = 10 * 60_000;
/** The 90 days of interface.md 8. */
const RUNS_KEPT_MS = 90 * 24 * 3_600_000;

export const scheduled = ({ clock, storage }: WorkerProcess): readonly ScheduledJob[] => [
  {
    everyMs: RETENTION_EVERY_MS,
    name: 'run-retention',
    run: () => applyRunRetention({ clock, runs: storage.runs }),
  },
];

export async function applyRunRetention(of: {
  readonly clock: Pick<Clock, 'now'>;
  readonly runs: Pick<RunStore, 'purgeRuns'>;
}): Promise<Readonly<Record<'runs', number>>> {
  return { runs: await of.runs.purgeRuns((of.clock.now() - RUNS_KEPT_MS) as EpochMs) };
}

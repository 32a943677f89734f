/** How watched customers and runs are shown, over HTTP and by the command line. */
import { type EpochMs, toTimestamp } from '#platform/clock';
import type { Coverage, MonitoredSubject, RescreeningRun } from '#slices/rescreening';

const timeOf = (at: EpochMs | undefined) => (at === undefined ? null : toTimestamp(at));

/** The last screening is his own, or the last run that everybody was part of. */
export function presentMonitored(record: MonitoredSubject, coverage: Coverage | undefined) {
  const { screenedAt } = record;
  const run = coverage?.coveredAt;
  const isByRun = run !== undefined && screenedAt !== undefined && run > screenedAt;
  return {
    subject_ref: record.subjectRef,
    status: record.state,
    source: record.addedBy,
    attributes: record.subject ?? null,
    added_at: toTimestamp(record.addedAt),
    last_screened:
      screenedAt === undefined
        ? null
        : {
            list_version: (isByRun ? coverage?.listVersion : record.listVersion) ?? null,
            at: timeOf(isByRun ? run : screenedAt),
          },
  };
}

export const presentRun = (run: RescreeningRun) => ({
  run_id: run.runId,
  mode: run.mode,
  status: run.status,
  failure: run.failure ?? null,
  list_version: run.listVersion,
  customers: run.counts.customers,
  screened: run.counts.screened,
  found: run.counts.found,
  gone: run.counts.gone,
  differences: run.counts.differences,
  started_at: toTimestamp(run.startedAt),
  ended_at: timeOf(run.endedAt),
});

/** Where all customers stand, and the last runs. */
export const presentState = (coverage: Coverage | undefined, runs: readonly RescreeningRun[]) => ({
  covered:
    coverage?.coveredAt === undefined
      ? null
      : { list_version: coverage.listVersion ?? null, at: timeOf(coverage.coveredAt) },
  runs: runs.map(presentRun),
});

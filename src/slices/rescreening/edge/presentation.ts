/** How watched customers and runs are shown, over HTTP and by the command line. */
import { type EpochMs, toTimestamp } from '#platform/clock';
import type { Coverage, Enrolment, MonitoredSubject, RescreeningRun } from '#slices/rescreening';

const timeOf = (at: EpochMs | undefined) => (at === undefined ? null : toTimestamp(at));

/** What is known of a tenant's customers as a whole. */
export interface RescreeningState {
  readonly coverage: Coverage | undefined;
  /** The latest first. */
  readonly enrolments: readonly Enrolment[];
  /** Since when they are behind, where that was told. */
  readonly lateSince: EpochMs | undefined;
  readonly runs: readonly RescreeningRun[];
}

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
  refused: run.counts.refused ?? 0,
  started_at: toTimestamp(run.startedAt),
  ended_at: timeOf(run.endedAt),
});

const presentEnrolment = (of: Enrolment) => ({
  batch_id: of.batchId,
  status: of.status,
  failure: of.failure ?? null,
  added: of.added,
  changed: of.changed,
  unchanged: of.unchanged,
  started_at: toTimestamp(of.startedAt),
  ended_at: timeOf(of.endedAt),
});

/** Where all customers stand, the last runs, and the last batches that were taken over. */
export const presentState = ({ coverage, enrolments, lateSince, runs }: RescreeningState) => ({
  covered:
    coverage?.coveredAt === undefined
      ? null
      : { list_version: coverage.listVersion ?? null, at: timeOf(coverage.coveredAt) },
  late_since: timeOf(lateSince),
  runs: runs.map(presentRun),
  batches: enrolments.map(presentEnrolment),
});

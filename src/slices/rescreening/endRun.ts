/** How a run ends: the next one begins with its versions, or from where it began. */
import { type EventDraft, entry } from '#core/audit';
import { type BusEvent, chainOf } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import type { RunHold } from './commitChunk.ts';
import { policyDigestOf, runMembers } from './planRuns.ts';
import type { RescreeningPorts } from './ports.ts';
import { coverageDigest } from './signedRuns.ts';
import { type Coverage, coverageTable, type RescreeningRun, runTable } from './tables.ts';

/** The run has ended, and the next one begins with its versions. */
export async function complete(ports: RescreeningPorts, hold: RunHold): Promise<void> {
  const run = hold.record;
  const { counts, tenantId } = run;
  const now = ports.clock.now();
  const coverage = await ports.tables.find(coverageTable, { register: 'subjects', tenantId });
  const ended: RescreeningRun = {
    ...run,
    endedAt: now,
    status: 'completed',
    version: run.version + 1,
  };
  const told = {
    customers: counts.customers,
    differences: counts.differences,
    found: counts.found,
    gone: counts.gone,
    screened: counts.screened,
  };
  const covered = run.lane === 'lists' ? coveredBy(run, coverage, now) : undefined;
  await ports.commit(chainOf(tenantId), {
    bus: [
      {
        partition: tenantId,
        payload: {
          schema: 'sanctions.rescreening.completed.v1',
          ...runMembers(run),
          ...told,
          compared: run.isCompared,
        },
        topic: 'sanctions.rescreening.completed',
      },
      ...(counts.differences > 0 ? [differentEvent(run)] : []),
    ],
    changes: [
      hold.expected,
      runTable.put(ended, run.version),
      ...(covered === undefined ? [] : [coverageTable.put(covered, covered.version - 1)]),
    ],
    events: [
      entry(ports, {
        action: 'SANCTIONS_RESCREENING_COMPLETED',
        actor: 'system:rescreening',
        at: now,
        members: {
          ...runMembers(run),
          ...told,
          compared: run.isCompared,
          ...(covered && { coverage_digest: coverageDigest(covered) }),
          refused: counts.refused ?? 0,
        },
        target: `rescreening:${run.runId}`,
      }),
      ...(counts.differences > 0 ? [differentEntry(ports, run)] : []),
    ],
  });
  hold.replace(ended);
}

/** What the next run over everybody begins with. A row that was taken away is there again. */
function coveredBy(
  run: RescreeningRun,
  coverage: Coverage | undefined,
  coveredAt: EpochMs,
): Coverage {
  const { listsPinned, listVersion, mode, runId, startedAt: runStartedAt, tenantId } = run;
  const first: Coverage = { lists: [], register: 'subjects', tenantId, version: 0 };
  return {
    ...withoutLateness(coverage ?? first),
    ...(mode === 'full' && { comparedAt: coveredAt }),
    coveredAt,
    lists: listsPinned.map(({ since: _, ...list }) => list),
    listVersion,
    policyDigest: policyDigestOf(run),
    runId,
    runStartedAt,
    version: (coverage?.version ?? 0) + 1,
  };
}

const withoutLateness = ({ lateSince: _, ...rest }: Coverage): Coverage => rest;

/** The passes between have missed something: somebody has to look why. */
const differentEntry = (ports: RescreeningPorts, run: RescreeningRun): EventDraft =>
  entry(ports, {
    action: 'SANCTIONS_RESCREENING_DIFFERENT',
    actor: 'system:rescreening',
    members: { ...runMembers(run), differences: run.counts.differences },
    severity: 'ALERT',
    target: `rescreening:${run.runId}`,
  });

const differentEvent = (run: RescreeningRun): BusEvent => ({
  partition: run.tenantId,
  payload: {
    schema: 'sanctions.rescreening.different.v1',
    ...runMembers(run),
    differences: run.counts.differences,
  },
  topic: 'sanctions.rescreening.different',
});

/** A run that cannot go on has ended; the next look begins another one. */
export async function failRun(ports: RescreeningPorts, hold: RunHold, code: string): Promise<void> {
  const run = hold.record;
  const now = ports.clock.now();
  const version = run.version + 1;
  const failed: RescreeningRun = { ...run, endedAt: now, failure: code, status: 'failed', version };
  await ports.commit(chainOf(run.tenantId), {
    bus: [],
    changes: [hold.expected, runTable.put(failed, run.version)],
    events: [
      entry(ports, {
        action: 'SANCTIONS_RESCREENING_FAILED',
        actor: 'system:rescreening',
        at: now,
        members: { ...runMembers(run), code },
        severity: 'ALERT',
        target: `rescreening:${run.runId}`,
      }),
    ],
  });
}

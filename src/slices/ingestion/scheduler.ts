/**
 * Fires the schedules of all sources, once over any number of workers: a fire is a compare-and-set
 * of its source, which remembers the time that the schedule named. So a clock that jumps forward
 * fires the skipped times once, and one that jumps back fires nothing twice.
 *
 * Everything is read from the store each time: a changed schedule takes effect at the next look,
 * and no queue can lose a fire. Fires missed while nothing ran are made up for once.
 */
import { entry } from '#core/audit';
import { DomainError, isConflict, PLATFORM_CHAIN } from '#core/kernel';
import { afterFault, type RetryPlan } from '#core/work';
import { type EpochMs, toTimestamp } from '#platform/clock';
import { uuidV7 } from '#platform/random';
import { type ListSource, type ListStore, sourceTable } from '#slices/lists';
import { type Cadences, dueCadence } from './cadences.ts';
import type { ListRun, RunStore } from './ports.ts';
import { CronError } from './quartz.ts';
import { type RunPorts, startRun } from './runs.ts';
import { latestFire } from './schedule.ts';
import { chainScheduleAudit } from './scheduleAudit.ts';
import { scheduleAuditTable } from './tables.ts';

const TOO_OFTEN = { count: 3, withinMs: 60_000 };
const ACTOR = 'system:scheduler';
const RETRY_AFTER_MS = 10 * 60_000;
/** Later, it is no retry any more. */
const RETRY_UNTIL_MS = 60 * 60_000;
const PASSING: readonly string[] = [
  'internal',
  'list-unreachable',
  'run-abandoned',
  'store-unavailable',
];

export interface SchedulerPorts extends RunPorts {
  readonly lists: Pick<ListStore, 'findSource' | 'listSources'>;
  readonly runs: Pick<RunStore, 'findRun' | 'listScheduleAudit'>;
  /** Fires that tenants have added; absent: none. */
  readonly cadences?: () => Promise<Cadences>;
  /** Reported, then skipped: other sources must not wait for one. */
  readonly onProblem: (sourceId: string, error: unknown) => void;
}

export interface Fired {
  readonly started: readonly ListRun[];
  /** Sources that were disabled since they fired too often. */
  readonly disabled: readonly string[];
}

/** One pass over all sources. Rejects only where they cannot be read. */
export async function fireSchedules(ports: SchedulerPorts): Promise<Fired> {
  const started: ListRun[] = [];
  const disabled: string[] = [];
  const added = (await ports.cadences?.()) ?? {};
  for (const source of await ports.lists.listSources()) {
    if (!source.enabled || source.runningRunId !== undefined) continue;
    try {
      if (isTooOften(source)) {
        if (await disable(ports, source)) disabled.push(source.sourceId);
        continue;
      }
      const run = await fireSource(ports, source, added[source.sourceId] ?? []);
      if (run !== undefined) started.push(run);
    } catch (error) {
      // Another worker was first, or a person started a run just now.
      if (!isConflict(error)) ports.onProblem(source.sourceId, error);
    }
  }
  return { disabled, started };
}

/** The full run first; it does what a delta of an earlier time would. */
async function fireSource(
  ports: SchedulerPorts,
  source: ListSource,
  added: readonly string[],
): Promise<ListRun | undefined> {
  const { sourceId } = source;
  const now = ports.clock.now();
  for (const kind of ['full', 'delta'] as const) {
    const scheduledFor = dueFire(source, kind, now);
    if (scheduledFor === undefined) continue;
    return startRun(ports, { fire: { kind, scheduledFor }, kind, sourceId, triggeredBy: 'cron' });
  }
  const scheduledFor = dueCadence(source, added, now);
  if (scheduledFor !== undefined) {
    const kind = source.cronDelta === undefined ? 'full' : 'delta';
    return startRun(ports, { fire: { kind, scheduledFor }, kind, sourceId, triggeredBy: 'cron' });
  }
  const retryOf = await dueRetry(ports, source, now);
  if (retryOf === undefined) return undefined;
  return startRun(ports, { kind: 'retry', retryOf, sourceId, triggeredBy: 'cron' });
}

/**
 * The latest time that the schedule named and for which it has not fired; a new schedule was never
 * due.
 */
function dueFire(source: ListSource, kind: 'full' | 'delta', now: EpochMs): EpochMs | undefined {
  const cron = kind === 'full' ? source.cronFull : source.cronDelta;
  if (cron === undefined) return undefined;
  const fired = source.fires?.[kind]?.scheduledFor ?? 0;
  const covered = kind === 'delta' ? (source.fires?.full?.scheduledFor ?? 0) : 0;
  const after = Math.max(fired, covered, source.updatedAt) as EpochMs;
  try {
    return latestFire(cron, { after, until: now });
  } catch (error) {
    if (error instanceof CronError) throw new DomainError('cron-invalid', { cause: error });
    throw error;
  }
}

/** A file may have been cut on its way, or be a page that asks for patience; a blob is restored. */
const PASSING_FETCHED: readonly string[] = ['blob-damaged', 'list-damaged', 'list-foreign'];

/**
 * A run of the schedule that failed for a while is tried once more. A file that lies here does not
 * change by itself.
 */
const retriesOf = ({ airGapPath }: ListSource): RetryPlan => {
  const passing = airGapPath === undefined ? [...PASSING, ...PASSING_FETCHED] : PASSING;
  return {
    kindOf: (code) => (passing.includes(code) ? 'counted' : 'final'),
    pausesMs: [0, RETRY_AFTER_MS],
    triesMax: 2,
  };
};

/** The kind of the last run, where it is to be tried again: a full one works out the paths anew. */
async function dueRetry(
  ports: SchedulerPorts,
  source: ListSource,
  now: EpochMs,
): Promise<'full' | 'delta' | undefined> {
  const { lastRunId, lastStatus } = source;
  if (lastStatus !== 'failed' || lastRunId === undefined) return undefined;
  const last = await ports.runs.findRun(lastRunId);
  if (last?.finishedAt === undefined || last.triggeredBy !== 'cron') return undefined;
  const { errorCode: code = '', finishedAt, kind } = last;
  if (kind !== 'full' && kind !== 'delta') return undefined;
  const after = afterFault(retriesOf(source), { code, tries: 1 });
  const sinceMs = now - finishedAt;
  return !after.isOver && sinceMs >= after.pauseMs && sinceMs < RETRY_UNTIL_MS ? kind : undefined;
}

/** Counts since the last change of the schedule: enabling it again starts anew. */
function isTooOften({ fires, updatedAt }: ListSource): boolean {
  return (['full', 'delta'] as const).some((kind) => {
    const recent = (fires?.[kind]?.recent ?? []).filter((at) => at > updatedAt);
    const first = recent.at(-TOO_OFTEN.count);
    const last = recent.at(-1);
    return first !== undefined && last !== undefined && last - first < TOO_OFTEN.withinMs;
  });
}

async function disable(ports: SchedulerPorts, source: ListSource): Promise<boolean> {
  const changedAt = ports.clock.now();
  const { sourceId } = source;
  const row = {
    approvalReason: 'fired three times in under a minute',
    approvalUserId: ACTOR,
    auditId: uuidV7(changedAt, ports.random),
    changedAt,
    changedBy: ACTOR,
    field: 'enabled',
    newValue: 'false',
    oldValue: 'true',
    sourceId,
  };
  const last = (await ports.runs.listScheduleAudit({ limit: 1, sourceId }))[0];
  const after: ListSource = {
    ...source,
    disabledReason: 'fired-too-often',
    enabled: false,
    updatedAt: changedAt,
    updatedBy: ACTOR,
    version: source.version + 1,
  };
  const changes = [
    sourceTable.put(after, source.version),
    scheduleAuditTable.insert(chainScheduleAudit(row, last)),
  ];
  await ports.commit(PLATFORM_CHAIN, {
    bus: [
      {
        partition: sourceId,
        payload: {
          schema: 'sanctions.schedule.updated.v1',
          source_id: sourceId,
          fields: ['enabled'],
          changed_at: toTimestamp(changedAt),
        },
        topic: 'service.sanctions.schedule.updated',
      },
    ],
    changes,
    events: [
      entry(ports, {
        action: 'SANCTIONS_SOURCE_DISABLED',
        actor: ACTOR,
        at: changedAt,
        members: { reason: 'fired-too-often' },
        severity: 'ALERT',
        target: sourceId,
      }),
    ],
  });
  return true;
}

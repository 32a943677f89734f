/**
 * The life of an ingestion run (interface.md 3.8): started, leased by a worker, ended. Its state is
 * only in the store, so a lost wake-up does no harm.
 *
 * One run per source at a time: a start is a compare-and-set of the source, which names its run.
 * Start and end are commits with their evidence. In between the holder saves the run's progress
 * with its lease (core/work). An end names the fence of that lease, so that a worker that slept,
 * and whose run another one took over, ends nothing.
 */
import { type Actor, type Commit, overwrite, type StaleChange } from '#core/audit';
import {
  type ChainId,
  DomainError,
  PLATFORM_CHAIN,
  type SourceId,
  type TableChange,
} from '#core/kernel';
import { WorkLost } from '#core/work';
import type { Clock, EpochMs } from '#platform/clock';
import { type Random, uuidV7 } from '#platform/random';
import type { Tracer } from '#platform/tracing/tracer';
import { type Fire, type ListSource, type ListStore, sourceTable } from '#slices/lists';
import type { ListRun, RunKind, RunStatus, RunStore, ShrinkRelease } from './ports.ts';
import { endEntry, startEntry } from './runEvidence.ts';
import { RunLog } from './runLog.ts';
import type { SignedSources } from './signedSources.ts';
import { newSource } from './sourceCatalogue.ts';
import { runTable } from './tables.ts';

/** Fires remembered for the rule of three within a minute. */
const FIRES_KEPT = 3;
/** A person may change the source during a start or an end. */
const CONFLICTS = { triesMax: 5 };

export interface RunPorts {
  readonly signed: Pick<SignedSources, 'check'>;
  readonly lists: Pick<ListStore, 'findSource'>;
  readonly runs: Pick<RunStore, 'findRun'>;
  /** AuditLog.commit. */
  readonly commit: (chainId: ChainId, commit: Commit) => Promise<unknown>;
  readonly clock: Pick<Clock, 'now'>;
  readonly random: Random;
  readonly tracer?: Tracer;
}

export interface StartRun {
  readonly sourceId: string;
  readonly kind: RunKind;
  readonly retryOf?: 'full' | 'delta';
  /** `cron`, or who asked: `cli:<user>`, `user:<issuer>|<subject>`, `key:<id>`. */
  readonly triggeredBy: Actor;
  /** For a request: the caller's address, for the entry of the start. */
  readonly ip?: string;
  /** The process that starts it and does it itself; absent: the first worker that sees it. */
  readonly reservedFor?: string;
  /** The schedule's own fire: remembered with the start, so that it happens once. */
  readonly fire?: { readonly kind: 'full' | 'delta'; readonly scheduledFor: EpochMs };
  /** Asks for the file even if its publisher says that it did not change. */
  readonly isForced?: boolean;
  /**
   * A list that lost more than the 10 % rule allows: the released losses, and who approved them.
   */
  readonly shrink?: { readonly approvedBy: string; readonly released: ShrinkRelease };
  /** What is durable with the start or not at all; changes come before the start's own. */
  readonly alongside?: (run: ListRun) => Partial<Commit>;
}

/**
 * Starts a run. Throws DomainError `state-conflict` where the source has one under way (or this
 * fire has happened), `list-unknown` for an unknown source, `state-altered` for one that is not
 * what was signed. A person may run a disabled source: `enabled` is about the schedule.
 */
export async function startRun(ports: RunPorts, ask: StartRun): Promise<ListRun> {
  let changesBefore = 0;
  const attempt = async (): Promise<ListRun> => {
    const { sourceId } = ask;
    const source = (await ports.lists.findSource(sourceId as SourceId)) ?? newSource(sourceId);
    await ports.signed.check(source);
    await refuseSecondRun(ports, source);
    const run = newRun(ports, source, ask);
    const { bus = [], changes = [], events = [], idempotency } = ask.alongside?.(run) ?? {};
    changesBefore = changes.length;
    await ports.commit(PLATFORM_CHAIN, {
      ...(idempotency !== undefined && { idempotency }),
      events: [...events, startEntry(ports, run, ask.ip)],
      bus,
      changes: [
        ...changes,
        sourceTable.put(startedSource(source, run, ask), source.version),
        runTable.insert(run),
      ],
    });
    return run;
  };
  const mayRepeat = ({ changeIndex }: StaleChange): boolean => changeIndex >= changesBefore;
  return overwrite(attempt, { ...CONFLICTS, mayRepeat });
}

async function refuseSecondRun(ports: RunPorts, source: ListSource): Promise<void> {
  if (source.runningRunId === undefined) return;
  const running = await ports.runs.findRun(source.runningRunId);
  if (running?.status !== 'running') return;
  throw new DomainError('state-conflict', {
    detail: `source ${source.sourceId}: expected no run under way, got ${running.runId}`,
  });
}

function newRun(ports: RunPorts, source: ListSource, ask: StartRun): ListRun {
  const startedAt = ports.clock.now();
  const traceparent = ports.tracer?.traceparent();
  const log = new RunLog(ports.clock);
  log.add('info', `${ask.kind} run of ${source.sourceId}, started by ${ask.triggeredBy}`);
  return {
    runId: uuidV7(startedAt, ports.random),
    sourceId: source.sourceId,
    kind: ask.kind,
    ...(ask.retryOf !== undefined && { retryOf: ask.retryOf }),
    triggeredBy: ask.triggeredBy,
    startedAt,
    status: 'running',
    log: log.lines(),
    ...(ask.reservedFor !== undefined && { reservedFor: ask.reservedFor }),
    ...(ask.shrink !== undefined && {
      shrinkApprovedBy: ask.shrink.approvedBy,
      shrinkReleased: ask.shrink.released,
    }),
    ...(traceparent !== undefined && { traceparent }),
    version: 1,
  };
}

function startedSource(source: ListSource, run: ListRun, ask: StartRun): ListSource {
  const { fire, isForced = false } = ask;
  const { validators, ...rest } = source;
  const started: ListSource = {
    ...rest,
    ...(validators !== undefined && !isForced && { validators }),
    lastRunAt: run.startedAt,
    lastRunId: run.runId,
    lastStatus: 'running',
    runningRunId: run.runId,
    version: source.version + 1,
  };
  if (fire === undefined) return started;
  const before: Fire | undefined = source.fires?.[fire.kind];
  if (before !== undefined && before.scheduledFor >= fire.scheduledFor) {
    throw new DomainError('state-conflict', { detail: 'this fire has happened' });
  }
  const recent = [...(before?.recent ?? []), run.startedAt].slice(-FIRES_KEPT);
  const fires = { ...source.fires, [fire.kind]: { scheduledFor: fire.scheduledFor, recent } };
  return { ...started, fires };
}

/** How a run ended. `success` and `partial` are what a publication ends with. */
export interface RunEnd
  extends Partial<
    Pick<
      ListRun,
      | 'fetchedBytes'
      | 'fetchedCount'
      | 'parsedCount'
      | 'addedCount'
      | 'updatedCount'
      | 'removedCount'
      | 'notes'
      | 'errorCode'
      | 'errorMessage'
      | 'snapshotUri'
      | 'listVersion'
      | 'fileSha256'
      | 'removedDigest'
      | 'shrinkApprovedBy'
      | 'log'
      | 'durationsMs'
    >
  > {
  readonly status: Exclude<RunStatus, 'running'>;
  /** Entities in force after it. */
  readonly entityCount?: number;
  /** Validators of the file that was ingested, if any; `place` is where it was fetched. */
  readonly validators?: NonNullable<ListSource['validators']> & { readonly place?: string };
}

/** Where a source's list lies. */
export const placeOf = ({ airGapPath, url }: ListSource): string | undefined => airGapPath ?? url;

/** The two records as they are after the run, each one version on: a publication commits them. */
export function endedRun(of: {
  readonly run: ListRun;
  readonly source: ListSource;
  readonly end: RunEnd;
  readonly at: EpochMs;
}): { readonly run: ListRun; readonly source: ListSource } {
  const { entityCount, validators: _validators, ...end } = of.end;
  const { leaseHolder: _holder, reservedFor: _reserved, stage: _stage, ...run } = of.run;
  const { runningRunId, ...source } = of.source;
  return {
    run: { ...run, ...end, finishedAt: of.at, version: run.version + 1 },
    source: {
      ...source,
      // A run that was given up may be outlived by the next one.
      ...(runningRunId !== undefined && runningRunId !== run.runId && { runningRunId }),
      lastRunAt: run.startedAt,
      lastRunId: run.runId,
      lastStatus: end.status,
      ...(entityCount !== undefined && { lastCount: entityCount }),
      ...validatorsAfter(of),
      version: source.version + 1,
    },
  };
}

/** None where a person gave the source another place meanwhile: they belong to the former one. */
function validatorsAfter({
  end,
  source,
}: {
  readonly end: RunEnd;
  readonly source: ListSource;
}): Pick<ListSource, 'validators'> {
  if (end.validators === undefined) return {};
  const { place, ...validators } = end.validators;
  return place === undefined || place === placeOf(source) ? { validators } : {};
}

/** A run in hand that is about to end: its record, and the fence that the end names. */
export interface EndingRun {
  readonly record: ListRun;
  /** As of a hold. */
  readonly expected: TableChange;
}

/** For a commit that ends a run. It is stale where the run is the caller's no more. */
export const runEndChanges = ({ expected, record }: EndingRun, ended: ListRun): TableChange[] => [
  expected,
  // The caller has the run in hand, so nobody else saves its work.
  runTable.put(ended, record.version, { work: ['stage', 'log', 'fetchedBytes', 'tries'] }),
];

/**
 * Ends a run that published nothing: `failed`, or `skipped` where the publisher has nothing new.
 * Throws WorkLost where the run is the caller's no more.
 */
export async function finishRun(
  ports: RunPorts,
  of: EndingRun,
  end: RunEnd & { readonly status: 'failed' | 'skipped' },
): Promise<ListRun> {
  const { record: run } = of;
  let changes: readonly TableChange[] = [];
  return overwrite(
    async () => {
      const source = (await ports.lists.findSource(run.sourceId)) ?? newSource(run.sourceId);
      const at = ports.clock.now();
      const ended = endedRun({ at, end, run, source });
      changes = [sourceTable.put(ended.source, source.version), ...runEndChanges(of, ended.run)];
      await ports.commit(PLATFORM_CHAIN, {
        bus: [],
        changes,
        events: [endEntry(ports, ended.run)],
      });
      return ended.run;
    },
    { ...CONFLICTS, mayRepeat: (stale) => isStillHeld(changes, stale) },
  );
}

/** Whether it was another record that moved. Throws WorkLost where it was the run's own. */
export function isStillHeld(
  changes: readonly TableChange[],
  { changeIndex }: StaleChange,
): boolean {
  if (changes[changeIndex]?.table !== runTable.name) return true;
  throw new WorkLost('another worker has the run, or it has ended');
}

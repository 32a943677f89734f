/** The commits of a publication, of a skipped run and of a failed one. */
import {
  type Actor,
  type Commit,
  type Entry,
  type EventDraft,
  entry,
  type JsonObject,
} from '#core/audit';
import {
  type BusEvent,
  DomainError,
  fullDisk,
  type SourceId,
  type TableChange,
} from '#core/kernel';
import { type Clock, type EpochMs, toTimestamp } from '#platform/clock';
import type { Random } from '#platform/random';
import {
  bundleMembers,
  indexMembers,
  type ListSource,
  type ListVersion,
  sourceTable,
  versionMembers,
} from '#slices/lists';
import type { CarriedOver, EndedRun, ListCounts } from './importPorts.ts';
import type { RunKind, ShrinkRelease } from './ports.ts';

/** Facts of a run that every record of it names. */
export interface Run {
  readonly runId: string;
  readonly sourceId: SourceId;
  readonly kind: RunKind;
  readonly actor: Actor;
  readonly startedAt: EpochMs;
}

interface Context {
  readonly clock: Clock;
  readonly random: Random;
}

/** Facts about the file that was read. */
export interface FileFacts {
  readonly fileSha256: string;
  readonly fileBytes: number;
  readonly parsedCount: number;
  readonly skippedCount: number;
}

export interface PublicationFacts extends FileFacts {
  readonly version: ListVersion;
  readonly counts: ListCounts;
  readonly notes: Readonly<Record<string, number>>;
  /** What puts the version on record (versionChanges). */
  readonly recorded: readonly TableChange[];
  readonly shrinkApprovedBy?: string | undefined;
  readonly shrinkReleased?: ShrinkRelease | undefined;
  /** Which of its entries stand on other lists, too. */
  readonly carried?: CarriedOver | undefined;
}

/** The switch to the new version, its entries, the run's end, and the signals to the caches. */
export function publication(
  context: Context,
  run: Run,
  { facts, ended }: { readonly facts: PublicationFacts; readonly ended: EndedRun },
): Commit {
  const { version, counts } = facts;
  const at = context.clock.now();
  const named = versionMembers(version);
  const published = {
    ...bundleMembers(version),
    ...indexMembers(version),
    ...(version.changesBlob !== undefined && { changes: version.changesBlob }),
    ...(facts.carried !== undefined && { resolution: facts.carried.resolution }),
    ...(facts.shrinkApprovedBy !== undefined && { shrink_approved_by: facts.shrinkApprovedBy }),
    ...(facts.shrinkReleased !== undefined && {
      shrink_file_sha256: facts.shrinkReleased.fileSha256,
      shrink_removed_count: facts.shrinkReleased.removedCount,
    }),
  };
  const ingested = {
    ...named,
    file_sha256: facts.fileSha256,
    kind: run.kind,
    added_count: counts.added,
    updated_count: counts.updated,
    removed_count: counts.removed,
    notes: facts.notes,
  };
  const info = (action: Entry['action'], members: JsonObject) =>
    runEntry(context, run, { action, at, members, severity: 'INFO' });
  return {
    events: [
      fetched(context, run, facts, at),
      info('aml.list.ingested', ingested),
      info('SANCTIONS_LIST_PUBLISHED', published),
    ],
    bus: busEvents(run, facts, at),
    changes: [
      ...facts.recorded,
      sourceChange({ ...ended.source, active: version }),
      ...(facts.carried ? [facts.carried.change] : []),
      ...ended.changes,
    ],
  };
}

export function skip(
  context: Context,
  run: Run,
  { facts, ended }: { facts: FileFacts & { version: ListVersion }; ended: EndedRun },
): Commit {
  const members = { ...versionMembers(facts.version), file_sha256: facts.fileSha256 };
  const at = context.clock.now();
  const info = (action: Entry['action'], of: JsonObject) =>
    runEntry(context, run, { action, at, members: of, severity: 'INFO' });
  return {
    events: [fetched(context, run, facts, at), info('SANCTIONS_LIST_SKIPPED', members)],
    bus: [],
    changes: [sourceChange(ended.source), ...ended.changes],
  };
}

function fetched(context: Context, run: Run, facts: FileFacts, at: EpochMs): EventDraft {
  const members = {
    file_bytes: facts.fileBytes,
    file_sha256: facts.fileSha256,
    parsed_count: facts.parsedCount,
    skipped_count: facts.skippedCount,
  };
  const action = 'SANCTIONS_SOURCE_FETCHED';
  return runEntry(context, run, { action, at, members, severity: 'INFO' });
}

/** For an unknown error only its name: its message may quote the data that caused it. */
export function failureReason(error: unknown): { code: string; detail: string } {
  if (error instanceof DomainError) return { code: error.code, detail: error.message };
  const full = fullDisk(error);
  if (full) return { code: full.code, detail: 'the disk is full' };
  return { code: 'internal', detail: error instanceof Error ? error.name : 'unknown' };
}

/**
 * The commit of a failed run; the lists stay as they were. It notes how the run ended where `ended`
 * is given. It also notes the file where that was read to its end, since the cause of the refusal
 * may have to be shown.
 */
export function failure(
  context: Context,
  run: Run,
  of: {
    readonly error: unknown;
    readonly file: FileFacts | undefined;
    readonly ended?: EndedRun;
  },
): Commit {
  const { ended, error, file } = of;
  const members = failureReason(error);
  const at = context.clock.now();
  const failed = { action: 'SANCTIONS_LIST_FAILED', at, members, severity: 'ALERT' } as const;
  return {
    events: [...(file ? [fetched(context, run, file, at)] : []), runEntry(context, run, failed)],
    bus: [],
    changes: ended ? [sourceChange(ended.source), ...ended.changes] : [],
  };
}

function runEntry(
  context: Context,
  run: Run,
  what: Pick<Entry, 'action' | 'severity' | 'members'> & { readonly at: EpochMs },
): EventDraft {
  const { actor, runId, sourceId: target } = run;
  return entry(context, {
    ...what,
    actor,
    members: { ...what.members, run_id: runId },
    target,
  });
}

/** Both are keyed by the source (interface.md 6.4): lists belong to no tenant. */
function busEvents(run: Run, facts: PublicationFacts, at: EpochMs): BusEvent[] {
  const { version, counts } = facts;
  return [
    {
      topic: 'service.sanctions.lists.updated',
      partition: run.sourceId,
      payload: {
        schema: 'sanctions.lists.updated.v1',
        source_id: run.sourceId,
        list_version: version.listVersion,
        run_id: run.runId,
        kind: run.kind,
        added_count: counts.added,
        updated_count: counts.updated,
        removed_count: counts.removed,
        completed_at: toTimestamp(at),
      },
    },
    reindexed(version),
  ];
}

/** Says that an index was built, of a new version or anew. */
export function reindexed({ entityCount, listVersion, sourceId: source }: ListVersion): BusEvent {
  const payload = { entityCount, listVersion, source };
  return { partition: source, payload, topic: 'sanctions.list.reindexed' };
}

/** Creates the source where it is new. */
const sourceChange = (source: ListSource): TableChange =>
  sourceTable.put(source, source.version - 1);

/**
 * What a run leaves behind: the commits of a publication, of a skipped run and of a failed one.
 * Entries of lists stand in the platform's chain and name no person, so their open part is empty.
 */
import type { Commit, EventDraft, JsonObject } from '#domain/audit';
import { type Clock, type EpochMs, toTimestamp } from '#platform/clock';
import { type Random, uuidV7 } from '#platform/random';
import { type BusEvent, DomainError, type EventId, type SourceId } from '../kernel/index.ts';
import type { ListChange, ListSource, ListVersion } from './ports.ts';
import type { ListCounts } from './prepareList.ts';

/** Facts of a run that every record of it names. */
export interface Run {
  readonly runId: string;
  readonly sourceId: SourceId;
  readonly actor: string;
  readonly startedAt: EpochMs;
}

interface Context {
  readonly clock: Clock;
  readonly random: Random;
}

export interface PublicationFacts {
  readonly source: ListSource;
  readonly version: ListVersion;
  readonly counts: ListCounts;
  readonly notes: Readonly<Record<string, number>>;
  readonly fileSha256: string;
}

/** The switch to the new version, its two entries, and the signals to the caches. */
export function publication(context: Context, run: Run, facts: PublicationFacts): Commit {
  const { source, version, counts } = facts;
  const at = context.clock.now();
  const named = versionMembers(version);
  const published = { ...named, bundle: version.bundleBlob, snapshot: version.snapshotBlob };
  const ingested = {
    ...named,
    file_sha256: facts.fileSha256,
    added_count: counts.added,
    updated_count: counts.updated,
    removed_count: counts.removed,
    notes: facts.notes,
  };
  return {
    events: [
      entry(context, run, { at, action: 'aml.list.ingested', severity: 'INFO', members: ingested }),
      entry(context, run, {
        at,
        action: 'SANCTIONS_LIST_PUBLISHED',
        severity: 'INFO',
        members: published,
      }),
    ],
    bus: busEvents(run, facts, at),
    changes: [
      ...statusChange(source, 'success'),
      // The source's version moved by the change before.
      { kind: 'list.publish', list: version, versionExpected: source.version + 1 } as ListChange,
    ],
  };
}

export function skip(
  context: Context,
  run: Run,
  facts: { source: ListSource; version: ListVersion; fileSha256: string },
): Commit {
  const members = { ...versionMembers(facts.version), file_sha256: facts.fileSha256 };
  const action = 'SANCTIONS_LIST_SKIPPED';
  const at = context.clock.now();
  return {
    events: [entry(context, run, { at, action, severity: 'INFO', members })],
    bus: [],
    changes: statusChange(facts.source, 'skipped'),
  };
}

/** Of an unknown error only its name: its message may quote what it stumbled over. */
export function failureReason(error: unknown): { code: string; detail: string } {
  if (error instanceof DomainError) return { code: error.code, detail: error.message };
  return { code: 'internal', detail: error instanceof Error ? error.name : 'unknown' };
}

/** The lists are what they were; only how the last run ended is noted, where `source` is given. */
export function failure(
  context: Context,
  run: Run,
  facts: { readonly error: unknown; readonly source?: ListSource },
): Commit {
  const reason = failureReason(facts.error);
  const action = 'SANCTIONS_LIST_FAILED';
  const at = context.clock.now();
  return {
    events: [entry(context, run, { at, action, severity: 'ALERT', members: reason })],
    bus: [],
    changes: facts.source === undefined ? [] : statusChange(facts.source, 'failed'),
  };
}

function entry(
  context: Context,
  run: Run,
  what: { at: EpochMs; action: string; severity: 'INFO' | 'ALERT'; members: JsonObject },
): EventDraft {
  const { action, severity } = what;
  return {
    eventId: uuidV7(what.at, context.random) as EventId,
    type: 'entry',
    occurredAt: what.at,
    action,
    members: {
      ...what.members,
      action,
      actor: run.actor,
      run_id: run.runId,
      severity,
      target: run.sourceId,
    },
    open: {},
  };
}

function versionMembers(version: ListVersion): JsonObject {
  return {
    content_digest: version.contentDigest,
    entity_count: version.entityCount,
    list_digest: version.listDigest,
    list_version: version.listVersion,
    release_date: version.releaseDate,
  };
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
        kind: 'full',
        added_count: counts.added,
        updated_count: counts.updated,
        removed_count: counts.removed,
        completed_at: toTimestamp(at),
      },
    },
    {
      topic: 'sanctions.list.reindexed',
      partition: run.sourceId,
      payload: {
        source: run.sourceId,
        listVersion: version.listVersion,
        entityCount: version.entityCount,
      },
    },
  ];
}

/** Creates the source where it is new, and notes how its last run ended. */
function statusChange(
  source: ListSource,
  lastStatus: 'success' | 'skipped' | 'failed',
): ListChange[] {
  const next = { ...source, lastStatus, version: source.version + 1 };
  return [{ kind: 'list.source.put', source: next, versionExpected: source.version }];
}

/** Sources, their schedules and snapshots (interface.md 2.11, 4.9) as they stand on the wire. */
import { type Static, Type } from 'typebox';
import { inWords } from '#core/kernel';
import { type EpochMs, toTimestamp } from '#platform/clock';
import { CURSOR_CHARS_MAX, PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from '#platform/limits';
import {
  AIR_GAP_PATH_CHARS_MAX,
  CRON_CHARS_MAX,
  nextFireAt,
  type PlannedDay,
  type ScheduleAudit,
  SOURCE_URL_CHARS_MAX,
  scheduleAuditRow,
} from '#slices/ingestion';
import type { ListSource, ListVersion } from '#slices/lists';
import { Nullable, NullableTime } from '../../../api/nullable.ts';

export const SCHEDULE_SOURCES_MAX = 32;
const REASON_CHARS_MAX = 500;

const NullableText = (maxLength: number, description: string, more: object = {}) =>
  Type.Optional(
    Type.Unsafe<string | null>({
      description,
      maxLength,
      minLength: 1,
      type: ['string', 'null'],
      ...more,
    }),
  );

const Reason = Type.String({
  description: 'Why; kept with the change',
  maxLength: REASON_CHARS_MAX,
  minLength: 1,
  ...inWords('a reason in words, not blanks alone', '\\S'),
});

const CHANGED = {
  cron_full: NullableText(CRON_CHARS_MAX, 'Quartz, six fields, UTC; null: no full runs'),
  cron_delta: NullableText(CRON_CHARS_MAX, 'Quartz, six fields, UTC; null: no delta runs'),
  enabled: Type.Optional(Type.Boolean({ description: 'Whether the schedule fires' })),
};

const PATCHED = {
  ...CHANGED,
  url: NullableText(
    SOURCE_URL_CHARS_MAX,
    'https; http on this host. In the evidence: no secrets',
    inWords('an address that begins with https:// or http://', '^https?://[!-~]+$'),
  ),
  air_gap_path: NullableText(
    AIR_GAP_PATH_CHARS_MAX,
    'Relative to the folder for signed bundles; set: nothing is fetched',
  ),
};

export const PatchSourceBody = Type.Object(
  { ...PATCHED, approval_reason: Reason },
  { additionalProperties: false },
);
/** Without the reason. */
export const SourceMembers = Type.Object(PATCHED, { additionalProperties: false });
export type PatchSource = Static<typeof PatchSourceBody>;

export const ScheduleMembers = Type.Array(
  Type.Object(
    { source_id: Type.String({ maxLength: 32, minLength: 1 }), ...CHANGED },
    { additionalProperties: false, minProperties: 2 },
  ),
  { description: 'Each source once', maxItems: SCHEDULE_SOURCES_MAX, minItems: 1 },
);

export const PutScheduleBody = Type.Object(
  { schedule: ScheduleMembers, approval_reason: Reason },
  { additionalProperties: false },
);
export type PutSchedule = Static<typeof PutScheduleBody>;

export const ApproveRunBody = Type.Object(
  { approval_reason: Reason },
  { additionalProperties: false },
);
export type ApproveRun = Static<typeof ApproveRunBody>;

export const SourceResult = Type.Object(
  {
    source_id: Type.String(),
    display_name: Type.String(),
    kind: Type.String({ description: 'PUBLIC, COMMERCIAL or REGIONAL' }),
    url: Nullable('string'),
    format: Type.String({ description: 'XML, JSON, CSV or FtM_JSON' }),
    enabled: Type.Boolean(),
    cron_full: Nullable('string'),
    cron_delta: Nullable('string'),
    air_gap_path: Nullable('string'),
    last_run_at: NullableTime,
    next_fire_at: NullableTime,
    last_run_id: Nullable('string'),
    running_run_id: Nullable('string'),
    last_status: Nullable('string', {
      description: 'success, failed, running, skipped, partial',
    }),
    last_count: Nullable('integer', { description: 'Entities in force after the last run' }),
    list_version: Nullable('string', { description: 'Label of the version in force' }),
    disabled_reason: Nullable('string', { description: 'Why the scheduler disabled it by itself' }),
    updated_at: NullableTime,
    updated_by: Type.String(),
  },
  { title: 'Source' },
);

/** For lists that are always one page. */
const LastPage = Type.Null({ description: 'There are no further pages' });

export const SourcesResult = Type.Object({
  data: Type.Array(SourceResult),
  next_cursor: LastPage,
});

export const ScheduleResult = Type.Object({
  generated_at: Type.String({ format: 'date-time' }),
  sources: Type.Array(
    Type.Object({
      source_id: Type.String(),
      enabled: Type.Boolean(),
      cron_full: Nullable('string'),
      cron_delta: Nullable('string'),
      next_fire_at: NullableTime,
      next_fires: Type.Array(
        Type.Object({
          at: Type.String({ format: 'date-time' }),
          kind: Type.String({ description: 'full or delta' }),
        }),
        { description: 'The next five, were it enabled' },
      ),
      warnings: Type.Array(Type.String(), {
        description:
          'disabled-by-scheduler, last-run-failed, no-address, no-air-gap-path, no-schedule',
      }),
    }),
  ),
  days: Type.Array(
    Type.Object({
      date: Type.String({ description: 'YYYY-MM-DD, UTC' }),
      hours: Type.Array(
        Type.Object({
          hour: Type.Integer({ maximum: 23, minimum: 0 }),
          fires: Type.Array(
            Type.Object({
              source_id: Type.String(),
              kind: Type.String({ description: 'full or delta' }),
              enabled: Type.Boolean({ description: 'false: would fire, were it enabled' }),
              first_at: Type.String({ format: 'date-time' }),
              count: Type.Integer({ description: 'Fires within the hour' }),
            }),
          ),
        }),
      ),
    }),
    { description: 'The coming seven times 24 hours; hours without fires are left out' },
  ),
});

export const ScheduleAuditQuery = Type.Object(
  {
    cursor: Type.Optional(Type.String({ maxLength: CURSOR_CHARS_MAX, minLength: 1 })),
    limit: Type.Optional(
      Type.Integer({ default: PAGE_LIMIT_DEFAULT, maximum: PAGE_LIMIT_MAX, minimum: 1 }),
    ),
  },
  { additionalProperties: false },
);

export const ScheduleAuditResult = Type.Object({
  data: Type.Array(
    Type.Object({
      audit_id: Type.String({ format: 'uuid' }),
      source_id: Type.String(),
      seq: Type.Integer({ minimum: 1 }),
      changed_at: Type.String({ format: 'date-time' }),
      changed_by: Type.String({ description: 'Person id of the author' }),
      field: Type.String(),
      old_value: Nullable('string'),
      new_value: Nullable('string'),
      approval_user_id: Type.String({ description: 'Person id of the second signer' }),
      approval_reason: Type.String(),
      chain_hash: Type.String({
        description:
          'SHA-256 of "schedule-audit-v1\\0", the former chain_hash (64 zeros at first) and the ' +
          'canonical JSON of the other members',
      }),
    }),
    { description: 'Latest first' },
  ),
  next_cursor: Nullable('string'),
});

export const SnapshotsResult = Type.Object({
  data: Type.Array(
    Type.Object({
      run_id: Nullable('string', { description: 'null: of an earlier release, not to be had' }),
      source_id: Type.String(),
      list_version: Type.String(),
      list_digest: Type.String(),
      content_digest: Type.String(),
      entity_count: Type.Integer(),
      release_date: Type.String(),
      published_at: Type.String({ format: 'date-time' }),
      snapshot_uri: Type.String({ description: 'SHA-256 of the signed bundle, as a URN' }),
      in_force: Type.Boolean(),
    }),
    { description: 'The last ten, latest first' },
  ),
  next_cursor: LastPage,
});

export const SnapshotLinkResult = Type.Object({
  url: Type.String({ description: 'GET it within five minutes; it needs no credential' }),
  expires_at: Type.String({ format: 'date-time' }),
  list_version: Type.String(),
  sha256: Type.String({ description: 'Of the whole bundle, and its ETag' }),
  bytes: Type.Integer(),
});

const time = (at: EpochMs | undefined) => (at === undefined ? null : toTimestamp(at));

/** `isOperator`: else addresses and people stay with those who look after the lists. */
export function presentSource(source: ListSource, now: EpochMs, isOperator: boolean) {
  return {
    source_id: source.sourceId,
    display_name: source.displayName,
    kind: source.kind,
    url: isOperator ? (source.url ?? null) : null,
    format: source.format,
    enabled: source.enabled,
    cron_full: source.cronFull ?? null,
    cron_delta: source.cronDelta ?? null,
    air_gap_path: isOperator ? (source.airGapPath ?? null) : null,
    last_run_at: time(source.lastRunAt),
    next_fire_at: time(nextFireAt(source, now)),
    last_run_id: source.lastRunId ?? null,
    running_run_id: source.runningRunId ?? null,
    last_status: source.lastStatus ?? null,
    last_count: source.lastCount ?? source.active?.entityCount ?? null,
    list_version: source.active?.listVersion ?? null,
    disabled_reason: source.disabledReason ?? null,
    updated_at: source.updatedAt === 0 ? null : toTimestamp(source.updatedAt),
    updated_by: isOperator ? source.updatedBy : 'operator',
  };
}

export function presentPlan(days: readonly PlannedDay[]) {
  return days.map(({ date, hours }) => ({
    date,
    hours: hours.map(({ fires, hour }) => ({
      hour,
      fires: fires.map((fire) => ({
        source_id: fire.sourceId,
        kind: fire.kind,
        enabled: fire.enabled,
        first_at: toTimestamp(fire.firstAt),
        count: fire.count,
      })),
    })),
  }));
}

export function presentScheduleAudit(row: ScheduleAudit) {
  return { ...scheduleAuditRow(row), chain_hash: row.chainHash };
}

export function presentSnapshot(version: ListVersion, active: ListVersion | undefined) {
  return {
    run_id: version.runId ?? null,
    source_id: version.sourceId,
    list_version: version.listVersion,
    list_digest: version.listDigest,
    content_digest: version.contentDigest,
    entity_count: version.entityCount,
    release_date: version.releaseDate,
    published_at: toTimestamp(version.publishedAt),
    snapshot_uri: `urn:sha256:${version.bundleBlob}`,
    in_force: version.listVersion === active?.listVersion,
  };
}

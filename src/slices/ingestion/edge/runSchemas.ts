/** Ingestion runs (interface.md 2.11, sanctions_list_run) as they stand on the wire. */
import { Type } from 'typebox';
import { type EpochMs, toTimestamp } from '#platform/clock';
import { CURSOR_CHARS_MAX, PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from '#platform/limits';
import type { ListRun } from '#slices/ingestion';
import { Instant } from '../../../api/instants.ts';
import { Nullable, NullableTime } from '../../../api/nullable.ts';

const STATUSES = ['running', 'success', 'failed', 'partial', 'skipped'] as const;

export const RunsQuery = Type.Object(
  {
    sourceId: Type.Optional(Type.String({ maxLength: 32, minLength: 1 })),
    status: Type.Optional(Type.Union(STATUSES.map((status) => Type.Literal(status)))),
    since: Type.Optional(Instant('Started at or after this instant, RFC 3339 UTC')),
    cursor: Type.Optional(Type.String({ maxLength: CURSOR_CHARS_MAX, minLength: 1 })),
    limit: Type.Optional(
      Type.Integer({ default: PAGE_LIMIT_DEFAULT, maximum: PAGE_LIMIT_MAX, minimum: 1 }),
    ),
  },
  { additionalProperties: false },
);

export const TriggerQuery = Type.Object(
  {
    kind: Type.Optional(
      Type.Union([Type.Literal('full'), Type.Literal('delta')], { default: 'full' }),
    ),
  },
  { additionalProperties: false },
);

const RUN = {
  run_id: Type.String({ format: 'uuid' }),
  source_id: Type.String(),
  kind: Type.String({ description: 'full, delta, retry or manual' }),
  triggered_by: Type.String({ description: 'cron, or manual and who asked: manual:user:…' }),
  started_at: Type.String({ format: 'date-time' }),
  finished_at: NullableTime,
  duration_ms: Nullable('integer'),
  status: Type.String({ description: STATUSES.join(', ') }),
  stage: Nullable('string', { description: 'Where a running one is' }),
  fetched_bytes: Nullable('integer'),
  fetched_count: Nullable('integer', { description: 'Records that the file declares' }),
  parsed_count: Nullable('integer'),
  added_count: Nullable('integer'),
  updated_count: Nullable('integer'),
  removed_count: Nullable('integer'),
  file_sha256: Nullable('string', { description: 'Of the file, where it was read to its end' }),
  error_code: Nullable('string'),
  error_message: Nullable('string'),
  snapshot_uri: Nullable('string', { description: 'SHA-256 of the signed bundle, as a URN' }),
  list_version: Nullable('string'),
  shrink_approved_by: Nullable('string', {
    description: 'Person id of the second signer of a release of the 10 % rule',
  }),
};

export const RunResult = Type.Object(RUN, { title: 'Run' });
export const RunsPage = Type.Object({
  data: Type.Array(RunResult, { description: 'Latest start first' }),
  next_cursor: Nullable('string'),
});

const Figures = (description: string) => Type.Record(Type.String(), Type.Number(), { description });

export const RunDetail = Type.Object({
  ...RUN,
  statistics: Type.Object({
    notes: Figures('What was kept as published, or could not be read, by kind'),
    durations_ms: Figures('By stage'),
    tries: Type.Integer({ description: 'Workers that began it' }),
  }),
  log: Type.Array(
    Type.Object({
      at: Type.String({ format: 'date-time' }),
      level: Type.String({ description: 'info, warn or error' }),
      text: Type.String(),
    }),
  ),
});

const time = (at: EpochMs | undefined) => (at === undefined ? null : toTimestamp(at));

/** interface.md 2.11: `cron`, or manual with the user's identity. */
export function triggerOf(triggeredBy: string, isOperator: boolean): string {
  if (triggeredBy === 'cron') return 'cron';
  return isOperator ? `manual:${triggeredBy}` : 'manual';
}

/** Without addresses, whose paths may say more than a name: every word with a slash is replaced. */
const withoutAddresses = (text: string): string =>
  text
    .split(' ')
    .map((word) => (word.includes('/') ? '…' : word))
    .join(' ');

/** `isOperator`: else addresses and who asked stay with those who look after the lists. */
export function presentRun(run: ListRun, isOperator: boolean) {
  const { finishedAt, snapshotUri, startedAt, triggeredBy } = run;
  return {
    run_id: run.runId,
    source_id: run.sourceId,
    kind: run.kind,
    triggered_by: triggerOf(triggeredBy, isOperator),
    started_at: toTimestamp(startedAt),
    finished_at: time(finishedAt),
    duration_ms: finishedAt === undefined ? null : Math.max(0, finishedAt - startedAt),
    status: run.status,
    stage: run.stage ?? null,
    fetched_bytes: run.fetchedBytes ?? null,
    fetched_count: run.fetchedCount ?? null,
    parsed_count: run.parsedCount ?? null,
    added_count: run.addedCount ?? null,
    updated_count: run.updatedCount ?? null,
    removed_count: run.removedCount ?? null,
    file_sha256: run.fileSha256 ?? null,
    error_code: run.errorCode ?? null,
    error_message: isOperator ? (run.errorMessage ?? null) : textOf(run.errorMessage),
    snapshot_uri: snapshotUri === undefined ? null : `urn:sha256:${snapshotUri}`,
    list_version: run.listVersion ?? null,
    shrink_approved_by: isOperator ? (run.shrinkApprovedBy ?? null) : null,
  };
}

const textOf = (text: string | undefined): string | null =>
  text === undefined ? null : withoutAddresses(text);

/** The log's first line says who asked, which is the operator's. */
export function presentRunDetail(run: ListRun, isOperator: boolean) {
  const { triggeredBy } = run;
  const isOpen = isOperator || triggeredBy === 'cron';
  const log = isOpen ? run.log : run.log.filter(({ text }) => !text.includes(triggeredBy));
  const shown = (text: string): string => (isOperator ? text : withoutAddresses(text));
  return {
    ...presentRun(run, isOperator),
    statistics: {
      notes: run.notes ?? {},
      durations_ms: run.durationsMs ?? {},
      tries: run.tries ?? 0,
    },
    log: log.map(({ at, level, text }) => ({ at: toTimestamp(at), level, text: shown(text) })),
  };
}

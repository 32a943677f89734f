/** Batches as they stand on the wire (interface.md 2.3); the domain writes them (presentBatch). */
import { Type } from 'typebox';
import { CURSOR_CHARS_MAX, PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from '#platform/limits';
import {
  BATCH_MODES,
  BATCH_NAME_CHARS_MAX,
  BATCH_STATUSES,
  MATCH_TYPES,
  SUBJECT_DECISIONS,
} from '#slices/batches';
import { Nullable, NullableTime } from '../../../api/nullable.ts';

export const BatchCreated = Type.Object({
  batch_id: Type.String({ format: 'uuid' }),
  status: Type.String({ description: 'queued' }),
  subjects_total: Type.Integer({ description: 'Rows that came in, rejected ones too', minimum: 0 }),
  estimated_completion: NullableTime,
});

const counted = (names: readonly string[], description: string) =>
  Type.Object(Object.fromEntries(names.map((name) => [name, Type.Integer({ minimum: 0 })])), {
    description,
  });

const ListVersionNamed = {
  list_version: Type.String(),
  list_digest: Type.String(),
  content_digest: Type.String(),
};

const report = (name: string) => ({
  [`report_${name}_url`]: Nullable('string', { description: 'Once completed' }),
  [`report_${name}_sha256`]: Nullable('string'),
});

export const BatchResult = Type.Object(
  {
    batch_id: Type.String({ format: 'uuid' }),
    tenant_id: Type.String({ format: 'uuid' }),
    name: Type.String(),
    mode: Type.String({ enum: [...BATCH_MODES] }),
    lists: Type.Array(Type.String(), { description: 'As asked; none: all that are in force' }),
    include_pep: Type.Boolean(),
    include_adverse_media: Type.Boolean(),
    since: NullableTime,
    monitor: Type.Boolean({ description: 'Whether its subjects are customers from then on' }),
    base_batch_id: Nullable('string', { description: 'The batch that it goes on from' }),
    source_type: Type.String({ enum: ['csv', 'json', 'query'] }),
    source_ref: Nullable('string', { description: 'Name of the file, or filter of the query' }),
    source_bytes: Type.Integer({ minimum: 0 }),
    source_sha256: Type.String({ description: 'Of the bytes as they were sent' }),
    status: Type.String({ enum: [...BATCH_STATUSES] }),
    failure: Type.Union([Type.Object({ code: Type.String(), detail: Type.String() }), Type.Null()]),
    notice: Nullable('string', { description: 'What holds it up just now' }),
    progress_pct: Type.Number({ maximum: 100, minimum: 0 }),
    subjects_total: Type.Integer({
      description:
        'Subjects to be screened: rows that came in, less subjects_rejected once all were read ' +
        '(then chunks_total is known)',
      minimum: 0,
    }),
    subjects_processed: Type.Integer({ description: 'Of subjects_total, so far', minimum: 0 }),
    subjects_rejected: Type.Integer({
      description: 'Rows that are not screened; it grows while they are read',
      minimum: 0,
    }),
    subjects_with_hits: Type.Integer({ minimum: 0 }),
    subjects_by_decision: counted(SUBJECT_DECISIONS, 'Of those that are processed'),
    hits_total: Type.Integer({ minimum: 0 }),
    hits_by_match_type: counted(MATCH_TYPES, 'Hits'),
    chunks_total: Nullable('integer', { description: 'Once all subjects were read' }),
    chunks_completed: Type.Integer({ minimum: 0 }),
    thresholds: Type.Object({
      auto_clear_threshold: Type.Number(),
      review_threshold: Type.Number(),
      auto_match_threshold: Type.Number(),
    }),
    list_version: Nullable('string', {
      description: 'SHA-256 over the lists, as screenings have it',
    }),
    lists_in_force: Type.Union([
      Type.Array(
        Type.Object({
          source: Type.String(),
          ...ListVersionNamed,
          published_at: Type.String({ format: 'date-time' }),
          since: Type.Union([Type.Object(ListVersionNamed), Type.Null()]),
        }),
        { description: 'Pinned when it started, for all of it' },
      ),
      Type.Null(),
    ]),
    requested_by: Type.String(),
    requested_at: Type.String({ format: 'date-time' }),
    started_at: NullableTime,
    completed_at: NullableTime,
    estimated_completion: NullableTime,
    ...report('csv'),
    ...report('xlsx'),
    ...report('pdf'),
    attestation_url: Nullable('string'),
    report_pdf_signature: Nullable('string', { description: 'Ed25519, base64' }),
    rejected_csv_url: Nullable('string', { description: 'Once all subjects were read' }),
    webhook_delivered: Type.Boolean(),
  },
  { title: 'Batch' },
);

export const BatchesQuery = Type.Object(
  {
    name: Type.Optional(Type.String({ maxLength: BATCH_NAME_CHARS_MAX, minLength: 1 })),
    status: Type.Optional(Type.Union(BATCH_STATUSES.map((status) => Type.Literal(status)))),
    cursor: Type.Optional(Type.String({ maxLength: CURSOR_CHARS_MAX, minLength: 1 })),
    limit: Type.Optional(
      Type.Integer({ default: PAGE_LIMIT_DEFAULT, maximum: PAGE_LIMIT_MAX, minimum: 1 }),
    ),
  },
  { additionalProperties: false },
);

export const BatchesPage = Type.Object({
  data: Type.Array(BatchResult, { description: 'Latest first' }),
  next_cursor: Nullable('string'),
});

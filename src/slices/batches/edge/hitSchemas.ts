/** Hits of a batch on the wire (interface.md 2.3, 3.3), and what a person may decide of one. */
import { Type } from 'typebox';
import { CURSOR_CHARS_MAX, PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from '#platform/limits';
import { HIT_NOTES_CHARS_MAX, MATCH_TYPES, REPORT_FORMATS } from '#slices/batches';
import { readable } from '../../../api/freeText.ts';
import { Nullable, NullableTime } from '../../../api/nullable.ts';
import { ENTRY_FACTS } from '../../lists/schemas.ts';
import { ExplainFlag, Explanation } from '../../screening/schemas.ts';

const oneOf = <Value extends string>(...values: readonly Value[]) =>
  Type.Union(values.map((value) => Type.Literal(value)));

export const HitsQuery = Type.Object(
  {
    decision: Type.Optional(oneOf('pending', 'true_positive', 'false_positive')),
    match_type: Type.Optional(oneOf(...MATCH_TYPES)),
    min_score: Type.Optional(Type.Number({ maximum: 1, minimum: 0 })),
    explain: Type.Optional(ExplainFlag),
    cursor: Type.Optional(Type.String({ maxLength: CURSOR_CHARS_MAX, minLength: 1 })),
    limit: Type.Optional(
      Type.Integer({ default: PAGE_LIMIT_DEFAULT, maximum: PAGE_LIMIT_MAX, minimum: 1 }),
    ),
  },
  { additionalProperties: false },
);

export const HitQuery = Type.Object(
  { explain: Type.Optional(ExplainFlag) },
  { additionalProperties: false },
);

export const HitResult = Type.Object(
  {
    hit_id: Type.String({ format: 'uuid' }),
    batch_id: Type.String({ format: 'uuid' }),
    batch_subject_id: Type.String({ format: 'uuid' }),
    external_id: Type.String(),
    subject_data: Type.Record(Type.String(), Type.Unknown(), { description: 'As it was sent' }),
    erased: Type.Optional(
      Type.Boolean({
        description: 'The subject was erased: external_id and subject_data are empty',
      }),
    ),
    list_source: Type.String({ description: 'Source id of the list' }),
    record_id: Type.String({ description: 'Id of the entry in that list' }),
    match_score: Type.Number({ description: 'directScore, four decimals', maximum: 1, minimum: 0 }),
    match_type: Type.String({ enum: [...MATCH_TYPES] }),
    strong: Type.Boolean({ description: 'At or over auto_match_threshold: goes first' }),
    payload: Type.Object(ENTRY_FACTS, {
      additionalProperties: true,
      description:
        'The candidate with all of its scores and what its list says of it, as a unit screening ' +
        'answers it',
    }),
    decision: Type.String({ enum: ['pending', 'true_positive', 'false_positive'] }),
    reviewer_id: Nullable('string'),
    reviewed_at: NullableTime,
    notes: Nullable('string'),
    explanation: Type.Optional(Explanation),
  },
  { title: 'Hit' },
);

export const HitsPage = Type.Object({
  data: Type.Array(HitResult, { description: 'By subject, in the order in which they came' }),
  next_cursor: Nullable('string', {
    description: 'null at the end; of a batch that runs, an empty page with it says: not yet',
  }),
});

export const DecideHitBody = Type.Object(
  {
    decision: oneOf('true_positive', 'false_positive'),
    notes: Type.Optional(
      Type.String({
        description: 'Why',
        maxLength: HIT_NOTES_CHARS_MAX,
        ...readable,
      }),
    ),
  },
  { additionalProperties: false },
);

/** `rejected` is there before the batch is completed. */
export const REPORT_KINDS = [...REPORT_FORMATS, 'rejected', 'attestation'] as const;
export type ReportKind = (typeof REPORT_KINDS)[number];

export const ReportQuery = Type.Object(
  { format: oneOf(...REPORT_KINDS) },
  { additionalProperties: false },
);

/** Bodies and answers of the operations of submissions. */
import { type Static, Type } from 'typebox';
import { inWords } from '#core/kernel';
import { CURSOR_CHARS_MAX, PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from '#platform/limits';
import { SUBMISSION_CHANNELS } from '#slices/forms';
import { Nullable } from '../../../api/nullable.ts';

const closed = { additionalProperties: false } as const;
const Uuid = Type.String({ format: 'uuid' });
const Ids = Type.Array(Type.String());

export const SubmissionBody = Type.Object(
  {
    case_id: Type.Optional(
      Type.String({ description: 'A session has its own, and may leave it out', format: 'uuid' }),
    ),
    version: Type.Optional(
      Type.String({
        description: 'The version that was filled in; absent: the active one',
        maxLength: 32,
      }),
    ),
    locale: Type.String({
      maxLength: 5,
      ...inWords('a language and a region, as fr-TN', '^[a-z]{2}-[A-Z]{2}$'),
    }),
    complete: Type.Optional(
      Type.Boolean({ default: true, description: '`false` saves a draft: types alone are asked' }),
    ),
    data: Type.Record(Type.String({ maxLength: 64 }), Type.Unknown(), {
      description: 'Values by field id',
    }),
  },
  closed,
);
export type SubmissionGiven = Static<typeof SubmissionBody>;

const ROW = {
  case_id: Uuid,
  channel: Type.Union(SUBMISSION_CHANNELS.map((one) => Type.Literal(one))),
  complete: Type.Boolean(),
  form_id: Uuid,
  hash: Type.String(),
  ignored_fields: Ids,
  locale: Type.String(),
  received_at: Type.String({ format: 'date-time' }),
  received_by: Type.String(),
  session_id: Nullable('string', { format: 'uuid' }),
  submission_id: Uuid,
  version: Type.String(),
};
export const SubmissionResult = Type.Object(ROW);
export const SubmissionWhole = Type.Object({
  ...ROW,
  data: Type.Record(Type.String(), Type.Unknown()),
});
export const SubmissionsPage = Type.Object({
  data: Type.Array(SubmissionResult, { description: 'Latest first' }),
  next_cursor: Nullable('string'),
});
export const SubmissionsQuery = Type.Object(
  {
    cursor: Type.Optional(Type.String({ maxLength: CURSOR_CHARS_MAX, minLength: 1 })),
    limit: Type.Optional(
      Type.Integer({ default: PAGE_LIMIT_DEFAULT, maximum: PAGE_LIMIT_MAX, minimum: 1 }),
    ),
  },
  closed,
);

/** Forms of holders as they stand on the wire. */
import { type Static, Type } from 'typebox';
import { CURSOR_CHARS_MAX, PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from '#platform/limits';
import {
  CHANGE_REASONS,
  EXPLANATION_CHARS_MAX,
  EXPLANATION_CHARS_MIN,
  FINDING_SEVERITIES,
  FORM_ENVELOPE,
  FORM_LINES,
  FORM_STATUSES,
  FORM_TYPES,
  LINES_OF,
  TIN_STATES,
} from '#slices/tax';
import { readable } from '../../../api/freeText.ts';
import { Nullable } from '../../../api/nullable.ts';
import { schemaOf } from './shapeSchemas.ts';
import { Day, oneOf, Ref } from './subjectSchemas.ts';

const STRICT = { additionalProperties: false } as const;
const Uuid = Type.String({ format: 'uuid' });
const Time = Type.String({ format: 'date-time' });
const NullableDay = (description: string) => Nullable('string', { description, format: 'date' });
const Words = (description: string) =>
  Type.String({
    description,
    maxLength: EXPLANATION_CHARS_MAX,
    minLength: EXPLANATION_CHARS_MIN,
    ...readable,
  });

const linesOf = FORM_TYPES.map((type) => `${type}: ${LINES_OF[type].join(', ')}`).join('. ');

export const FormBody = schemaOf({
  kind: 'object',
  members: { ...FORM_ENVELOPE, fields: { kind: 'object', members: FORM_LINES, required: [] } },
  required: ['type', 'subject_ref', 'fields'],
});
export const LINES = `Lines of each form: ${linesOf}.`;

export const ChangeBody = Type.Object(
  {
    reason: oneOf(CHANGE_REASONS, 'What of the form is no longer so'),
    explanation: Type.Optional(Words('What is known of it')),
    noticed_on: Type.Optional(Day('When the institution came to know; absent: today')),
  },
  STRICT,
);
export type ChangeGiven = Static<typeof ChangeBody>;

export const RevokeBody = Type.Object({ reason: Words('Why the form counts no more') }, STRICT);
export type RevokeGiven = Static<typeof RevokeBody>;

export const FormsQuery = Type.Object(
  {
    subject_ref: Type.Optional(Ref('Of this holder')),
    type: Type.Optional(oneOf(FORM_TYPES)),
    status: Type.Optional(oneOf(FORM_STATUSES)),
    expiring_before: Type.Optional(
      Day('Those that count and end before this day, the first to end first'),
    ),
    cursor: Type.Optional(Type.String({ maxLength: CURSOR_CHARS_MAX, minLength: 1 })),
    limit: Type.Optional(
      Type.Integer({ default: PAGE_LIMIT_DEFAULT, maximum: PAGE_LIMIT_MAX, minimum: 1 }),
    ),
  },
  STRICT,
);
export type FormsGiven = Static<typeof FormsQuery>;

const ROW = {
  form_id: Uuid,
  type: oneOf(FORM_TYPES),
  subject_ref: Type.String(),
  entity_ref: Nullable('string', { description: 'Whom a controlling person controls' }),
  status: oneOf(FORM_STATUSES),
  revision: Nullable('string'),
  signed_at: NullableDay('The day of the signature'),
  received_at: Type.String({ format: 'date' }),
  valid_until: NullableDay('The last day on which it holds; null: until circumstances change'),
  cure_due: NullableDay('Until when a new form, or what cures a finding, is awaited'),
  holder_due: NullableDay('Until when the holder had undertaken to hand in a new one'),
  change: Nullable('string', { description: 'Why it is incorrect' }),
  supersedes: Nullable('string', { format: 'uuid' }),
  created_at: Time,
  created_by: Type.String(),
};

export const FormsPageSchema = Type.Object({
  data: Type.Array(Type.Object(ROW)),
  next_cursor: Nullable('string'),
});

export const FormResult = Type.Object({
  ...ROW,
  fields: Type.Unsafe<object>({ description: 'Its lines, as they were given', type: 'object' }),
  signer: Type.Unsafe<object>({
    description: 'Who signed it, and as what',
    type: ['object', 'null'],
  }),
  signature_method: Nullable('string'),
  documentary_evidence: Type.Boolean(),
  explanation: Nullable('string'),
  findings: Type.Array(
    Type.Object({
      pointer: Type.String({ description: 'Empty: the form as a whole' }),
      code: Type.String(),
      severity: oneOf(FINDING_SEVERITIES, 'An error keeps the form from counting'),
    }),
  ),
  tins: Type.Array(
    Type.Object({ pointer: Type.String(), country: Type.String(), state: oneOf(TIN_STATES) }),
    { description: 'What is known of its numbers' },
  ),
  giin_check: Type.Unsafe<object>({
    description: 'What the FFI list said of its GIIN: `state`, and `listed_on`',
    type: ['object', 'null'],
  }),
  notes: Type.Array(
    Type.Object({ by: Type.String(), on: Type.String({ format: 'date' }), text: Type.String() }),
  ),
});

/** Classifications as they stand on the wire: queries, cures and answers. */
import { type Static, Type } from 'typebox';
import { CURSOR_CHARS_MAX, PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from '#platform/limits';
import {
  CLASSIFICATION_STATUSES,
  EVIDENCE,
  EXPLANATION_CHARS_MAX,
  EXPLANATION_CHARS_MIN,
  INDICIUM_STATES,
  REGIMES,
} from '#slices/tax';
import { readable } from '../../../api/freeText.ts';
import { Nullable } from '../../../api/nullable.ts';
import {
  type ClassificationBody,
  Country,
  oneOf,
  Ref,
  SelfCertification,
} from './subjectSchemas.ts';

const STRICT = { additionalProperties: false } as const;
const INDICIUM_CHARS_MAX = 32;
const Uuid = Type.String({ format: 'uuid' });
const Time = Type.String({ format: 'date-time' });
const Words = (description: string) => Type.Array(Type.String(), { description });

export type ClassificationGiven = Static<typeof ClassificationBody>;

export const CureBody = Type.Object(
  {
    indicium: Type.String({
      description: 'The code, as the classification has it',
      maxLength: INDICIUM_CHARS_MAX,
      minLength: 1,
      ...readable,
    }),
    country: Country('Where it points to'),
    documents: Type.Array(oneOf(EVIDENCE), {
      description: 'What is on file now',
      maxItems: EVIDENCE.length,
      minItems: 1,
    }),
    self_certification: Type.Optional(SelfCertification),
    explanation: Type.Optional(
      Type.String({
        description: 'In the holder’s words; with `reasonable_explanation`',
        maxLength: EXPLANATION_CHARS_MAX,
        minLength: EXPLANATION_CHARS_MIN,
        ...readable,
      }),
    ),
  },
  STRICT,
);
export type CureGiven = Static<typeof CureBody>;

export const ClassificationsQuery = Type.Object(
  {
    subject_ref: Type.Optional(Ref('Of this holder')),
    status: Type.Optional(oneOf(CLASSIFICATION_STATUSES)),
    cursor: Type.Optional(Type.String({ maxLength: CURSOR_CHARS_MAX, minLength: 1 })),
    limit: Type.Optional(
      Type.Integer({ default: PAGE_LIMIT_DEFAULT, maximum: PAGE_LIMIT_MAX, minimum: 1 }),
    ),
  },
  STRICT,
);

const ROW = {
  classification_id: Uuid,
  subject_ref: Type.String(),
  kind: oneOf(['individual', 'entity']),
  status: oneOf(CLASSIFICATION_STATUSES),
  table_version: Type.String({ description: 'Names the tables by what they say' }),
  result_digest: Type.String({ description: 'The same for the same inputs, day and tables' }),
  supersedes: Nullable('string', { format: 'uuid' }),
  valid_from: Time,
  review_at: Nullable('string', { description: 'When cures and documents are over' }),
  created_by: Type.String(),
};

export const ClassificationsPage = Type.Object({
  data: Type.Array(Type.Object(ROW)),
  next_cursor: Nullable('string'),
});

const Indicium = Type.Object({
  regime: oneOf(REGIMES),
  code: Type.String(),
  country: Type.String(),
  state: oneOf(INDICIUM_STATES, 'Confirmed: its time was over before it was cured'),
  cure_due: Type.String({ format: 'date' }),
});

export const ClassificationResultSchema = Type.Object({
  ...ROW,
  inputs: Type.Unsafe<object>({ description: 'As they were given', type: 'object' }),
  fatca: Type.Object({
    status: Type.String(),
    holder_type: Nullable('string', { description: 'FATCA101 to FATCA105' }),
    pool_type: Nullable('string', { description: 'FATCA201 to FATCA205' }),
    reportable: Type.Boolean(),
    owners: Words('`person_ref` of those who are reported with it'),
  }),
  crs: Type.Object({
    status: Type.String(),
    holder_type: Nullable('string', { description: 'CRS101 to CRS103' }),
    reportable_jurisdictions: Words('Where it is reported to'),
    undocumented: Type.Boolean(),
    persons: Words('`person_ref` of those who are reported with it'),
  }),
  indicia: Type.Array(Indicium),
  documents_required: Words('What would settle what is open'),
  trace: Type.Array(
    Type.Object({
      table: Type.String(),
      rule: Type.String(),
      matched: Type.Boolean(),
      because: Type.String(),
    }),
    { description: 'Every rule that was looked at, in order' },
  ),
  notes: Type.Array(
    Type.Object({
      indicium: Type.String(),
      country: Type.String(),
      by: Type.String(),
      on: Type.String({ format: 'date' }),
      explanation: Type.Optional(Type.String()),
    }),
    { description: 'What was laid against indicia' },
  ),
});

/** Exclusions as they stand on the wire. */
import { type Static, Type } from 'typebox';
import { CURSOR_CHARS_MAX, PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from '#platform/limits';
import {
  EXCLUSION_STATES,
  REASON_CHARS_MAX,
  REASON_CHARS_MIN,
  REASON_CODES,
} from '#slices/exclusions';
import { readable } from '../../../api/freeText.ts';
import { Instant } from '../../../api/instants.ts';
import { Nullable, NullableTime } from '../../../api/nullable.ts';

const ID_CHARS_MAX = 128;
const oneOf = <Word extends string>(words: readonly Word[], description?: string) =>
  Type.Union(
    words.map((word) => Type.Literal(word)),
    description === undefined ? {} : { description },
  );
const Id = (description: string) =>
  Type.String({ description, maxLength: ID_CHARS_MAX, minLength: 1, ...readable });

export const AddBody = Type.Object(
  {
    screening_id: Type.String({ description: 'Where the hit was found', format: 'uuid' }),
    ftm_id: Id('The listed entry, as the hit names it'),
    reason_code: oneOf(REASON_CODES, 'Why it is somebody else'),
    reason: Type.String({
      description: `Why, in words: ${REASON_CHARS_MIN} characters or more`,
      maxLength: REASON_CHARS_MAX,
      ...readable,
    }),
    expires_at: Type.Optional(Instant('Absent: as long as the policy allows')),
    subject_ref: Type.Optional(Id('Your own reference of the subject')),
  },
  { additionalProperties: false },
);
export type Add = Static<typeof AddBody>;

export const ExclusionsQuery = Type.Object(
  {
    status: Type.Optional(oneOf(EXCLUSION_STATES)),
    ftm_id: Type.Optional(Id('Of this listed entry')),
    subject_ref: Type.Optional(Id('Of this subject')),
    cursor: Type.Optional(Type.String({ maxLength: CURSOR_CHARS_MAX, minLength: 1 })),
    limit: Type.Optional(
      Type.Integer({ default: PAGE_LIMIT_DEFAULT, maximum: PAGE_LIMIT_MAX, minimum: 1 }),
    ),
  },
  { additionalProperties: false },
);

export const ExclusionResult = Type.Object({
  exclusion_id: Type.String({ format: 'uuid' }),
  status: oneOf(EXCLUSION_STATES),
  subject_key: Type.String({ description: 'The same for the same subject, of this tenant alone' }),
  subject_ref: Nullable('string'),
  subject_digest: Type.String({ description: 'Of all that tells the subject from others' }),
  screening_id: Type.String({ format: 'uuid' }),
  ftm_id: Type.String(),
  source: Type.String({ description: 'Source id of the list' }),
  typology: Type.String(),
  entity_digest: Type.String({ description: 'Of what identifies the listed party' }),
  reason_code: oneOf(REASON_CODES),
  reason: Type.String(),
  created_by: Type.String(),
  created_at: Type.String({ format: 'date-time' }),
  approved_by: Nullable('string'),
  expires_at: Type.String({ format: 'date-time' }),
  ended_at: NullableTime,
  ended_by: Nullable('string'),
  applied_count: Type.Integer({ description: 'Screenings in which it made a hit none' }),
  last_applied_at: NullableTime,
  etag: Type.String({ description: 'For If-Match' }),
});

export const ExclusionsAdded = Type.Object({
  data: Type.Array(ExclusionResult, {
    description: 'One for each entry that the hit stands for: those that are the same party',
  }),
});

export const ExclusionsPage = Type.Object({
  data: Type.Array(ExclusionResult),
  next_cursor: Nullable('string'),
});

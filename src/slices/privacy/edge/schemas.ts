/** Requests and flags as they stand on the wire. */
import { type Static, Type } from 'typebox';
import { ERASURE_ACTIONS, ERASURE_REASONS } from '#core/privacy';
import { CURSOR_CHARS_MAX, PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from '#platform/limits';
import {
  EXTENSION_REASON_CHARS_MIN,
  HOLD_STATES,
  IDENTITY_METHODS,
  REASON_CHARS_MIN,
  REFUSAL_GROUNDS,
  REQUEST_ACTIONS,
  REQUEST_LOCALES,
  REQUEST_STATES,
  TEXT_CHARS_MAX,
} from '#slices/privacy';
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
const Text = (description: string, min = 1) =>
  Type.String({ description, maxLength: TEXT_CHARS_MAX, minLength: min, ...readable });

export const RequestBody = Type.Object(
  {
    action: oneOf(REQUEST_ACTIONS, 'A copy of the data, its erasure, or its correction'),
    subject: Type.Object(
      {
        subject_id: Type.Optional(Id('Of a case')),
        external_ref: Type.Optional(Id('Your own id of the subject')),
        case_id: Type.Optional(Id('A case of the subject')),
      },
      { additionalProperties: false, description: 'One of the three' },
    ),
    requested_at: Type.Optional(Instant('When the person asked; absent: now')),
    requester: Type.Object(
      {
        relation: oneOf(['self', 'representative'] as const),
        contact: Type.Optional(Text('Where the answer goes')),
      },
      { additionalProperties: false },
    ),
    identity: Type.Object(
      {
        method: oneOf(IDENTITY_METHODS, 'How the requester proves who he is'),
        evidence: Type.Optional(Text('Where the proof is: an id of a document, a file number')),
      },
      { additionalProperties: false },
    ),
    locale: Type.Optional(oneOf(REQUEST_LOCALES, 'In which the person is answered')),
    note: Type.Optional(Text('What the person said')),
  },
  { additionalProperties: false },
);
export type RequestBody = Static<typeof RequestBody>;

export const IdentityBody = Type.Object(
  {
    verified: Type.Boolean({ description: 'Whether it is proven; false: more is asked for' }),
    method: Type.Optional(oneOf(IDENTITY_METHODS)),
  },
  { additionalProperties: false },
);

export const ExtendBody = Type.Object(
  {
    reason: Text(
      `Why the request is complex: ${EXTENSION_REASON_CHARS_MIN} characters or more; the person ` +
        'is told',
    ),
  },
  { additionalProperties: false },
);

export const RefuseBody = Type.Object(
  {
    ground: oneOf(REFUSAL_GROUNDS),
    text: Text(`For the person: ${REASON_CHARS_MIN} characters or more`),
  },
  { additionalProperties: false },
);

export const SubjectPatchBody = Type.Object(
  {
    flags: Type.Optional(
      Type.Object(
        {
          processing_restricted: Type.Optional(
            Type.Boolean({ description: 'Stops processing that is not essential' }),
          ),
          opposed: Type.Optional(
            Type.Boolean({ description: 'Stops processing for legitimate interest' }),
          ),
        },
        { additionalProperties: false, minProperties: 1 },
      ),
    ),
    changes: Type.Optional(
      Type.Record(Type.String({ maxLength: 64 }), Type.Unknown(), {
        description:
          'Members of the subject of a case with their values as they are to become; null takes ' +
          'one away',
        minProperties: 1,
      }),
    ),
    reason: Text(`Why: ${REASON_CHARS_MIN} characters or more`),
    evidence_document_id: Type.Optional(
      Type.String({ description: 'A document of the customer that shows it', format: 'uuid' }),
    ),
  },
  { additionalProperties: false },
);

export const ChangeDecisionBody = Type.Object(
  {
    decision: oneOf(['approve', 'decline']),
    comment: Type.Optional(Text(`Needed to decline: ${REASON_CHARS_MIN} characters or more`)),
  },
  { additionalProperties: false },
);

export const RequestsQuery = Type.Object(
  {
    status: Type.Optional(oneOf(REQUEST_STATES)),
    cursor: Type.Optional(Type.String({ maxLength: CURSOR_CHARS_MAX, minLength: 1 })),
    limit: Type.Optional(
      Type.Integer({ default: PAGE_LIMIT_DEFAULT, maximum: PAGE_LIMIT_MAX, minimum: 1 }),
    ),
  },
  { additionalProperties: false },
);

export const RequestReceived = Type.Object({
  request_id: Type.String({ format: 'uuid' }),
  action: oneOf(REQUEST_ACTIONS),
  status: oneOf(REQUEST_STATES),
  received_at: Type.String({ format: 'date-time' }),
  due_at: Type.String({ format: 'date-time' }),
});

const PlannedStore = Type.Object({
  store: Type.String(),
  action: oneOf(ERASURE_ACTIONS),
  rows: Type.Integer(),
  until: NullableTime,
  why: oneOf(ERASURE_REASONS),
});

const NullableFlag = Type.Unsafe<boolean | null>({ type: ['boolean', 'null'] });

export const RequestResult = Type.Object({
  request_id: Type.String({ format: 'uuid' }),
  action: oneOf(REQUEST_ACTIONS),
  status: oneOf(REQUEST_STATES),
  subject: Type.Object({
    subject_id: Nullable('string'),
    external_ref: Nullable('string'),
    case_id: Nullable('string'),
  }),
  requester: Type.Object({
    relation: oneOf(['self', 'representative'] as const),
    contact: Nullable('string'),
  }),
  identity: Type.Object({
    method: oneOf(IDENTITY_METHODS),
    evidence: Nullable('string'),
    verified: NullableFlag,
    verified_by: Nullable('string'),
    verified_at: NullableTime,
  }),
  locale: oneOf(REQUEST_LOCALES),
  note: Nullable('string'),
  created_by: Type.String(),
  received_at: Type.String({ format: 'date-time' }),
  due_at: Type.String({ format: 'date-time' }),
  extended_to: NullableTime,
  extension_reason: Nullable('string'),
  overdue: Type.Boolean(),
  ended_at: NullableTime,
  decided_by: Nullable('string'),
  refusal: Type.Union([
    Type.Object({ ground: oneOf(REFUSAL_GROUNDS), text: Nullable('string') }),
    Type.Null(),
  ]),
  archive: Type.Union([
    Type.Object({
      bytes: Type.Integer(),
      files: Type.Integer({ description: 'Documents of the person; pages and manifest apart' }),
      sha256: Type.String(),
      built_at: Type.String({ format: 'date-time' }),
      available_until: NullableTime,
      passphrase_told: Type.Boolean(),
    }),
    Type.Null(),
  ]),
  plan: Type.Union([
    Type.Object({
      made_at: Type.String({ format: 'date-time' }),
      retention_years: Type.Integer(),
      stores: Type.Array(PlannedStore),
    }),
    Type.Null(),
  ]),
  erasure: Type.Union([
    Type.Object({
      pseudonym: Type.String({ description: 'Stands for the person in what is kept' }),
      kept_until: NullableTime,
    }),
    Type.Null(),
  ]),
  etag: Type.String({ description: 'For If-Match' }),
});

export const VaultBody = Type.Object(
  { reason: Text(`Why: ${REASON_CHARS_MIN} characters or more`) },
  { additionalProperties: false },
);

export const VaultAsked = Type.Object({
  pseudonym: Type.String(),
  asked_at: Type.String({ format: 'date-time' }),
});

export const VaultOpened = Type.Object({
  pseudonym: Type.String(),
  asked_by: Type.String(),
  subject: Type.Object({
    external_ref: Nullable('string'),
    subject_id: Nullable('string'),
    case_ids: Type.Array(Type.String()),
  }),
  identity: Type.Record(Type.String(), Type.Unknown(), {
    description: 'By store: the identifiers that its slice gave into custody',
  }),
});

export const ArchiveLink = Type.Object({
  url: Type.String({ description: 'A path of this API; call it with your own credential' }),
  expires_at: Type.String({ format: 'date-time' }),
  sha256: Type.String(),
});

export const ArchiveQuery = Type.Object(
  { link: Type.String({ maxLength: 256, minLength: 1 }) },
  { additionalProperties: false },
);

export const Passphrase = Type.Object({
  passphrase: Type.String({
    description: '24 characters in groups of four. Tell it by telephone or letter, not by mail',
  }),
});

export const RequestsPage = Type.Object({
  data: Type.Array(RequestResult),
  next_cursor: Nullable('string'),
});

export const SubjectResult = Type.Object({
  subject: Type.Object({
    external_ref: Type.String(),
    processing_restricted: Type.Boolean(),
    opposed: Type.Boolean(),
  }),
  changed_at: NullableTime,
  changed_by: Nullable('string'),
  reason: Nullable('string'),
  etag: Type.String({ description: 'For If-Match' }),
});

const PendingChange = Type.Object({
  change_id: Type.String({ format: 'uuid' }),
  member: Type.String(),
  status: Type.Literal('waiting'),
  asked_by: Type.String(),
  asked_at: Type.String({ format: 'date-time' }),
  evidence_document_id: Nullable('string'),
});

export const RectifiedResult = Type.Object({
  applied: Type.Array(Type.String(), { description: 'Members that are corrected now' }),
  pending: Type.Array(PendingChange, { description: 'Those that wait for a second person' }),
});

export const SubjectPatchResult = Type.Object({
  ...SubjectResult.properties,
  ...RectifiedResult.properties,
});

export const ChangesResult = Type.Object({
  data: Type.Array(
    Type.Object({
      ...PendingChange.properties,
      former: Type.Unknown({ description: 'As it stands in the case' }),
      value: Type.Unknown(),
      reason: Type.String(),
    }),
  ),
});

export const HoldBody = Type.Object(
  {
    reason: Text(`Why: ${REASON_CHARS_MIN} characters or more`),
    until: Instant('When it ends by itself'),
  },
  { additionalProperties: false },
);

export const LiftBody = Type.Object(
  { reason: Text(`Why: ${REASON_CHARS_MIN} characters or more`) },
  { additionalProperties: false },
);

export const ConfirmHoldBody = Type.Object(
  { confirm: Type.Boolean({ description: '`false`: it stays as it was before' }) },
  { additionalProperties: false },
);

export const HoldResult = Type.Object({
  external_ref: Type.String(),
  in_force: Type.Boolean({
    description:
      'Nothing of the subject is erased any more. `false` for a hold that stands as long as a ' +
      'worker ends the step of an erasure that it had begun before',
  }),
  state: Type.Union([oneOf(HOLD_STATES), Type.Null()]),
  reason: Nullable('string'),
  until: NullableTime,
  asked_by: Nullable('string'),
  asked_at: NullableTime,
  placed_by: Nullable('string'),
  extension: Type.Union([
    Type.Object({
      asked_by: Type.String(),
      reason: Type.String(),
      until: Type.String({ format: 'date-time' }),
    }),
    Type.Null(),
  ]),
  lift_asked_by: Nullable('string'),
  lift_reason: Nullable('string'),
  lifted_by: Nullable('string'),
  changed_at: NullableTime,
});

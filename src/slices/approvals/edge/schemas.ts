/** Requests for a second signature as they stand on the wire. */
import { type Static, Type } from 'typebox';
import { inWords } from '#core/kernel';
import { CURSOR_CHARS_MAX, PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from '#platform/limits';
import { APPROVAL_STATES } from '#slices/approvals';
import { Instant } from '../../../api/instants.ts';
import { Nullable, NullableTime } from '../../../api/nullable.ts';

const RESOURCE_CHARS_MAX = 256;
/** Every source's id, joined by commas, fits. */
const FIELD_CHARS_MAX = 1_024;
const WORDS_CHARS_MAX = 500;
/** 64 bytes in base64. */
const SIGNATURE_CHARS_MAX = 88;

export const AskBody = Type.Object(
  {
    resource: Type.String({
      description: 'As it is signed, e.g. sanctions_source:OFAC_SDN',
      maxLength: RESOURCE_CHARS_MAX,
      minLength: 1,
      ...inWords('a kind, and an id behind a colon', '^[a-z][a-z0-9_-]*(:[A-Za-z0-9_.:-]+)?$'),
    }),
    field: Type.String({
      description: 'As it is signed: the member’s name; of several the names sorted, with commas',
      maxLength: FIELD_CHARS_MAX,
      minLength: 1,
      ...inWords(
        'a list of names (letters, digits, _) with commas',
        '^[A-Za-z0-9_]+(,[A-Za-z0-9_]+)*$',
      ),
    }),
    new_value: Type.Unknown({ description: 'As it is signed' }),
    reason: Type.String({
      description: 'Why; kept with the change',
      maxLength: WORDS_CHARS_MAX,
      minLength: 1,
      ...inWords('a reason in words, not blanks alone', '\\S'),
    }),
  },
  { additionalProperties: false },
);
export type Ask = Static<typeof AskBody>;

export const SignBody = Type.Object(
  {
    signature: Type.String({
      description: 'Base64 Ed25519 of the approver over the bytes of `signing`',
      maxLength: SIGNATURE_CHARS_MAX,
      minLength: 1,
    }),
    timestamp: Instant('As it was signed; within five minutes of now'),
  },
  { additionalProperties: false },
);
export type Sign = Static<typeof SignBody>;

export const RejectBody = Type.Object(
  { comment: Type.Optional(Type.String({ description: 'Why', maxLength: WORDS_CHARS_MAX })) },
  { additionalProperties: false },
);
export type Reject = Static<typeof RejectBody>;

export const ApprovalsQuery = Type.Object(
  {
    state: Type.Optional(Type.Union(APPROVAL_STATES.map((state) => Type.Literal(state)))),
    resource: Type.Optional(Type.String({ maxLength: RESOURCE_CHARS_MAX, minLength: 1 })),
    mine: Type.Optional(
      Type.Boolean({ description: 'true: asked for by the caller; false: to be decided by them' }),
    ),
    cursor: Type.Optional(Type.String({ maxLength: CURSOR_CHARS_MAX, minLength: 1 })),
    limit: Type.Optional(
      Type.Integer({ default: PAGE_LIMIT_DEFAULT, maximum: PAGE_LIMIT_MAX, minimum: 1 }),
    ),
  },
  { additionalProperties: false },
);

const REQUEST = {
  approval_id: Type.String({ format: 'uuid' }),
  resource: Type.String(),
  field: Type.String(),
  old_value: Type.Unknown({ description: 'When it was asked for' }),
  new_value: Type.Unknown(),
  reason: Type.String(),
  base_version: Type.String({ description: 'SHA-256 of the canonical JSON of `old_value`' }),
  state: Type.String({ description: 'open, applied, rejected, withdrawn, expired, stale' }),
  author: Type.String({ description: 'Person id' }),
  signer_roles: Type.Array(Type.String(), {
    description: 'A person with one of them, and not the author, may sign',
  }),
  requested_at: Type.String({ format: 'date-time' }),
  expires_at: Type.String({ format: 'date-time' }),
  ended_at: NullableTime,
  ended_by: Nullable('string', { description: 'Person id; null where it expired' }),
  comment: Nullable('string', { description: 'Why it was rejected' }),
  signed: Type.Object(
    {
      prefix: Type.String(),
      author: Type.String(),
      field: Type.String(),
      new_value: Type.Unknown(),
      resource: Type.String(),
    },
    {
      description:
        'What the approver signs: `prefix` and the canonical JSON (RFC 8785) of the other ' +
        'members with `approver`, their person id, and `timestamp`, RFC 3339 UTC',
    },
  ),
};

export const ApprovalResult = Type.Object(REQUEST);

export const ApprovalApplied = Type.Object({
  ...REQUEST,
  result: Type.Unknown({ description: 'What the operation of the change itself answers' }),
});

export const ApprovalsPage = Type.Object({
  data: Type.Array(ApprovalResult, { description: 'Latest first' }),
  next_cursor: Nullable('string'),
});

export const ApprovalDetail = Type.Object({
  ...REQUEST,
  current: Type.Object({
    value: Type.Unknown({ description: 'What stands there now; null where it cannot be changed' }),
    about: Type.Unknown({ description: 'What helps to decide, or null' }),
  }),
  stale: Type.Boolean({
    description: 'What stands there is not `old_value`, or is not changed so',
  }),
  signing: Type.Unsafe<object | null>({
    description:
      'For a caller who may sign it now: the bytes are `prefix`, `before_timestamp`, the ' +
      'timestamp and `after_timestamp`, in UTF-8; null for every other caller',
    properties: {
      approver: { type: 'string' },
      author: { type: 'string' },
      field: { type: 'string' },
      new_value: {},
      resource: { type: 'string' },
      timestamp: { description: 'null: the time of signing', type: 'null' },
      prefix: { type: 'string' },
      before_timestamp: { type: 'string' },
      after_timestamp: { type: 'string' },
    },
    type: ['object', 'null'],
  }),
});

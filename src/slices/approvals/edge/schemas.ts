/** Requests for a second signature as they stand on the wire. */
import { type Static, Type } from 'typebox';
import { approvalMessage } from '#core/identity';
import { inWords } from '#core/kernel';
import { type EpochMs, toTimestamp } from '#platform/clock';
import { CURSOR_CHARS_MAX, PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from '#platform/limits';
import { APPROVAL_STATES, type ApprovalRequest, stateOf } from '#slices/approvals';
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
      ...inWords('a kind, and an id behind a colon', '^[a-z][a-z0-9_]*(:[A-Za-z0-9_.-]+)?$'),
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

/** What stands there now; absent where the change cannot be made as it was asked for. */
export interface Current {
  readonly old: unknown;
  readonly about?: unknown;
  readonly isStale: boolean;
}

const time = (at: EpochMs | undefined) => (at === undefined ? null : toTimestamp(at));

export function presentRequest(request: ApprovalRequest, now: EpochMs) {
  const { authorId, field, newValue, resource } = request;
  return {
    approval_id: request.approvalId,
    resource,
    field,
    old_value: request.oldValue,
    new_value: newValue,
    reason: request.reason,
    base_version: request.baseVersion,
    state: stateOf(request, now),
    author: authorId,
    signer_roles: request.signerRoles,
    requested_at: toTimestamp(request.requestedAt),
    expires_at: toTimestamp(request.expiresAt),
    ended_at: time(request.endedAt),
    ended_by: request.endedBy ?? null,
    comment: request.comment ?? null,
    signed: { author: authorId, field, new_value: newValue, prefix: PREFIX, resource },
  };
}

export function presentDetail(
  request: ApprovalRequest,
  of: {
    readonly now: EpochMs;
    readonly current: Current | undefined;
    /** Person id of a caller who may sign. */
    readonly approver: string | undefined;
  },
) {
  const { approver, current, now } = of;
  return {
    ...presentRequest(request, now),
    current: { about: current?.about ?? null, value: current?.old ?? null },
    stale: current?.isStale ?? true,
    signing: approver === undefined ? null : presentSigning(request, approver),
  };
}

const PREFIX = 'dual-control-v1\0';
/** The timestamp is the last member of the canonical JSON. */
const AFTER_TIMESTAMP = '"}';

function presentSigning(
  { authorId, field, newValue, resource }: ApprovalRequest,
  approver: string,
) {
  const signers = { approver, author: authorId, timestamp: '' };
  const message = approvalMessage({ field, newValue, resource }, signers);
  const text = Buffer.from(message).toString('utf8');
  return {
    approver,
    author: authorId,
    field,
    new_value: newValue,
    resource,
    timestamp: null,
    prefix: PREFIX,
    before_timestamp: text.slice(PREFIX.length, -AFTER_TIMESTAMP.length),
    after_timestamp: AFTER_TIMESTAMP,
  };
}

/** Cases as they stand on the wire. */
import { type TSchema, Type } from 'typebox';
import { inWords } from '#core/kernel';
import { CURSOR_CHARS_MAX, PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from '#platform/limits';
import {
  CASE_STATUSES,
  CHECK_STATUSES,
  CHECK_TYPES,
  CONSENT_METHODS,
  CONSENT_PURPOSES,
  DECISIONS,
  DOCUMENT_KINDS,
  EXTERNAL_REF_CHARS_MAX,
  RISK_TIERS,
  SUBJECT_TYPES,
} from '#slices/customers';
import { readable } from '../../../api/freeText.ts';
import { Instant } from '../../../api/instants.ts';
import { Nullable, NullableTime } from '../../../api/nullable.ts';
import { Locale, SubjectResult, WorkflowCode } from '../schemas.ts';

export { CodeWord, CreateBody, Locale, WorkflowCode } from '../schemas.ts';

export const STRICT = { additionalProperties: false } as const;
export const oneOf = <Word extends string>(words: readonly Word[], description?: string) =>
  Type.Union(
    words.map((word) => Type.Literal(word)),
    description === undefined ? {} : { description },
  );
export const Time = Type.String({ format: 'date-time' });
export const Uuid = Type.String({ format: 'uuid' });
const nullable = (schema: TSchema) => Type.Union([schema, Type.Null()]);
/** Text that a person reads, of 1 character or more. */
export const Words = (maxLength: number, description?: string) =>
  Type.String({ maxLength, minLength: 1, ...readable, ...(description && { description }) });

export const PatchBody = Type.Object(
  {
    subject: Type.Optional(
      Type.Record(Type.String({ maxLength: 64 }), Type.Unknown(), {
        description: 'A merge patch (RFC 7396) of the subject: null takes a member away',
      }),
    ),
    locale: Type.Optional(Locale),
    assignee: Type.Optional(Nullable('string', { maxLength: 256, minLength: 1, ...readable })),
  },
  STRICT,
);

export const ConsentBody = Type.Object(
  {
    purpose: oneOf(CONSENT_PURPOSES),
    text_version: Words(64),
    text_sha256: Type.Optional(
      Type.String({ maxLength: 64, ...inWords('a digest of 64 hex digits', '^[0-9a-f]{64}$') }),
    ),
    given: Type.Boolean({ description: '`false` withdraws' }),
    given_at: Type.Optional(Instant('When it was given; absent: now')),
    method: oneOf(CONSENT_METHODS),
    locale: Locale,
    expires_at: Type.Optional(Instant('When it ends by itself')),
  },
  STRICT,
);

const Audit = Type.Object({
  event_id: Uuid,
  seq: Type.Integer(),
  hash: Type.String({ pattern: '^[0-9a-f]{64}$' }),
});
export const ConsentResult = Type.Object({
  consent_id: Uuid,
  case_id: Uuid,
  purpose: oneOf(CONSENT_PURPOSES),
  given: Type.Boolean(),
  recorded_at: Time,
  audit: Audit,
});

export const CasesQuery = Type.Object(
  {
    status: Type.Optional(oneOf(CASE_STATUSES)),
    risk_tier: Type.Optional(oneOf(RISK_TIERS)),
    external_ref: Type.Optional(
      Words(EXTERNAL_REF_CHARS_MAX, 'The caller’s own reference of the customer'),
    ),
    assignee: Type.Optional(Words(256)),
    workflow_code: Type.Optional(WorkflowCode),
    cursor: Type.Optional(Type.String({ maxLength: CURSOR_CHARS_MAX, minLength: 1 })),
    limit: Type.Optional(
      Type.Integer({ default: PAGE_LIMIT_DEFAULT, maximum: PAGE_LIMIT_MAX, minimum: 1 }),
    ),
  },
  STRICT,
);

const ROW = {
  assignee: Nullable('string'),
  case_id: Uuid,
  created_at: Time,
  decided_at: NullableTime,
  external_ref: Type.String(),
  proposed_decision: nullable(oneOf(['approve', 'reject'])),
  risk_tier: nullable(oneOf(RISK_TIERS)),
  status: oneOf(CASE_STATUSES),
  subject_id: Uuid,
  subject_type: oneOf(SUBJECT_TYPES),
  updated_at: Time,
  version: Type.Integer(),
  workflow_code: Type.String(),
};
export const CasesPage = Type.Object({
  data: Type.Array(Type.Object(ROW)),
  next_cursor: Nullable('string'),
});

const DecisionResult = Type.Object({
  confirmed_by: Nullable('string'),
  decided_at: Time,
  decided_by: Type.String(),
  decision: oneOf(DECISIONS),
  decision_id: Uuid,
  documents: Type.Array(oneOf(DOCUMENT_KINDS)),
  email_template: Nullable('string'),
  mode: oneOf(['automatic', 'manual']),
  reason_code: Type.String(),
});

const CheckResult = Type.Object({
  at: Time,
  check_id: Uuid,
  evidence: Type.Record(Type.String(), Type.Unknown()),
  reason_codes: Type.Array(Type.String()),
  status: oneOf(CHECK_STATUSES),
  type: oneOf(CHECK_TYPES),
});

const ConsentRow = Type.Object({
  consent_id: Uuid,
  expires_at: NullableTime,
  given: Type.Boolean(),
  given_at: Time,
  locale: Type.String(),
  method: oneOf(CONSENT_METHODS),
  purpose: oneOf(CONSENT_PURPOSES),
  recorded_at: Time,
  recorded_by: Type.String(),
  text_sha256: Nullable('string'),
  text_version: Type.String(),
});

const DocumentRow = Type.Object({
  document_id: Uuid,
  kind: oneOf(DOCUMENT_KINDS),
  sha256: Type.String(),
  superseded_by: Nullable('string'),
  uploaded_at: Time,
});

const OriginResult = Type.Object({
  at: Time,
  ref: Nullable('string'),
  source: oneOf(['api', 'form', 'document', 'registry', 'agent']),
});

export const CaseResult = Type.Object({
  ...ROW,
  checks: Type.Array(CheckResult),
  consents: Type.Array(ConsentRow),
  created_by: Type.String(),
  decision: nullable(DecisionResult),
  documents: Type.Array(DocumentRow),
  erased_at: NullableTime,
  expires_at: NullableTime,
  form: nullable(Type.Object({ form_id: Uuid, submission_id: Uuid, version: Type.String() })),
  locale: Type.String(),
  missing: Type.Array(
    Type.Object({ kind: oneOf(['consent', 'document', 'field']), name: Type.String() }),
  ),
  next_review_at: NullableTime,
  opposed: Type.Boolean(),
  pending: nullable(DecisionResult),
  processing_restricted: Type.Boolean(),
  provenance: nullable(Type.Record(Type.String(), OriginResult)),
  retention_until: NullableTime,
  risk: nullable(
    Type.Object({
      evaluation_id: Uuid,
      level: Type.String(),
      policy_version: Type.Integer(),
      score: Type.Number(),
    }),
  ),
  rounds: Type.Integer(),
  screening: nullable(
    Type.Object({
      decision: Type.String(),
      list_version: Type.String(),
      screening_id: Uuid,
    }),
  ),
  status_reason: Nullable('string'),
  subject: nullable(SubjectResult),
  submitted_at: NullableTime,
  superseded_by: Nullable('string'),
  workflow_version: Type.Integer(),
});

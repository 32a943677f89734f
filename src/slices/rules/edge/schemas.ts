/** Rules, suppressions and backtests as they stand on the wire. */
import { type Static, Type } from 'typebox';
import { CURSOR_CHARS_MAX, PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from '#platform/limits';
import { DRY_RUN_MAX, REASON_CHARS_MAX, RULE_STATUSES, SUPPRESSION_DAYS_MAX } from '#slices/rules';
import { readable } from '../../../api/freeText.ts';
import { Instant } from '../../../api/instants.ts';
import { Nullable, NullableTime } from '../../../api/nullable.ts';

const SIGNATURE_CHARS = 88;
const TIMESTAMP_CHARS_MAX = 24;
const PERSON_CHARS_MAX = 64;
const ID_CHARS_MAX = 64;
const HASH = 'SHA-256 of the canonical JSON, 64 hex characters';
const closed = { additionalProperties: false } as const;
const oneOf = <Word extends string>(words: readonly Word[]) =>
  Type.Union(words.map((word) => Type.Literal(word)));

const Words = (description: string) =>
  Type.String({ description, maxLength: REASON_CHARS_MAX, minLength: 1, ...readable });

/** The document; what is wrong with it is told by the rules of the language, all at once. */
const RuleDocument = Type.Unsafe<object>({
  description: 'A rule of the language tm-rule v1: /schemas/aml/tm-rule.v1.json',
  type: 'object',
});

export const SaveBody = Type.Object({ content: RuleDocument, justification: Words('Why') }, closed);
export type Save = Static<typeof SaveBody>;

const Signature = Type.Object({
  signer: Type.String(),
  roles: Type.Array(Type.String()),
  key_id: Type.String(),
  timestamp: Type.String({ format: 'date-time' }),
  signature: Type.String(),
});

export const RuleVersion = Type.Object({
  rule_id: Type.String(),
  version: Type.Integer({ minimum: 1 }),
  status: oneOf(RULE_STATUSES),
  base_version: Type.Integer({ description: 'In force when it was drafted; 0: none', minimum: 0 }),
  content: RuleDocument,
  content_hash: Type.String({ description: HASH }),
  justification: Type.String(),
  of_pack: Type.Boolean({ description: 'As the release has it: nobody has changed it yet' }),
  created_by: Type.String(),
  created_at: Type.String({ format: 'date-time' }),
  updated_by: Type.String(),
  updated_at: Type.String({ format: 'date-time' }),
  etag: Type.String(),
  signatures: Type.Array(Signature),
  signed_until: NullableTime,
  published_at: NullableTime,
  archived_at: NullableTime,
  from_tseq: Nullable('integer', { description: 'The first transaction that it is in force for' }),
  to_tseq: Nullable('integer', { description: 'The last one' }),
  signing: Type.Unsafe<object | null>({
    description: 'Members of the bytes that both persons sign (decision 3.3); null: no draft',
    type: ['object', 'null'],
  }),
});

export const RulesPage = Type.Object({
  data: Type.Array(RuleVersion, { description: 'By id, the last version of each first' }),
  decided_by_screening: Type.Array(
    Type.Object({
      rule_id: Type.String(),
      name: Type.Unsafe<object>({ type: 'object' }),
      severity: Type.String(),
      typologies: Type.Array(Type.String()),
      decided_by: Type.String(),
    }),
  ),
});

export const RulesQuery = Type.Object(
  {
    rule_id: Type.Optional(Type.String({ maxLength: ID_CHARS_MAX, minLength: 1 })),
    status: Type.Optional(oneOf(RULE_STATUSES)),
  },
  closed,
);

const SIGNED = {
  signature: Type.String({ description: 'Base64', maxLength: SIGNATURE_CHARS, minLength: 1 }),
  timestamp: Type.String({ description: 'RFC 3339', maxLength: TIMESTAMP_CHARS_MAX, minLength: 1 }),
};
const GivenSignature = Type.Object(
  {
    ...SIGNED,
    signer: Type.Optional(
      Type.String({ description: 'Person id', maxLength: PERSON_CHARS_MAX, minLength: 1 }),
    ),
  },
  closed,
);

export const PublishBody = Type.Object(
  {
    signature: Type.Optional(SIGNED.signature),
    timestamp: Type.Optional(SIGNED.timestamp),
    signatures: Type.Optional(Type.Array(GivenSignature, { maxItems: 2, minItems: 1 })),
    comment: Type.Optional(Words('Kept beside the signature')),
  },
  closed,
);
export type Publish = Static<typeof PublishBody>;

export const DryRunBody = Type.Object(
  {
    transactions: Type.Array(
      Type.Unsafe<object>({ description: 'Canonical transactions (json_service)', type: 'object' }),
      { maxItems: DRY_RUN_MAX, minItems: 1 },
    ),
  },
  closed,
);
export type DryRun = Static<typeof DryRunBody>;

const Explanation = Type.Unsafe<object | null>({
  description: 'Each comparison with value, bound, window and transactions; a text',
  type: ['object', 'null'],
});

export const DryRunResults = Type.Object({
  rule_id: Type.String(),
  version: Type.Integer(),
  data: Type.Array(
    Type.Object({
      tx_id: Type.String(),
      in_scope: Type.Boolean(),
      met: Type.Unsafe<boolean | null>({
        description: 'null: unknown, or out of scope',
        type: ['boolean', 'null'],
      }),
      not_evaluated: Type.Array(Type.String()),
      explanation: Explanation,
    }),
    { description: 'In the order of events; tseqs are places in the body, from 1' },
  ),
});

export const BacktestBody = Type.Object(
  {
    from: Type.Optional(Instant('Occurred then or later; without: 90 days before')),
    to: Type.Optional(Instant('Occurred before then; without: now')),
  },
  closed,
);
export type BacktestGiven = Static<typeof BacktestBody>;

export const BacktestResult = Type.Object({
  backtest_id: Type.String({ format: 'uuid' }),
  rule_id: Type.String(),
  version: Type.Integer(),
  content_hash: Type.String({ description: HASH }),
  from: Type.String({ format: 'date-time' }),
  to: Type.String({ format: 'date-time' }),
  status: oneOf(['queued', 'completed', 'failed']),
  failure: Nullable('string'),
  requested_by: Type.String(),
  requested_at: Type.String({ format: 'date-time' }),
  ended_at: NullableTime,
  report: Type.Unsafe<object | null>({
    description: 'Evaluated, matched, alerts and subjects, alerts a day, difference, examples',
    type: ['object', 'null'],
  }),
});

export const SuppressBody = Type.Object(
  {
    alert_id: Type.String({
      description: 'An alert: its rule raises nothing more about its subject',
      maxLength: ID_CHARS_MAX,
      minLength: 1,
    }),
    reason: Words('Why'),
    expires_at: Instant(`Until then, ${SUPPRESSION_DAYS_MAX} days at the most`),
  },
  closed,
);
export type Suppress = Static<typeof SuppressBody>;

export const SuppressionResult = Type.Object({
  suppression_id: Type.String({ format: 'uuid' }),
  rule_id: Type.String(),
  subject_kind: Type.String(),
  subject_key: Type.String({ description: 'Keyed digest of the subject' }),
  reason: Type.String(),
  status: oneOf(['proposed', 'active', 'expired', 'ended']),
  created_by: Type.String(),
  created_at: Type.String({ format: 'date-time' }),
  approved_by: Nullable('string'),
  expires_at: Type.String({ format: 'date-time' }),
  ended_at: NullableTime,
  etag: Type.String(),
});

export const SuppressionsPage = Type.Object({
  data: Type.Array(SuppressionResult, { description: 'Latest first' }),
  next_cursor: Nullable('string'),
});

export const SuppressionsQuery = Type.Object(
  {
    cursor: Type.Optional(Type.String({ maxLength: CURSOR_CHARS_MAX, minLength: 1 })),
    limit: Type.Optional(
      Type.Integer({ default: PAGE_LIMIT_DEFAULT, maximum: PAGE_LIMIT_MAX, minimum: 1 }),
    ),
  },
  closed,
);

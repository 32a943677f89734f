/**
 * Policies as they stand on the wire. The content is described twice by one function: as it is
 * published, with all that JSON Schema can say, and as it is sent, where a threshold out of range
 * and a source that there is not are told as broken rules (422), not as a wrong shape (400).
 */
import { type Static, type TSchema, Type } from 'typebox';
import { CURSOR_CHARS_MAX, PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from '#platform/limits';
import { SOURCE_IDS } from '#slices/ingestion';
import {
  AS_SCREENING,
  FOUR_EYES,
  JUSTIFICATION_CHARS_MAX,
  POLICY_STATUSES,
  type PolicyContent,
  SIMULATED_EXAMPLES_MAX,
  SIMULATED_SCREENINGS_MAX,
} from '#slices/policies';
import { DECISIONS, RERANKERS } from '#slices/screening';
import { readable } from '../../../api/freeText.ts';
import { Instant } from '../../../api/instants.ts';
import { Nullable, NullableTime } from '../../../api/nullable.ts';

const CRON_CHARS_MAX = 120;
const SOURCE_CHARS_MAX = 32;
const SIGNATURE_CHARS = 88;
const TIMESTAMP_CHARS_MAX = 24;
const PERSON_CHARS_MAX = 64;
const HASH = 'SHA-256 of the canonical JSON, 64 hex characters';

const closed = { additionalProperties: false } as const;
const oneOf = <Word extends string>(words: readonly Word[]) =>
  Type.Union(words.map((word) => Type.Literal(word)));
const Fraction = Type.Number({ maximum: 1, minimum: 0 });
const whole = (minimum: number, maximum: number) => Type.Integer({ maximum, minimum });
const same = <Name extends string>(names: readonly Name[], of: TSchema) =>
  Type.Object(Object.fromEntries(names.map((name) => [name, of])), closed);

const TYPOLOGIES = DECISIONS.filter((decision) => decision !== 'CLEAR');
const Switch = Type.Object(
  {
    enabled: Type.Boolean({ description: 'Off: the list is left out of all screenings' }),
    cadence_override: Type.Optional(
      Type.String({
        description: 'Quartz, six fields, UTC: fires beside those of the schedule',
        maxLength: CRON_CHARS_MAX,
        minLength: 1,
      }),
    ),
  },
  closed,
);

const Flags = Type.Object(
  {
    commercial_enabled: Type.Boolean(),
    cache_ttl_hours: whole(0, 168),
    topN: whole(1, 50),
    audit_export_enabled: Type.Boolean(),
    continuous_screening_enabled: Type.Boolean(),
    exclusions_enabled: Type.Boolean(),
    exclusion_max_days: whole(1, 1_095),
    four_eyes: oneOf(FOUR_EYES),
    auto_alert_typologies: Type.Array(oneOf(TYPOLOGIES), {
      maxItems: TYPOLOGIES.length,
      uniqueItems: true,
    }),
  },
  closed,
);

function contentOf(of: { readonly sources: TSchema; readonly threshold: TSchema }) {
  const thresholds = same(['direct', 'pep', 'rca_1', 'rca_2', 'adverse_media'], of.threshold);
  return Type.Object(
    {
      sources: of.sources,
      thresholds: Type.Unsafe<PolicyContent['thresholds']>({
        ...thresholds,
        description: '0 to 1, with rca_2 <= rca_1 <= pep <= direct',
      }),
      weights: Type.Unsafe<PolicyContent['weights']>({
        ...same(['name', 'phonetic', 'dob', 'nationality', 'alias'], Fraction),
        description: 'They sum to 1.0',
      }),
      boosts: same(['SAN', 'PEP', 'RCA', 'SI', 'DI'], Fraction),
      missing_attributes: oneOf(['rescale', 'zero']),
      phonetic_names: oneOf(['all', 'primary']),
      reranker_version: oneOf(RERANKERS),
      batch_reranker_version: oneOf([AS_SCREENING, ...RERANKERS]),
      rca_depth_decay: same(['depth_1', 'depth_2'], Fraction),
      flags: Flags,
    },
    closed,
  );
}

const switches = Object.fromEntries(SOURCE_IDS.map((id) => [id, Type.Optional(Switch)]));

/** All that JSON Schema can say of a content. */
export const PublishedContent = contentOf({
  sources: Type.Object(switches, { ...closed, description: 'A source without a switch is on' }),
  threshold: Fraction,
});

const ContentBody = contentOf({
  sources: Type.Record(Type.String({ maxLength: SOURCE_CHARS_MAX }), Switch, {
    description: `By id: ${SOURCE_IDS.join(', ')}. A source without a switch is on`,
    maxProperties: SOURCE_IDS.length * 2,
  }),
  // Whether it is within 0 and 1 is told with the other rules.
  threshold: Type.Number({ maximum: 1_000, minimum: -1_000 }),
});

const Justification = Type.String({
  description: 'Why; 100 characters or more where a sanctions list is turned off',
  maxLength: JUSTIFICATION_CHARS_MAX,
  minLength: 1,
  ...readable,
});
const Comment = Type.String({ maxLength: JUSTIFICATION_CHARS_MAX, minLength: 1, ...readable });
const Signature = Type.String({
  description: 'Ed25519 over the bytes of docs/policies.md, base64',
  maxLength: SIGNATURE_CHARS,
  minLength: SIGNATURE_CHARS,
});
const Timestamp = Type.String({
  description: 'RFC 3339 UTC, as it was signed; within five minutes of now',
  maxLength: TIMESTAMP_CHARS_MAX,
  minLength: 1,
});

const Signatures = Type.Array(
  Type.Object(
    {
      signer: Type.String({
        description: 'Person id',
        maxLength: PERSON_CHARS_MAX,
        minLength: 1,
      }),
      signature: Signature,
      timestamp: Timestamp,
    },
    closed,
  ),
  { description: 'Of both persons', maxItems: 2, minItems: 2 },
);

export const SaveBody = Type.Object(
  {
    content: ContentBody,
    justification: Justification,
    signatures: Type.Optional(Signatures),
    comment: Type.Optional(Comment),
  },
  closed,
);
export type Save = Omit<Static<typeof SaveBody>, 'content'> & { readonly content: PolicyContent };

export const CopyBody = Type.Object(
  {
    justification: Type.Optional(Justification),
    replace: Type.Optional(Type.Boolean({ description: 'Also where a draft stands' })),
  },
  closed,
);
export type Copy = Static<typeof CopyBody>;

export const PublishBody = Type.Object(
  {
    signature: Type.Optional(Signature),
    timestamp: Type.Optional(Timestamp),
    signatures: Type.Optional(Signatures),
    comment: Type.Optional(Comment),
  },
  { ...closed, description: '`signature` and `timestamp` of the caller, or both `signatures`' },
);
export type Publish = Static<typeof PublishBody>;

export const PoliciesQuery = Type.Object(
  {
    cursor: Type.Optional(Type.String({ maxLength: CURSOR_CHARS_MAX, minLength: 1 })),
    limit: Type.Optional(
      Type.Integer({ default: PAGE_LIMIT_DEFAULT, maximum: PAGE_LIMIT_MAX, minimum: 1 }),
    ),
  },
  closed,
);

const Given = Type.Object({
  signer: Type.String({ description: 'Person id' }),
  roles: Type.Array(Type.String()),
  key_id: Type.String(),
  timestamp: Type.String(),
  signature: Type.String(),
});

export const Policy = Type.Object({
  version: Type.Integer({ minimum: 1 }),
  status: oneOf(POLICY_STATUSES),
  base_version: Type.Integer({ description: '0: there was none', minimum: 0 }),
  content: PublishedContent,
  content_hash: Type.String({ description: HASH }),
  change_summary: Type.Array(
    Type.Object({ pointer: Type.String(), old: Type.Unknown(), new: Type.Unknown() }),
    { description: 'Against the base version' },
  ),
  justification: Type.String(),
  created_by: Type.String(),
  created_at: Type.String({ format: 'date-time' }),
  updated_by: Type.String({ description: 'The author in the signed bytes' }),
  updated_at: Type.String({ format: 'date-time' }),
  etag: Type.String({ description: 'As If-Match names it' }),
  signatures: Type.Array(Given),
  signed_until: NullableTime,
  published_at: NullableTime,
  archived_at: NullableTime,
  signing: Type.Unsafe<unknown>({
    description: 'What both persons sign, without approver and timestamp; null for no draft',
    type: ['object', 'null'],
  }),
});

export const Policies = Type.Object({
  active: Type.Unsafe<unknown>({ ...Policy, type: ['object', 'null'] }),
  drafts: Type.Array(Policy),
  history: Type.Array(Policy, { description: 'Archived and discarded, the newest first' }),
  history_cursor: Nullable('string'),
});

/** `signing` of a draft. */
export const SignedMembers = Type.Object(
  {
    author: Type.String({ minLength: 1 }),
    field: Type.Literal('publish'),
    new_value: Type.Object(
      {
        base_version: Type.Integer({ minimum: 0 }),
        content_hash: Type.String({ minLength: 1 }),
        version: Type.Integer({ minimum: 1 }),
      },
      closed,
    ),
    resource: Type.Literal('sanctions_policy'),
  },
  closed,
);

const DAYS_DEFAULT = 30;
export const SAMPLE_DEFAULT = 1_000;
/** Without `from`: this long before `to`. */
export const SIMULATED_MS_DEFAULT = DAYS_DEFAULT * 24 * 3_600_000;

export const SimulateBody = Type.Object(
  {
    from: Type.Optional(Instant(`Screened then or later; without: ${DAYS_DEFAULT} days before`)),
    to: Type.Optional(Instant('Screened before then; without: now')),
    sample: Type.Optional(
      Type.Integer({
        default: SAMPLE_DEFAULT,
        description: 'Spread evenly over the time',
        maximum: SIMULATED_SCREENINGS_MAX,
        minimum: 1,
      }),
    ),
  },
  closed,
);
export type Simulate = Static<typeof SimulateBody>;

const Counts = Type.Record(Type.String(), Type.Integer(), { description: 'By decision' });
const Verdict = Type.Object({
  decision: oneOf(DECISIONS),
  hits: Type.Array(Type.Object({ ftm_id: Type.String(), typology: Type.String() })),
});

export const SimulationResult = Type.Object({
  version: Type.Integer({ minimum: 1 }),
  base_version: Type.Integer({ description: 'In force; what it is compared with', minimum: 1 }),
  content_hash: Type.String({ description: HASH }),
  list_version: Type.String({ description: 'The lists in force, over which both are scored' }),
  from: Type.String({ format: 'date-time' }),
  to: Type.String({ format: 'date-time' }),
  screened: Type.Integer({ minimum: 0 }),
  erased: Type.Integer({ description: 'Screenings whose query is erased', minimum: 0 }),
  complete: Type.Boolean({ description: 'False: time was over before the sample was' }),
  before: Counts,
  after: Counts,
  hits_before: Type.Integer({ minimum: 0 }),
  hits_after: Type.Integer({ minimum: 0 }),
  changed: Type.Integer({ description: 'With another decision, or other hits', minimum: 0 }),
  shifts: Type.Array(
    Type.Object({
      from: oneOf(DECISIONS),
      to: oneOf(DECISIONS),
      count: Type.Integer({ minimum: 1 }),
    }),
    { description: 'The most frequent first' },
  ),
  examples: Type.Array(
    Type.Object({
      screening_id: Type.String({ format: 'uuid' }),
      occurred_at: Type.String({ format: 'date-time' }),
      before: Verdict,
      after: Verdict,
    }),
    { maxItems: SIMULATED_EXAMPLES_MAX },
  ),
});

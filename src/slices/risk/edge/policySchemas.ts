/** Risk policies as they stand on the wire. Rules between members are told as broken (422). */
import { type Static, type TSchema, Type } from 'typebox';
import { inWords } from '#core/kernel';
import { CURSOR_CHARS_MAX, PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from '#platform/limits';
import {
  DIMENSIONS,
  FACT_CHARS_MAX,
  FACTORS_MAX,
  FORCES,
  NAME_CHARS_MAX,
  OVERRIDES_MAX,
  POINTS_MAX,
  POLICY_STATUSES,
  TABLE_VALUES_MAX,
  UNIT,
} from '#slices/risk';
import { readable } from '../../../api/freeText.ts';
import { Nullable, NullableTime } from '../../../api/nullable.ts';

const STRICT = { additionalProperties: false } as const;
const ID_CHARS_MAX = 64;
const LABEL_CHARS_MAX = 500;
export const oneOf = <Word extends string>(words: readonly Word[], description?: string) =>
  Type.Union(
    words.map((word) => Type.Literal(word)),
    description === undefined ? {} : { description },
  );
const Points = Type.Integer({ maximum: POINTS_MAX, minimum: 0 });
const Threshold = Type.Integer({ maximum: POINTS_MAX, minimum: 0 });
const Basis = Type.Integer({ maximum: UNIT, minimum: 0 });
const Id = Type.String({
  maxLength: ID_CHARS_MAX,
  ...inWords('a lower-case letter, then such letters, digits and _', '^[a-z][a-z0-9_]*$'),
});
const FactName = Type.String({
  description: 'A fact of the catalogue, such as geo.residence',
  maxLength: ID_CHARS_MAX,
  minLength: 1,
});
/** Its grammar is checked with the rules: pointers then go into the condition. */
const When = Type.Unsafe<object>({
  description: '`all`, `any`, `not`, or a comparison: `field`, `op` and `value`',
  type: 'object',
});

const Text = Type.String({ maxLength: LABEL_CHARS_MAX, minLength: 1, ...readable });
const ANY_FACTOR = {
  id: Id,
  dimension: oneOf(DIMENSIONS),
  missing_points: Type.Optional(
    Type.Integer({
      description: 'Where the fact is missing; absent: 60',
      maximum: POINTS_MAX,
      minimum: 0,
    }),
  ),
  label: Type.Optional(Type.Object({ ar: Text, en: Text, fr: Text }, STRICT)),
};

const TableFactor = Type.Object(
  {
    ...ANY_FACTOR,
    fact: FactName,
    table: Type.Record(Type.String({ maxLength: FACT_CHARS_MAX, minLength: 1 }), Points, {
      description: 'Points by value; `*` is every other one',
      maxProperties: TABLE_VALUES_MAX + 1,
      minProperties: 1,
    }),
  },
  STRICT,
);
const BandsFactor = Type.Object(
  {
    ...ANY_FACTOR,
    fact: FactName,
    bands: Type.Array(Type.Object({ lt: Type.Optional(Type.Integer()), points: Points }, STRICT), {
      description: 'The first one that the number is less than; the last has no end',
      maxItems: TABLE_VALUES_MAX,
      minItems: 1,
    }),
  },
  STRICT,
);
const ConditionFactor = Type.Object({ ...ANY_FACTOR, points: Points, when: When }, STRICT);

const each = <Of extends TSchema>(of: Of) =>
  Object.fromEntries(DIMENSIONS.map((name) => [name, of])) as Record<
    (typeof DIMENSIONS)[number],
    Of
  >;
const Weights = Type.Object(each(Basis), { ...STRICT, description: 'They sum to 10,000' });
const Combine = Type.Object(each(oneOf(['max', 'sum'])), STRICT);
const Thresholds = Type.Object(
  {
    standard: Threshold,
    high: Threshold,
    prohibited: Type.Unsafe<number | null>({
      description: 'null: overrides alone prohibit',
      maximum: POINTS_MAX,
      minimum: 0,
      type: ['integer', 'null'],
    }),
  },
  STRICT,
);
const Factors = Type.Array(Type.Union([TableFactor, BandsFactor, ConditionFactor]), {
  maxItems: FACTORS_MAX,
});
const Overrides = Type.Array(
  Type.Object(
    { id: Id, when: When, force: oneOf(Object.keys(FORCES) as (keyof typeof FORCES)[]) },
    STRICT,
  ),
  { maxItems: OVERRIDES_MAX },
);
const Incomplete = oneOf(
  ['review', 'accept'],
  'review: nothing is approved by itself where facts were missing',
);

const PATCH = {
  weights: Type.Optional(Type.Partial(Weights)),
  combine: Type.Optional(Type.Partial(Combine)),
  thresholds: Type.Optional(Type.Partial(Thresholds)),
  factors: Type.Optional(Factors),
  overrides: Type.Optional(Overrides),
  on_incomplete: Type.Optional(Incomplete),
};
const Name = Type.String({ maxLength: NAME_CHARS_MAX, minLength: 1, ...readable });

export const DraftBody = Type.Object(
  {
    name: Name,
    based_on: Type.Optional(
      Type.String({ description: 'A policy; absent: that in force', format: 'uuid' }),
    ),
    ...PATCH,
  },
  STRICT,
);
export const PatchBody = Type.Object({ name: Type.Optional(Name), ...PATCH }, STRICT);

export const PoliciesQuery = Type.Object(
  {
    status: Type.Optional(oneOf(POLICY_STATUSES)),
    cursor: Type.Optional(Type.String({ maxLength: CURSOR_CHARS_MAX, minLength: 1 })),
    limit: Type.Optional(
      Type.Integer({ default: PAGE_LIMIT_DEFAULT, maximum: PAGE_LIMIT_MAX, minimum: 1 }),
    ),
  },
  STRICT,
);
export type PoliciesAsk = Static<typeof PoliciesQuery>;

const ROW = {
  policy_id: Type.String({ format: 'uuid' }),
  name: Type.String(),
  version: Nullable('integer', { description: 'Given when it is published' }),
  status: oneOf(POLICY_STATUSES),
  in_force: Type.Boolean(),
  content_hash: Type.String({ description: 'SHA-256 of the canonical content' }),
  based_on: Type.String({ format: 'uuid' }),
  author: Type.String({ description: 'The last editor' }),
  created_by: Type.String(),
  created_at: Type.String({ format: 'date-time' }),
  updated_at: Type.String({ format: 'date-time' }),
  effective_at: NullableTime,
  published_at: NullableTime,
  archived_at: NullableTime,
};
const Violations = (description: string) =>
  Type.Array(Type.Object({ code: Type.String(), detail: Type.String(), pointer: Type.String() }), {
    description,
  });

const Report = Type.Unsafe<object | null>({
  description: 'Report id, digest, and the content that it was made of',
  type: ['object', 'null'],
});

export const RiskPolicySchema = Type.Object({
  ...ROW,
  etag: Type.String(),
  content: Type.Object({
    weights: Weights,
    combine: Combine,
    thresholds: Thresholds,
    factors: Factors,
    overrides: Overrides,
    on_incomplete: Incomplete,
    evaluator_version: Type.String(),
    tables: Type.Array(Type.Object({ name: Type.String(), digest: Type.String() })),
  }),
  reports: Type.Object({ backtest: Report, shadow: Report }),
  shadow_report_id: Nullable('string', { description: 'While it is in shadow' }),
  justification: Nullable('string'),
  approvals: Type.Array(
    Type.Object({
      at: Type.String({ format: 'date-time' }),
      comment: Type.String(),
      key_id: Type.String(),
      person_id: Type.String(),
      role: Type.String(),
      signature: Type.String(),
      timestamp: Type.String(),
    }),
  ),
  signing: Type.Unsafe<object | null>({
    description: 'What approvers sign, but for the timestamp and who they are',
    type: ['object', 'null'],
  }),
  violations: Violations('Rules that it breaks: nothing is decided by it before they are kept'),
  warnings: Violations('What its author should know'),
});
export const PoliciesPage = Type.Object({
  data: Type.Array(Type.Object(ROW)),
  next_cursor: Nullable('string'),
});

/** Evaluations as they stand on the wire: bodies, queries and answers. */
import { Type } from 'typebox';
import { CURSOR_CHARS_MAX, PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from '#platform/limits';
import {
  DIMENSIONS,
  FACT_CHARS_MAX,
  FACT_VALUES_MAX,
  FORCES,
  LEVELS,
  type Level,
  MANUAL_REASON_CHARS_MAX,
  MANUAL_REASON_CHARS_MIN,
} from '#slices/risk';
import { readable } from '../../../api/freeText.ts';
import { Instant } from '../../../api/instants.ts';
import { Nullable } from '../../../api/nullable.ts';
import { oneOf } from './policySchemas.ts';

const STRICT = { additionalProperties: false } as const;
const REF_CHARS_MAX = 128;
const FACTS_MAX = 64;
const FACT_NAME_CHARS_MAX = 64;

const FactText = Type.String({ maxLength: FACT_CHARS_MAX, minLength: 1, ...readable });
export const FactsGiven = Type.Record(
  Type.String({ maxLength: FACT_NAME_CHARS_MAX, minLength: 1 }),
  Type.Union([
    Type.Boolean(),
    Type.Integer(),
    FactText,
    Type.Array(FactText, { maxItems: FACT_VALUES_MAX }),
  ]),
  { maxProperties: FACTS_MAX },
);

export const EvaluateBody = Type.Object(
  {
    client: Type.Union(
      [
        Type.Object(
          {
            external_ref: Type.String({
              maxLength: REF_CHARS_MAX,
              minLength: 1,
              ...readable,
            }),
          },
          STRICT,
        ),
        Type.Object({ case_id: Type.String({ format: 'uuid' }) }, STRICT),
      ],
      { description: 'By your own reference, or by a case' },
    ),
    facts: Type.Optional(FactsGiven),
  },
  STRICT,
);
export const SimulateBody = Type.Object({ facts: FactsGiven }, STRICT);

export const EvaluationsQuery = Type.Object(
  {
    cursor: Type.Optional(Type.String({ maxLength: CURSOR_CHARS_MAX, minLength: 1 })),
    limit: Type.Optional(
      Type.Integer({ default: PAGE_LIMIT_DEFAULT, maximum: PAGE_LIMIT_MAX, minimum: 1 }),
    ),
  },
  STRICT,
);

const Shown = Type.Number({ maximum: 100, minimum: 0 });
const RESULT = {
  level: oneOf(LEVELS),
  level_by_score: oneOf(LEVELS),
  score: Shown,
  dimensions: Type.Array(
    Type.Object({
      name: oneOf(DIMENSIONS),
      weight_bp: Type.Integer(),
      score: Type.Integer(),
      contribution: Shown,
      factors: Type.Array(
        Type.Object({
          id: Type.String(),
          fact: Nullable('string'),
          points: Type.Integer(),
          missing: Type.Boolean(),
        }),
      ),
    }),
  ),
  overrides: Type.Array(
    Type.Object({
      id: Type.String(),
      force: oneOf(Object.keys(FORCES) as (keyof typeof FORCES)[]),
    }),
  ),
  incomplete: Type.Boolean({ description: 'Facts were missing' }),
  missing: Type.Array(Type.String()),
};

export const RiskResultSchema = Type.Object({ ...RESULT, content_hash: Type.String() });

export const EvaluationSchema = Type.Object({
  evaluation_id: Type.String({ format: 'uuid' }),
  client_id: Type.String({ format: 'uuid' }),
  case_id: Type.String({ format: 'uuid' }),
  ...RESULT,
  client_level: oneOf(LEVELS, 'As it counts for the client'),
  manual: Type.Unsafe<object | null>({
    description: 'The level that a person gave the client, or null',
    type: ['object', 'null'],
  }),
  previous_level: Type.Unsafe<string | null>({ enum: [...LEVELS, null] }),
  policy_id: Type.String({ format: 'uuid' }),
  policy_version: Type.Integer(),
  policy_hash: Type.String(),
  evaluator_version: Type.String(),
  screening: Type.Unsafe<object | null>({
    description: 'The screening whose findings counted, with the lists of then',
    type: ['object', 'null'],
  }),
  rescreenings: Type.Array(Type.Object({}, { additionalProperties: true }), {
    description: 'Later re-screenings of the client whose findings counted, oldest first',
  }),
  facts: Type.Unsafe<object | null>({
    description: 'Null once they were erased',
    type: ['object', 'null'],
  }),
  evaluated_at: Type.String({ format: 'date-time' }),
  next_review_at: Type.String({ format: 'date-time' }),
  audit: Type.Object({ event_id: Type.String(), hash: Type.String(), seq: Type.Integer() }),
});
export const EvaluationsPage = Type.Object({
  data: Type.Array(EvaluationSchema),
  next_cursor: Nullable('string'),
});

export const ReplaySchema = Type.Object({
  equal: Type.Boolean(),
  diff: Type.Array(Type.Object({ member: Type.String(), was: Type.Unknown(), is: Type.Unknown() })),
});
export const DistributionSchema = Type.Object({
  clients: Type.Integer(),
  levels: Type.Object(Object.fromEntries(LEVELS.map((level) => [level, Type.Integer()]))),
  incomplete: Type.Integer({ description: 'Clients of whom facts are missing' }),
  complete: Type.Boolean({ description: 'False: there are more clients than were counted' }),
  policy_version: Type.Integer(),
  policy_hash: Type.String(),
});

const Reason = Type.String({
  maxLength: MANUAL_REASON_CHARS_MAX,
  minLength: MANUAL_REASON_CHARS_MIN,
  ...readable,
});
export const OverrideBody = Type.Object(
  { level: oneOf(LEVELS), reason: Reason, until: Instant('When it ends') },
  { additionalProperties: false },
);
export interface OverrideGiven {
  readonly level: Level;
  readonly reason: string;
  readonly until: string;
}
export const EndOverrideBody = Type.Object({ reason: Reason }, { additionalProperties: false });

export const ClientSchema = Type.Object({
  client_id: Type.String({ format: 'uuid' }),
  level: oneOf(LEVELS, 'As it counts'),
  evaluated_level: oneOf(LEVELS, 'By the policy'),
  score: Type.Number({ maximum: 100, minimum: 0 }),
  incomplete: Type.Boolean(),
  evaluation_id: Type.String({ format: 'uuid' }),
  policy_version: Type.Integer(),
  policy_hash: Type.String(),
  evaluated_at: Type.String({ format: 'date-time' }),
  next_review_at: Type.String({ format: 'date-time' }),
  manual: Type.Unsafe<object | null>({
    description: 'The level that a person gave the client: level, from, reason, by, confirmed_by',
    type: ['object', 'null'],
  }),
});

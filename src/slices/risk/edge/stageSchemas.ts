/** Bodies and answers of the stages of a policy: shadow, backtest, approval. */
import { type TSchema, Type } from 'typebox';
import { inWords } from '#core/kernel';
import {
  COMMENT_CHARS_MAX,
  JUSTIFICATION_CHARS_MAX,
  JUSTIFICATION_CHARS_MIN,
  LEVELS,
  OUTCOMES,
  SEGMENT_PATTERN,
  SEGMENTS_WANTED_MAX,
} from '#slices/risk';
import { readable } from '../../../api/freeText.ts';
import { Instant } from '../../../api/instants.ts';
import { oneOf } from './policySchemas.ts';

const STRICT = { additionalProperties: false } as const;
const SIGNATURE_CHARS = 88;
const TIMESTAMP_CHARS_MAX = 24;
const Uuid = Type.String({ format: 'uuid' });

export const SubmitBody = Type.Object(
  {
    backtestReportId: Uuid,
    shadowReportId: Uuid,
    justification: Type.String({
      maxLength: JUSTIFICATION_CHARS_MAX,
      minLength: JUSTIFICATION_CHARS_MIN,
      ...readable,
    }),
    effective_at: Type.Optional(Instant('From when on it decides; absent: at once')),
  },
  STRICT,
);
const Comment = Type.String({ maxLength: COMMENT_CHARS_MAX, ...readable });
export const ApproveBody = Type.Object(
  {
    comment: Comment,
    signature: Type.String({
      description: 'Ed25519, base64',
      maxLength: SIGNATURE_CHARS,
      minLength: SIGNATURE_CHARS,
    }),
    timestamp: Type.String({
      description: 'RFC 3339 UTC, as it was signed; within five minutes',
      maxLength: TIMESTAMP_CHARS_MAX,
      minLength: 1,
    }),
  },
  STRICT,
);
export const CommentBody = Type.Object({ comment: Comment }, STRICT);

export const BacktestBody = Type.Object(
  {
    population: Type.Optional(
      Type.Object(
        {
          from: Instant('Evaluations from then on'),
          segments: Type.Optional(
            Type.Array(Type.String(inWords('a segment such as country:TN', SEGMENT_PATTERN)), {
              description:
                'Clients of these alone, as `country:TN`, `channel:api`, `product:loan`; of each ' +
                'kind that is named one of them. Absent: all clients',
              maxItems: SEGMENTS_WANTED_MAX,
              minItems: 1,
              uniqueItems: true,
            }),
          ),
          to: Instant('And before then'),
        },
        STRICT,
      ),
    ),
  },
  STRICT,
);

const Counts = Type.Array(Type.Integer());
const Matrix = Type.Object({
  cells: Type.Array(Counts, { description: 'Rows are old levels, columns new ones' }),
  columns: Counts,
  levels: Type.Array(oneOf(LEVELS)),
  rows: Counts,
  total: Type.Integer(),
});
const Movements = Type.Array(
  Type.Object({
    count: Type.Integer(),
    examples: Type.Array(Type.String(), { description: 'Ids of evaluations' }),
    from: oneOf(LEVELS),
    share: Type.Number(),
    to: oneOf(LEVELS),
  }),
);
const Overrides = Type.Array(Type.Object({ count: Type.Integer(), id: Type.String() }));
const LeftOut = Type.Record(Type.String(), Type.Integer());
const Nullable = (of: TSchema) => Type.Union([of, Type.Null()]);

export const ShadowMetricsSchema = Type.Object({
  shadowReportId: Uuid,
  policy_id: Uuid,
  content_hash: Type.String(),
  since: Type.String({ format: 'date-time' }),
  evaluations: Type.Integer(),
  complete: Type.Boolean({ description: 'False: workers count on; all that they have is here' }),
  counted: Type.Integer({ description: 'Entries of the chain since that are counted' }),
  to_count: Type.Integer({ description: 'Entries of the chain since' }),
  ready: Type.Boolean({ description: 'Long enough, and enough evaluations, to be submitted' }),
  needed: Type.Object({ days: Type.Integer(), evaluations: Type.Integer() }),
  confusion: Matrix,
  movement: Movements,
  psi: Type.Number(),
  agreement: Type.Number(),
  overrides: Overrides,
  errors: Type.Integer({ description: 'Evaluations that the policy of then does not give again' }),
  left_out: LeftOut,
  latency_us: Type.Object({ p50: Type.Integer(), p95: Type.Integer() }),
});

export const BacktestSchema = Type.Object({
  btrId: Uuid,
  status: oneOf(['queued', 'ready', 'failed']),
});
const Shares = Nullable(
  Type.Object({ high: Type.Number(), low: Type.Number(), share: Type.Number() }),
);
const OUTCOME = {
  cases: Type.Integer({ description: 'Cases to whose client it happened later' }),
  high_after: Type.Integer(),
  high_before: Type.Integer(),
  recall_after: Shares,
  recall_before: Shares,
};
const Movers = Type.Array(
  Type.Object({
    evaluation_id: Uuid,
    from: oneOf(LEVELS),
    shift: Type.Integer({ description: 'In ten-thousandths of a point' }),
    to: oneOf(LEVELS),
  }),
);

export const BacktestReportSchema = Type.Object({
  btr_id: Uuid,
  status: oneOf(['queued', 'ready', 'failed']),
  progress: Type.Optional(
    Type.Number({ description: '0 to 1, while it is worked on', maximum: 1, minimum: 0 }),
  ),
  took_ms: Type.Optional(
    Type.Integer({ description: 'From when it was asked for to its end; not in the report' }),
  ),
  reported: Type.Optional(
    Type.Object(
      {
        btr_id: Uuid,
        cases: Nullable(Type.Integer()),
        high_after: Nullable(Type.Integer()),
        high_before: Nullable(Type.Integer()),
        key_id: Type.String(),
        outcome: Type.Literal('reported'),
        recall_after: Shares,
        recall_before: Shares,
        signature: Type.String(),
      },
      {
        description:
          'Of clients who were reported to the authority later, for compliance alone; null: ' +
          'fewer than ten. Signed by itself, and part of no report',
      },
    ),
  ),
  baseline: Type.Optional(
    Type.Array(Type.Object({ cases: Type.Integer(), policy_hash: Type.String() })),
  ),
  lists: Type.Optional(
    Type.Array(
      Type.Object({
        cases: Type.Integer(),
        content_digest: Type.String(),
        list_digest: Type.String(),
        source: Type.String(),
      }),
      { description: 'The versions that cases were screened against, each at its time' },
    ),
  ),
  movers: Type.Optional(
    Type.Object({ down: Movers, up: Movers }, { description: 'The strongest ones' }),
  ),
  outcomes: Type.Optional(
    Type.Object({
      found: Type.Array(Type.Object({ ...OUTCOME, outcome: oneOf(OUTCOMES) }), {
        description: 'How many of those each policy has at HIGH or above; bounds of 95 %',
      }),
      unread: Type.Integer({ description: 'Alerts of which nobody can say whom they are about' }),
    }),
  ),
  failure: Type.Optional(Type.String()),
  report_sha256: Type.Optional(Type.String()),
  policy: Type.Optional(Type.Object({ content_hash: Type.String(), policy_id: Uuid })),
  population: Type.Optional(
    Type.Object({
      cases: Type.Integer(),
      from: Type.String(),
      left_out: LeftOut,
      segments: Type.Optional(Type.Array(Type.String())),
      through_seq: Type.Integer(),
      to: Type.String(),
    }),
  ),
  warnings: Type.Optional(Type.Array(Type.String())),
  facts: Type.Optional(
    Type.Object({
      missing: Type.Integer(),
      rescreened: Type.Integer(),
      stored: Type.Integer(),
    }),
  ),
  confusion: Type.Optional(Matrix),
  movement: Type.Optional(Movements),
  metrics: Type.Optional(
    Type.Object({
      agreement: Type.Number(),
      baseline_mismatch: Type.Integer({ description: 'Must be 0' }),
      downgrades: Type.Integer(),
      high_share_after: Type.Number(),
      high_share_before: Type.Number(),
      kappa: Nullable(Type.Number()),
      mean_shift: Type.Number(),
      psi_bands: Type.Number(),
      psi_levels: Type.Number(),
      psi_verdict: oneOf(['stable', 'watch', 'changed']),
      quadratic_kappa: Nullable(Type.Number()),
      upgrades: Type.Integer(),
    }),
  ),
  contributions: Type.Optional(
    Type.Array(Type.Object({ factor: Type.String(), mean: Type.Number() })),
  ),
  overrides: Type.Optional(Overrides),
  segments: Type.Optional(
    Type.Object({
      hidden: Type.Integer({ description: 'Segments of fewer than ten cases' }),
      shown: Type.Array(Type.Object({ confusion: Matrix, segment: Type.String() })),
    }),
  ),
  key_id: Type.Optional(Type.String()),
  signature: Type.Optional(Type.String({ description: 'Over the report without it' })),
});

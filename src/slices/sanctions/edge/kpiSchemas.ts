/** Figures of screenings as they stand on the wire. */
import { type TSchema, Type } from 'typebox';
import { KPI_PERIOD_NAMES, type KpiPeriod } from '#slices/sanctions';
import { NullableTime } from '../../../api/nullable.ts';

const Count = Type.Integer({ minimum: 0 });
const Ratio = Type.Unsafe<number | null>({
  description: 'null where there is nothing to divide by',
  type: ['number', 'null'],
});
const CountsBy = Type.Record(Type.String(), Count);
const Quantiles = Type.Unsafe<object | null>({
  description: 'p50, p95 and p99; null where nothing was measured',
  properties: { p50: { type: 'number' }, p95: { type: 'number' }, p99: { type: 'number' } },
  type: ['object', 'null'],
});

const Met = Type.Unsafe<boolean | null>({
  description: 'null where nothing was measured',
  type: ['boolean', 'null'],
});
const NullableNumber = (description: string) =>
  Type.Unsafe<number | null>({ description, type: ['number', 'null'] });

export const ScreeningKpisQuery = Type.Object(
  {
    period: Type.Optional(
      Type.Unsafe<KpiPeriod>({ default: '24h', enum: [...KPI_PERIOD_NAMES], type: 'string' }),
    ),
  },
  { additionalProperties: false },
);

const COUNTS = {
  screenings_total: Count,
  by_decision: CountsBy,
  by_channel: CountsBy,
  match_rate: Ratio,
  hits_total: Count,
  hits_per_1000: Ratio,
  suppressed_total: Count,
  suppression_rate: Ratio,
};

export const ScreeningKpisResult: TSchema = Type.Object({
  period: Type.String(),
  from: Type.String({ format: 'date-time' }),
  to: Type.String({ format: 'date-time' }),
  complete: Type.Boolean(),
  ...COUNTS,
  review: Type.Object({
    pending: Type.Integer({ description: 'Open alerts of screenings, now' }),
    more_pending: Type.Boolean({ description: 'There are more than were looked at' }),
    oldest_pending_s: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
    overdue: Count,
    four_eyes_waiting: Count,
    decided: Count,
    true_positive: Count,
    false_positive: Count,
    precision: Ratio,
    time_to_decide_ms: Quantiles,
  }),
  latency_ms: Type.Object(
    { total: Quantiles, retrieval: Quantiles, rerank: Quantiles, evidence: Quantiles },
    {
      description:
        'Of answers of 200 over all gateways; `retrieval` and `rerank` of one screening in sixteen',
    },
  ),
  targets_met: Type.Object(
    { total: Met, retrieval: Met, rerank: Met },
    { description: 'Whether p95 is within 200, 30 and 50 ms' },
  ),
  errors: Type.Integer({ description: 'Requests for a screening that were answered by a 5xx' }),
  rate_limited: Type.Integer({ description: 'Those that were answered by a 429' }),
  availability: Ratio,
  cache_hit_ratio: Ratio,
  replays: Type.Object({
    total: Count,
    identical: Count,
    different: Count,
    impossible: Count,
  }),
  chain: Type.Object({
    verified_at: NullableTime,
    head_seq: Count,
    counted_seq: Count,
  }),
  list_age_max_s: NullableNumber('null without a list'),
  lists: Type.Array(
    Type.Object({
      source: Type.String(),
      list_version: Type.String(),
      age_s: Type.Integer({ description: 'Since the day of the publisher’s release' }),
    }),
  ),
  rescreening: Type.Union(
    [
      Type.Object({
        customers: NullableNumber('Of the last walk through all of them; null before it'),
        covered_pct: NullableNumber('Of them, compared with the lists in force'),
        lag_s: Type.Number({
          description: 'Since the oldest version that is not compared; 0: none',
        }),
        alerts_created: Count,
      }),
      Type.Null(),
    ],
    { description: 'Known customers; null where nobody watches them' },
  ),
  series: Type.Array(Type.Object({ at: Type.String({ format: 'date-time' }), ...COUNTS })),
});

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
  description: 'p50, p95 and p99; null where nothing was decided',
  properties: { p50: { type: 'number' }, p95: { type: 'number' }, p99: { type: 'number' } },
  type: ['object', 'null'],
});

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
  series: Type.Array(Type.Object({ at: Type.String({ format: 'date-time' }), ...COUNTS })),
});

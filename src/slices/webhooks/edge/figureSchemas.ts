/** Figures, and orders of many replays, as they stand on the wire. */
import { type Static, Type } from 'typebox';
import {
  type DeliveryStatus,
  EVENT_NAMES_MAX,
  KPI_PERIOD_NAMES,
  type KpiPeriod,
} from '#slices/webhooks';
import { Instant } from '../../../api/instants.ts';
import { Nullable } from '../../../api/nullable.ts';

const Uuid = Type.String({ format: 'uuid' });
const Time = Type.String({ format: 'date-time' });
const Count = Type.Integer({ minimum: 0 });
const Ratio = Type.Unsafe<number | null>({ type: ['number', 'null'] });
const Quantiles = Type.Unsafe<object | null>({
  description: 'p50, p95 and p99; null where nothing was measured',
  properties: { p50: { type: 'number' }, p95: { type: 'number' }, p99: { type: 'number' } },
  type: ['object', 'null'],
});
const COUNTS = {
  deliveries_total: Count,
  delivered: Count,
  failed: Count,
  retrying: Count,
  pending: Count,
  rate_limited: Count,
};
const Counts = Type.Object(COUNTS);
const CountsByName = Type.Record(Type.String(), Counts);
const CountsByEndpoint = Type.Record(
  Type.String(),
  Type.Object({
    ...COUNTS,
    consecutive_failures: Nullable('integer'),
    last_success_at: Nullable('string'),
  }),
);

export const KpisQuery = Type.Object(
  {
    period: Type.Optional(
      Type.Unsafe<KpiPeriod>({
        default: 'last_24h',
        enum: [...KPI_PERIOD_NAMES],
        type: 'string',
      }),
    ),
    endpoint_id: Type.Optional(Uuid),
  },
  { additionalProperties: false },
);

export const KpisResult = Type.Object({
  period: Type.String(),
  from: Time,
  to: Time,
  complete: Type.Boolean(),
  ...COUNTS,
  success_rate: Ratio,
  first_attempt_rate: Ratio,
  recovered: Count,
  attempts_total: Count,
  attempts_per_delivery: Ratio,
  response_ms: Quantiles,
  delay_ms: Quantiles,
  queue_depth: Count,
  oldest_pending_s: Nullable('integer'),
  by_event: CountsByName,
  by_endpoint: CountsByEndpoint,
  by_code_class: CountsByName,
  by_failure_reason: CountsByName,
  series: Type.Array(Type.Object({ at: Time, ...COUNTS })),
});

export const BulkReplayBody = Type.Object(
  {
    endpoint_id: Uuid,
    from: Instant('Created at or after'),
    to: Instant('Created before'),
    status: Type.Optional(
      Type.Unsafe<DeliveryStatus>({
        enum: ['DELIVERED', 'FAILED', 'RATE_LIMITED'],
        type: 'string',
      }),
    ),
    event_types: Type.Optional(
      Type.Array(Type.String({ maxLength: 64, minLength: 1 }), {
        maxItems: EVENT_NAMES_MAX,
        minItems: 1,
      }),
    ),
    missing: Type.Optional(Type.Boolean({ description: 'What has not arrived, tried or not' })),
  },
  { additionalProperties: false },
);
export type BulkReplayAsked = Static<typeof BulkReplayBody>;

export const BulkReplayResult = Type.Object({
  replay_job_id: Uuid,
  count: Count,
  count_is_final: Type.Boolean({ description: 'False: there are more, counted as they are sent' }),
});

export const ReplayJobResult = Type.Object({
  replay_job_id: Uuid,
  endpoint_id: Uuid,
  status: Type.Unsafe<string>({ enum: ['running', 'completed', 'failed'], type: 'string' }),
  failure: Nullable('string'),
  missing: Type.Boolean(),
  from: Time,
  to: Time,
  count: Type.Integer({ description: 'Deliveries on their way so far', minimum: 0 }),
  examined: Type.Integer({ description: 'Records that were looked at so far', minimum: 0 }),
  cut: Type.Boolean({ description: 'There were more than one order sends' }),
  created_at: Time,
  ended_at: Nullable('string'),
});

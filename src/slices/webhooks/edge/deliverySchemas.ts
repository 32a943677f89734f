/** Deliveries as they stand on the wire (interface.md 2.9). */
import { type Static, Type } from 'typebox';
import { CURSOR_CHARS_MAX, PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from '#platform/limits';
import { DELIVERY_STATUSES, FAILURE_REASONS } from '#slices/webhooks';
import { Instant } from '../../../api/instants.ts';
import { Nullable, NullableTime } from '../../../api/nullable.ts';

const Uuid = Type.String({ format: 'uuid' });
const Cursor = Type.String({ maxLength: CURSOR_CHARS_MAX, minLength: 1 });

export const DeliveriesQuery = Type.Object(
  {
    status: Type.Optional(Type.Union(DELIVERY_STATUSES.map((status) => Type.Literal(status)))),
    endpoint_id: Type.Optional(Uuid),
    from: Type.Optional(Instant('Created at or after')),
    to: Type.Optional(Instant('Created before')),
    cursor: Type.Optional(Cursor),
    page: Type.Optional(Cursor),
    limit: Type.Optional(
      Type.Integer({ default: PAGE_LIMIT_DEFAULT, maximum: PAGE_LIMIT_MAX, minimum: 1 }),
    ),
  },
  { additionalProperties: false },
);
export type DeliveriesAsked = Static<typeof DeliveriesQuery>;

const Reason = Nullable('string', { description: FAILURE_REASONS.join(', ') });

const DELIVERY = {
  delivery_id: Uuid,
  endpoint_id: Uuid,
  event_id: Uuid,
  tenant_id: Uuid,
  event_type: Type.String(),
  catalog: Type.String(),
  url: Type.String(),
  idempotency_key: Type.String(),
  status: Type.Union(DELIVERY_STATUSES.map((status) => Type.Literal(status))),
  failure_reason: Reason,
  delivery_attempt: Type.Integer({ description: 'Attempts that count' }),
  next_attempt_at: NullableTime,
  last_response_code: Nullable('integer'),
  delivered_at: NullableTime,
  created_at: Type.String({ format: 'date-time' }),
  replay_of: Nullable('string'),
  test: Type.Boolean(),
  secret_versions: Type.Array(Type.Integer(), { description: 'That signed the last attempt' }),
};
export const DeliveryRow = Type.Object(DELIVERY);

export const DeliveriesResult = Type.Object({
  data: Type.Array(DeliveryRow, { description: 'Latest first' }),
  next_cursor: Nullable('string'),
});

export const DeliveryResult = Type.Object({
  ...DELIVERY,
  payload: Type.Unknown({ description: 'The body, parsed; null once it is past 90 days' }),
  signed_payload: Nullable('string', { description: 'Second, dot, body: what the last v1 signs' }),
  signature: Nullable('string', { description: 'Hex, by the newest secret of that time' }),
  timestamp_unix: Nullable('integer'),
  last_response_body: Nullable('string', { description: 'Its first 1,024 bytes' }),
  attempts: Type.Array(
    Type.Object({
      attempt: Type.Integer(),
      at: Type.String({ format: 'date-time' }),
      duration_ms: Type.Integer(),
      response_code: Nullable('integer'),
      failure_reason: Reason,
      address: Nullable('string', { description: 'That was connected to' }),
      redirects: Type.Integer(),
      tls: Nullable('string', { description: 'Protocol and cipher' }),
    }),
    { description: 'The last 20' },
  ),
});

export const ReplayBody = Type.Object(
  {
    force: Type.Optional(
      Type.Boolean({
        description: 'With a key of its own: a receiver that knows it takes it anew',
      }),
    ),
  },
  { additionalProperties: false },
);
export type Replay = Static<typeof ReplayBody>;

export const ReplayResult = Type.Object({ delivery_id: Uuid, replay_of: Uuid });

/** The state of the installation as it stands on the wire (operations S18, S19). */
import { type TSchema, Type } from 'typebox';
import { Nullable } from '../../../api/nullable.ts';

const Count = Type.Integer({ minimum: 0 });
const NullableNumber = (description: string) =>
  Type.Unsafe<number | null>({ description, type: ['number', 'null'] });

export const ClusterHealth: TSchema = Type.Object({
  status: Type.Union(['green', 'yellow', 'red'].map((word) => Type.Literal(word))),
  reasons: Type.Array(Type.String(), { description: 'Why it is not green, the gravest first' }),
  nodes: Type.Array(
    Type.Object({
      node_id: Type.String({
        description: 'With host and process for operators; for others a number',
      }),
      role: Type.Union([Type.Literal('gateway'), Type.Literal('worker')]),
      version: Type.String(),
      started_at: Type.String({ format: 'date-time' }),
      heartbeat_age_s: Type.Number(),
      engine: Type.Union(
        [
          Type.Object({
            threads: Type.Integer({ description: 'Beside the main thread; 0: it scores itself' }),
            queue: Type.Integer({ description: 'Queries that wait or run' }),
            busy_pct: Type.Number({ description: 'Queries by threads, at most 100' }),
          }),
          Type.Null(),
        ],
        { description: 'null for a worker' },
      ),
      memory_mb: NullableNumber('null before its first beat'),
    }),
  ),
  indexes: Type.Array(
    Type.Object({
      source: Type.String(),
      list_version: Type.String(),
      entities: Count,
      bytes: NullableNumber('Of memory, in the gateway that has most; null where none has it'),
      loaded_on: Type.Integer({ description: 'Gateways that screen against this version' }),
      expected_on: Count,
    }),
  ),
  store: Type.Object({
    kind: Type.Union([Type.Literal('sqlite'), Type.Literal('mongo')]),
    ping_ms: NullableNumber('null where it does not answer'),
    transactions: Type.Boolean({ description: 'A commit is one step of the store' }),
  }),
  redis: Type.Object({
    mode: Type.Union(
      ['own', 'given', 'local-stand-in'].map((word) => Type.Literal(word)),
      {
        description: '`local-stand-in`: some gateway counts rate limits alone',
      },
    ),
    ping_ms: NullableNumber('null where it does not answer'),
  }),
  blobs: Type.Object({ free_bytes: NullableNumber('On the disk of DATA_DIR, the least') }),
  outbox: Type.Object({ depth: Count, oldest_s: Type.Number() }),
  queues: Type.Array(
    Type.Object({
      queue: Type.String({ description: 'A subscriber of the outbox' }),
      depth: Count,
      oldest_s: Type.Number(),
      set_aside: Count,
    }),
  ),
  chain: Type.Object(
    {
      head_age_s: NullableNumber('Since the last event; null where there is none'),
      checkpoint_age_s: NullableNumber('Since the last checkpoint; null before the first'),
    },
    { description: 'Of your tenant' },
  ),
});

export const ActiveAlerts: TSchema = Type.Object({
  data: Type.Array(
    Type.Object({
      alert_id: Type.String({ format: 'uuid' }),
      code: Type.String(),
      severity: Type.Union(['CRITICAL', 'HIGH', 'MEDIUM', 'LOW'].map((word) => Type.Literal(word))),
      status: Type.Union([Type.Literal('open'), Type.Literal('acknowledged')]),
      since: Type.String({ format: 'date-time' }),
      last_seen: Type.String({ format: 'date-time' }),
      count: Type.Integer({ description: 'How often it was seen' }),
      subject: Type.Object({ kind: Type.String(), id: Type.String() }),
      message_key: Type.String({ description: 'Key of a text in a client’s own catalogue' }),
      params: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()])),
      runbook: Type.String({ description: 'A page of the product’s documentation' }),
    }),
  ),
  next_cursor: Nullable('string', { description: 'Always null: there is one page' }),
});

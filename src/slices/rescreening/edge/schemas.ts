/** Watched customers as they stand on the wire. */
import { type Static, Type } from 'typebox';
import { CURSOR_CHARS_MAX, PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from '#platform/limits';
import { EXTERNAL_ID_CHARS_MAX, SUBJECT_NAME_CHARS_MAX } from '#slices/intake';
import { MONITORED_STATES, RUN_MODES, SUBJECTS_PER_CALL_MAX } from '#slices/rescreening';
import { Nullable, NullableTime } from '../../../api/nullable.ts';

/** What every customer has; the other members are read as a batch reads them. */
const Customer = Type.Object({
  external_id: Type.String({ maxLength: EXTERNAL_ID_CHARS_MAX, minLength: 1 }),
  full_name: Type.String({ maxLength: SUBJECT_NAME_CHARS_MAX, minLength: 1 }),
});

export const RegisterBody = Type.Object(
  {
    subjects: Type.Array(Customer, {
      description:
        'Customers, with the members of a batch’s subjects; `external_id` is your own reference',
      maxItems: SUBJECTS_PER_CALL_MAX,
      minItems: 1,
    }),
  },
  { additionalProperties: false },
);
export type Register = Static<typeof RegisterBody>;

export const RegisterResult = Type.Object({
  added: Type.Integer(),
  changed: Type.Integer({ description: 'Known, and with other data than before' }),
  unchanged: Type.Integer(),
});

export const MonitoredResult = Type.Object({
  subject_ref: Type.String(),
  status: Type.Union(MONITORED_STATES.map((state) => Type.Literal(state))),
  source: Type.String({ description: 'api, command-line, screening, or batch:<id>' }),
  attributes: Type.Union([Type.Object({}), Type.Null()]),
  added_at: Type.String({ format: 'date-time' }),
  last_screened: Type.Union([
    Type.Object({ list_version: Nullable('string'), at: NullableTime }),
    Type.Null(),
  ]),
});

export const MonitoredQuery = Type.Object(
  {
    cursor: Type.Optional(Type.String({ maxLength: CURSOR_CHARS_MAX, minLength: 1 })),
    limit: Type.Optional(
      Type.Integer({ default: PAGE_LIMIT_DEFAULT, maximum: PAGE_LIMIT_MAX, minimum: 1 }),
    ),
  },
  { additionalProperties: false },
);

export const MonitoredPage = Type.Object({
  data: Type.Array(MonitoredResult),
  next_cursor: Nullable('string'),
});

const RunResult = Type.Object({
  run_id: Type.String({ format: 'uuid' }),
  mode: Type.Union(RUN_MODES.map((mode) => Type.Literal(mode))),
  status: Type.String({ description: 'running, completed, failed' }),
  failure: Nullable('string'),
  list_version: Type.String(),
  customers: Type.Integer(),
  screened: Type.Integer(),
  found: Type.Integer(),
  gone: Type.Integer(),
  differences: Type.Integer(),
  refused: Type.Integer({ description: 'Rows that are not what was signed, and were left out' }),
  started_at: Type.String({ format: 'date-time' }),
  ended_at: NullableTime,
});

export const RescreeningResult = Type.Object({
  covered: Type.Union([
    Type.Object({
      list_version: Nullable('string', { description: 'With which all customers were compared' }),
      at: NullableTime,
    }),
    Type.Null(),
  ]),
  late_since: Nullable('string', {
    description: 'Since when customers are behind the lists in force; null: not for four hours',
    format: 'date-time',
  }),
  runs: Type.Array(RunResult, { description: 'The latest first' }),
  batches: Type.Array(
    Type.Object({
      batch_id: Type.String({ format: 'uuid' }),
      status: Type.String({ description: 'running, completed, failed' }),
      failure: Nullable('string'),
      added: Type.Integer(),
      changed: Type.Integer(),
      unchanged: Type.Integer(),
      started_at: Type.String({ format: 'date-time' }),
      ended_at: NullableTime,
    }),
    { description: 'Batches ordered with `monitor`, whose subjects are taken over' },
  ),
});

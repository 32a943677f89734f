/** Alerts as they stand on the wire. */
import { type Static, type TSchema, Type } from 'typebox';
import { CURSOR_CHARS_MAX, PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from '#platform/limits';
import {
  ALERT_STATUSES,
  ALERT_TYPES,
  ALTERED_TOLD_MAX,
  REASON_CODES,
  SEVERITIES,
} from '#slices/alerts';
import { readable } from '../../../api/freeText.ts';
import { Instant } from '../../../api/instants.ts';
import { Nullable } from '../../../api/nullable.ts';

export const COMMENT_CHARS_MAX = 4_000;
export const ID_CHARS_MAX = 128;
const ACTOR_CHARS_MAX = 512;

export const oneOf = <Word extends string>(words: readonly Word[], description?: string) =>
  Type.Union(
    words.map((word) => Type.Literal(word)),
    description === undefined ? {} : { description },
  );

const Words = (description: string) =>
  Type.String({
    description,
    maxLength: COMMENT_CHARS_MAX,
    minLength: 1,
    ...readable,
  });

/** What lists and streams are narrowed by. */
const FILTERS = {
  status: Type.Optional(
    oneOf(ALERT_STATUSES, '`assigned`: somebody works on it, in whichever state that leaves open'),
  ),
  severity: Type.Optional(oneOf(SEVERITIES)),
  source: Type.Optional(
    Type.String({ description: 'Id of a list', maxLength: ID_CHARS_MAX, minLength: 1 }),
  ),
  type: Type.Optional(oneOf(ALERT_TYPES)),
  assignee: Type.Optional(
    Type.String({
      description: 'As an alert names it; `me`: the caller',
      maxLength: ACTOR_CHARS_MAX,
      minLength: 1,
    }),
  ),
  subject: Type.Optional(
    Type.String({
      description: 'Id of a screening, or of a subject of a batch',
      maxLength: ID_CHARS_MAX,
      minLength: 1,
    }),
  ),
  sla: Type.Optional(oneOf(['breached', 'kept'])),
};

export const AlertsQuery = Type.Object(
  {
    ...FILTERS,
    from: Type.Optional(Instant('Created then or later')),
    to: Type.Optional(Instant('Created before then')),
    cursor: Type.Optional(Type.String({ maxLength: CURSOR_CHARS_MAX, minLength: 1 })),
    limit: Type.Optional(
      Type.Integer({ default: PAGE_LIMIT_DEFAULT, maximum: PAGE_LIMIT_MAX, minimum: 1 }),
    ),
  },
  { additionalProperties: false },
);
export type AlertsAsk = Static<typeof AlertsQuery>;

export const StreamQuery = Type.Object(
  {
    ...FILTERS,
    last_event_id: Type.Optional(
      Type.String({
        description: 'As the header Last-Event-ID, for clients that cannot set it',
        maxLength: ID_CHARS_MAX,
        minLength: 1,
      }),
    ),
    since: Type.Optional(Instant('Begins with what came then; without: from now on')),
  },
  { additionalProperties: false },
);
export type StreamAsk = Static<typeof StreamQuery>;

const Outcome: TSchema = Type.Unsafe<object | null>({
  properties: {
    status: { type: 'string' },
    reason_code: { type: ['string', 'null'] },
    comment: { type: 'string' },
    by: { type: 'string' },
    at: { format: 'date-time', type: 'string' },
    confirmed_by: { type: ['string', 'null'] },
  },
  type: ['object', 'null'],
});

const ROW = {
  alert_id: Type.String({ format: 'uuid' }),
  seq: Type.Integer({ description: 'Dense within the tenant; of the alert’s first revision' }),
  revision: Type.Integer(),
  type: Type.String(),
  severity: Type.String(),
  score: Type.Number({
    description: '0 to 1: the directScore of its leading hit, the most severe and then the best',
  }),
  source: Type.String({ description: 'The list of that hit' }),
  typology: Type.String(),
  rule_id: Nullable('string'),
  rule_version: Nullable('integer'),
  account_id: Nullable('string', { description: 'Of its payments; shown for one alert alone' }),
  customer_id: Nullable('string', { description: 'Of a rule; shown for one alert alone' }),
  triggering_tx_ids: Type.Array(Type.String(), {
    description: 'The first hundred; those of a listed party are shown for one alert alone',
  }),
  triggering_tx_total: Type.Integer({
    description: 'All of a rule’s. Those of a listed party are counted up to a thousand',
  }),
  aggregate_value: Type.Unsafe<object | null>({
    description: 'Of a rule: the figure that met it, as decimal strings',
    properties: {
      name: { type: 'string' },
      value: { type: 'string' },
      bound: { type: 'string' },
      unit: { type: 'string' },
    },
    type: ['object', 'null'],
  }),
  late: Type.Boolean({
    description: 'A transaction (or its rate) that came late has raised or changed it',
  }),
  holds: Type.Boolean({
    description: 'false: a transaction that came late has taken the last trigger away',
  }),
  subject: Type.Object({
    kind: Type.String({
      description: 'What the alert was raised by; of a rule: account, customer, counterparty, pair',
    }),
    id: Type.String(),
    batch_id: Nullable('string'),
    external_id: Nullable('string'),
    name: Nullable('string', { description: 'As it was compared; null once it was erased' }),
    erased: Type.Boolean(),
    fault: Nullable('string', {
      description: 'Why its evidence cannot be shown, as a code of a problem; null where it can',
    }),
  }),
  hits_total: Type.Integer(),
  hits_decided: Type.Integer({ description: 'Hits of a screening that were decided one by one' }),
  status: Type.String(),
  assignee: Nullable('string'),
  case_id: Nullable('string'),
  due_at: Type.String({ format: 'date-time' }),
  sla_breached: Type.Boolean(),
  proposal: Outcome,
  outcome: Outcome,
  created_at: Type.String({ format: 'date-time' }),
  updated_at: Type.String({ format: 'date-time' }),
  fault: Nullable('string', {
    description: '`alert-altered`: it is not what was signed, and not to be worked by',
  }),
};

export const AlertResult = Type.Object(ROW);

export const AlertsPage = Type.Object({
  data: Type.Array(AlertResult, { description: 'Latest first' }),
  next_cursor: Nullable('string'),
  altered: Type.Array(Type.String({ format: 'uuid' }), {
    description:
      'Alerts of the tenant that are not what was signed, whatever the filters: which of them a ' +
      'forged record passes says nothing. As the workers last compared them',
    maxItems: ALTERED_TOLD_MAX,
  }),
});

export const AlertDetail = Type.Object({
  ...ROW,
  hits: Type.Array(
    Type.Object({
      ftm_id: Type.String(),
      primary_name: Type.String(),
      source: Type.String(),
      typology: Type.String(),
      score: Type.Number(),
      matched_name: Nullable('string'),
    }),
  ),
  notes: Type.Array(
    Type.Object({
      note_id: Type.String({ format: 'uuid' }),
      by: Type.String(),
      at: Type.String({ format: 'date-time' }),
      text: Nullable('string', { description: 'null once it was erased' }),
    }),
    { description: 'Oldest first' },
  ),
  explanation: Type.Unsafe<object | null>({
    description: 'Of a rule: each comparison with value, bound, window and transactions; a text',
    type: ['object', 'null'],
  }),
  closable_by_one: Type.Boolean({
    description: 'Whether one person closes it as a false positive; else another one confirms',
  }),
});

const Assignee = (description: string) =>
  Type.Optional(
    Type.Unsafe<string | null>({
      description,
      maxLength: ID_CHARS_MAX,
      minLength: 1,
      type: ['string', 'null'],
    }),
  );

export const AssignBody = Type.Object(
  { assignee: Assignee('Person id; absent: the caller; null: nobody') },
  { additionalProperties: false },
);
export type Assign = Static<typeof AssignBody>;

export const CommentBody = Type.Object({ comment: Words('Why') }, { additionalProperties: false });
export type Comment = Static<typeof CommentBody>;

export const NoteBody = Type.Object(
  { text: Words('What was found out') },
  { additionalProperties: false },
);
export type Note = Static<typeof NoteBody>;

export const CloseBody = Type.Object(
  {
    status: oneOf(['closed_true_positive', 'closed_false_positive']),
    reason_code: Type.Optional(oneOf(REASON_CODES, 'Of a false positive')),
    comment: Type.Optional(
      Type.String({
        description: 'Why; of a false positive 20 characters or more',
        maxLength: COMMENT_CHARS_MAX,
        ...readable,
      }),
    ),
  },
  { additionalProperties: false },
);
export type Close = Static<typeof CloseBody>;

export const ConfirmBody = Type.Object(
  {
    confirmed: Type.Boolean({ description: 'false: the outcome is refused' }),
    comment: Type.Optional(
      Type.String({
        description: 'Why it is refused',
        maxLength: COMMENT_CHARS_MAX,
        ...readable,
      }),
    ),
  },
  { additionalProperties: false },
);
export type Confirm = Static<typeof ConfirmBody>;

export const EditBody = Type.Object(
  {
    severity: Type.Optional(oneOf(SEVERITIES)),
    due_at: Type.Optional(Instant('Until when it should be closed')),
    assignee: Assignee('Person id; null: nobody'),
  },
  { additionalProperties: false, minProperties: 1 },
);
export type Edit = Static<typeof EditBody>;

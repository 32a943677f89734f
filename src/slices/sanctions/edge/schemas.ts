/** The register of screenings as it stands on the wire. */
import { type Static, type TSchema, Type } from 'typebox';
import { inWords } from '#core/kernel';
import { CURSOR_CHARS_MAX, PAGE_LIMIT_DEFAULT, SCREENINGS_PAGE_LIMIT_MAX } from '#platform/limits';
import {
  DIFFERENCES_MAX,
  FAULT_REASONS,
  IMPOSSIBLE_REASONS,
  REPLAY_STATUSES,
  RESOLUTIONS,
  STATEMENT_CHARS_MIN,
} from '#slices/sanctions';
import { CHANNELS, DECISIONS } from '#slices/screening';
import { readable } from '../../../api/freeText.ts';
import { Instant } from '../../../api/instants.ts';
import { Nullable, NullableTime } from '../../../api/nullable.ts';

const WORD_CHARS_MAX = 512;
const DECISION = `(${DECISIONS.join('|')})`;

export const oneOf = <Word extends string>(words: readonly Word[], description?: string) =>
  Type.Union(
    words.map((word) => Type.Literal(word)),
    description === undefined ? {} : { description },
  );

const Cursor = (description: string) =>
  Type.Optional(Type.String({ description, maxLength: CURSOR_CHARS_MAX, minLength: 1 }));

export const ScreeningListQuery = Type.Object(
  {
    from: Type.Optional(Instant('Screened then or later')),
    to: Type.Optional(Instant('Screened before then')),
    decision: Type.Optional(
      Type.String({
        description: `One or more, with commas between: ${DECISIONS.join(', ')}`,
        examples: ['MATCH_DIRECT_SANCTIONS,MATCH_PEP'],
        maxLength: 256,
        ...inWords('a verdict, or several with commas between', `^${DECISION}(,${DECISION}){0,5}$`),
      }),
    ),
    candidate: Type.Optional(
      Type.String({
        description:
          'A listed party that was hit: its id, or the beginning of its primary name, of three ' +
          'letters or more',
        maxLength: WORD_CHARS_MAX,
        minLength: 1,
      }),
    ),
    subject_ref: Type.Optional(
      Type.String({
        description: 'Your own id of the customer, as it was sent with the screening',
        maxLength: WORD_CHARS_MAX,
        minLength: 1,
      }),
    ),
    channel: Type.Optional(oneOf(CHANNELS, 'How the name came to be screened')),
    cursor: Cursor('`next_cursor` of the page before'),
    page: Cursor('The same as `cursor`'),
    limit: Type.Optional(
      Type.Integer({
        default: PAGE_LIMIT_DEFAULT,
        maximum: SCREENINGS_PAGE_LIMIT_MAX,
        minimum: 1,
      }),
    ),
  },
  { additionalProperties: false },
);
export type ScreeningListAsk = Static<typeof ScreeningListQuery>;

const NullableObject = (properties: Readonly<Record<string, TSchema>>, description: string) =>
  Type.Union([Type.Object(properties), Type.Null()], { description });

const Row = Type.Object({
  screening_id: Type.String({ format: 'uuid' }),
  occurred_at: Type.String({ format: 'date-time' }),
  seq: Nullable('integer', { description: 'Place in the chain; null where the event is gone' }),
  event_id: Nullable('string'),
  decision: Type.String(),
  subject: NullableObject(
    {
      name: Nullable('string', { description: 'As it was compared' }),
      dob: Nullable('string'),
      nationality: Nullable('string'),
      erased: Type.Boolean(),
    },
    'null where the event is not what was signed',
  ),
  hits_count: Nullable('integer'),
  top_hit: NullableObject(
    {
      ftm_id: Type.String(),
      primary_name: Type.String(),
      typology: Type.String(),
      directScore: Type.Number(),
    },
    'The most severe hit, then the best; null without a hit',
  ),
  suppressed_count: Nullable('integer', { description: 'Hits that exclusions have suppressed' }),
  review_status: Nullable('string', { description: 'Status of its alert; null without one' }),
  list_version: Nullable('string'),
  policy_version: Nullable('integer'),
  requested_by: Type.String(),
  channel: oneOf(CHANNELS),
  fault: Type.Union([oneOf(FAULT_REASONS), Type.Null()], {
    description: 'Why the event is not what was signed; null where it is',
  }),
});

const Chain = Type.Object({
  status: oneOf(['verified', 'broken']),
  checked: Type.Integer({ description: 'Events of this page that were checked' }),
  first_bad_seq: Nullable('integer', { description: 'null where none is bad, or it is gone' }),
  reason: Type.Union([oneOf(FAULT_REASONS), Type.Null()]),
  acknowledged: Type.Boolean({
    description: 'Every break on record is acknowledged: policies may be changed',
  }),
  breaks: Type.Array(
    Type.Object({
      alert_id: Type.String({ format: 'uuid' }),
      resolution: Type.Union([oneOf(RESOLUTIONS), Type.Null()]),
      seq: Type.Integer(),
    }),
    { description: 'Broken events on record, by whoever found them, the first of them' },
  ),
  indexed_seq: Type.Integer({
    description: 'Screenings up to this seq can be listed; of later ones those of batches not yet',
  }),
  head_seq: Type.Integer(),
  checkpoint_seq: Type.Integer({ description: 'Last signed checkpoint; 0 before the first' }),
});

export const ScreeningList: TSchema = Type.Object({
  data: Type.Array(Row),
  chain: Chain,
  next_cursor: Nullable('string'),
});

const STATEMENT_CHARS_MAX = 4_000;

/** What the approver signs as `new_value`. */
export const AcknowledgementValue = Type.Object(
  {
    resolution: oneOf(
      RESOLUTIONS,
      '`restored`: the evidence is whole again; `accepted`: it is known that it is not',
    ),
    statement: Type.String({
      description: 'What happened, and what was done about it',
      maxLength: STATEMENT_CHARS_MAX,
      minLength: STATEMENT_CHARS_MIN,
      ...readable,
    }),
  },
  { additionalProperties: false },
);

export const AcknowledgeBody = Type.Object(
  {
    ...AcknowledgementValue.properties,
    approval_reason: Type.String({ maxLength: 1_000, minLength: 1, ...readable }),
  },
  { additionalProperties: false },
);

export const AcknowledgedBreak = Type.Object({
  alert_id: Type.String({ format: 'uuid' }),
  seq: Type.Integer(),
  reason: Type.String(),
  resolution: Type.Union([oneOf(RESOLUTIONS), Type.Null()]),
});

export const ReplayQueued = Type.Object({
  replay_id: Type.String({ format: 'uuid' }),
  status: Type.Literal('queued'),
});

export const ReplayShown: TSchema = Type.Object({
  replay_id: Type.String({ format: 'uuid' }),
  screening_id: Type.String({ format: 'uuid' }),
  status: oneOf(['running', ...REPLAY_STATUSES]),
  reason: Type.Union([oneOf(IMPOSSIBLE_REASONS), Type.Null()], {
    description: 'Why it is impossible',
  }),
  list_digests: Type.Array(Type.String()),
  reranker_version: Nullable('string'),
  policy_version: Nullable('integer'),
  differences: Type.Array(
    Type.Object({
      pointer: Type.String({ description: 'RFC 6901, into the members that are compared' }),
      original: Type.Unknown(),
      replayed: Type.Unknown(),
    }),
    { maxItems: DIFFERENCES_MAX },
  ),
  original_hash: Nullable('string', { description: 'SHA-256 over what is compared, as JCS' }),
  replayed_hash: Nullable('string'),
  runtime: NullableObject(
    { arch: Type.String(), node: Type.String(), unicode: Type.String() },
    'Where it was repeated',
  ),
  requested_by: Type.String(),
  requested_at: Type.String({ format: 'date-time' }),
  started_at: NullableTime,
  finished_at: NullableTime,
  event_id: Nullable('string', { description: 'The entry that says what was found' }),
});

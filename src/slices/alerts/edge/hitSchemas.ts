/** Hits of a screening on the wire, and what people say of them and of several alerts at once. */
import { type Static, Type } from 'typebox';
import { HIT_DECISIONS, HIT_STATUSES, REASON_CODES } from '#slices/alerts';
import { readable } from '../../../api/freeText.ts';
import { Instant } from '../../../api/instants.ts';
import { Nullable, NullableTime } from '../../../api/nullable.ts';
import { ENTRY_FACTS } from '../../lists/schemas.ts';
import { ExplainFlag, Explanation, hitWith } from '../../screening/schemas.ts';
import { AlertResult, COMMENT_CHARS_MAX, ID_CHARS_MAX, oneOf } from './schemas.ts';

/** Alerts that one call decides. */
export const DECISIONS_MAX = 200;

const Notes = Type.Optional(
  Type.String({
    description: 'Why; of a false positive 20 characters or more, of who confirms none',
    maxLength: COMMENT_CHARS_MAX,
    ...readable,
  }),
);

export const ReviewedHit = Type.Object({
  ...hitWith(ENTRY_FACTS).properties,
  ftm_id: Type.String({ description: 'As in the path of its decision' }),
  source: Type.String({ description: 'Source id of the list' }),
  decision: oneOf(HIT_STATUSES, '`proposed_…`: another person has to agree'),
  reason_code: Nullable('string'),
  notes: Nullable('string'),
  decided_by: Nullable('string', { description: 'Who decided or proposed it' }),
  decided_at: NullableTime,
  confirmed_by: Nullable('string', { description: 'The second person, where two had to agree' }),
  decided_with_alert: Type.Boolean({
    description: 'Its alert was closed as a whole, and this hit with it',
  }),
  exclusion_ids: Type.Array(Type.String(), { description: 'Exclusions asked for with it' }),
  decidable_by_one: Type.Boolean({
    description: 'Whether one person says that it is a false positive; else another one confirms',
  }),
  etag: Type.String({ description: 'For If-Match of a decision' }),
  explanation: Type.Optional(Explanation),
});

export const ReviewedHitsQuery = Type.Object(
  { explain: Type.Optional(ExplainFlag) },
  { additionalProperties: false },
);
export type ReviewedHitsAsk = Static<typeof ReviewedHitsQuery>;

export const ScreeningHits = Type.Object({
  alert_id: Nullable('string', { description: 'null: the screening has raised none yet' }),
  alert_status: Nullable('string'),
  alert_version: Type.Union([Type.Integer(), Type.Null()]),
  subject: Type.Unsafe<object | null>({
    description: 'Who was screened, as it was compared; null once it was erased',
    properties: {
      names: { items: { type: 'string' }, type: 'array' },
      type: { type: ['string', 'null'] },
      dob: { description: 'A date, or months from:until', type: ['string', 'null'] },
      nationality: { type: ['string', 'null'] },
    },
    type: ['object', 'null'],
  }),
  data: Type.Array(ReviewedHit, { description: 'As the screening answered them' }),
});

export const DecideHitBody = Type.Object(
  {
    decision: oneOf(HIT_DECISIONS),
    reason_code: Type.Optional(oneOf(REASON_CODES, 'Of a false positive')),
    notes: Notes,
    exclude: Type.Optional(
      Type.Object(
        {
          expires_at: Type.Optional(Instant('Absent: as long as the policy allows')),
          subject_ref: Type.Optional(
            Type.String({ maxLength: ID_CHARS_MAX, minLength: 1, ...readable }),
          ),
        },
        {
          additionalProperties: false,
          description:
            'With a false positive, by a supervising role: from now on the subject is not this ' +
            'entry (`POST /v1/sanctions/exclusions`). `notes` are its reason. Who confirms the ' +
            'decision approves it',
        },
      ),
    ),
  },
  { additionalProperties: false },
);
export type DecideHitAsked = Static<typeof DecideHitBody>;

export const DecisionsBody = Type.Object(
  {
    decision: oneOf(HIT_DECISIONS),
    reason_code: Type.Optional(oneOf(REASON_CODES, 'Of a false positive')),
    comment: Notes,
    alerts: Type.Array(
      Type.Object(
        {
          alert_id: Type.String({ maxLength: ID_CHARS_MAX, minLength: 1 }),
          version: Type.Integer({ description: 'Its `revision`, as it was seen', minimum: 1 }),
        },
        { additionalProperties: false },
      ),
      { maxItems: DECISIONS_MAX, minItems: 1 },
    ),
  },
  { additionalProperties: false },
);
export type DecisionsAsked = Static<typeof DecisionsBody>;

export const DecisionsResult = Type.Object({
  data: Type.Array(
    Type.Object({
      alert_id: Type.String(),
      result: oneOf(['closed', 'proposed', 'refused']),
      revision: Type.Union([Type.Integer(), Type.Null()]),
      alert_status: Nullable('string'),
      proposal: AlertResult.properties.proposal,
      code: Nullable('string', { description: 'Why it was refused, as a code of a problem' }),
      detail: Nullable('string'),
    }),
    { description: 'In the order of the call' },
  ),
});

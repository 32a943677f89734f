/** Transactions as they stand on the wire. */
import { Type } from 'typebox';
import { inWords } from '#core/kernel';
import { CURSOR_CHARS_MAX, PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from '#platform/limits';
import {
  ADVICE,
  AGENT_LISTS,
  AGENT_ROLES,
  DECIDED_BY,
  FILE_STATUSES,
  FORMATS,
  PARTY_ROLES,
  RISK_TIERS,
  TEXT_ROLES,
  TOLD_REFUSALS_MAX,
} from '#slices/monitoring';
import { DECISIONS } from '#slices/screening';
import { Nullable } from '../../../api/nullable.ts';

const oneOf = <Word extends string>(words: readonly Word[], description?: string) =>
  Type.Union(
    words.map((word) => Type.Literal(word)),
    description === undefined ? {} : { description },
  );

export const IngestQuery = Type.Object({ format: oneOf(FORMATS) }, { additionalProperties: false });

/** Checked by the reader of its format, which knows more than a schema. */
export const IngestBody = Type.Unknown({
  description: 'A body of the format that `format` names: docs/transactions.md has each.',
});

const Seq = Type.Integer({ description: 'Dense within the tenant', minimum: 1 });

export const IngestResult = Type.Object({
  ingest_id: Type.String({ format: 'uuid' }),
  status: Type.Optional(oneOf(FILE_STATUSES, 'Of a file, which workers take')),
  accepted: Type.Integer({ minimum: 0 }),
  rejected: Type.Integer({ minimum: 0 }),
  duplicates: Type.Integer({ minimum: 0 }),
  errors: Type.Array(
    Type.Object({
      index: Type.Integer({ minimum: 0 }),
      pointer: Type.String(),
      code: Type.String(),
      detail: Type.String(),
      line: Type.Optional(Type.Integer({ minimum: 1 })),
    }),
    { maxItems: TOLD_REFUSALS_MAX },
  ),
  tseq_from: Nullable('integer'),
  tseq_to: Nullable('integer'),
});

const PartyResult = Type.Object({
  role: oneOf([...PARTY_ROLES, ...AGENT_ROLES, ...AGENT_LISTS, ...TEXT_ROLES]),
  place: Nullable('integer', {
    description: 'Of roles that several have, and of names in a text, from 0',
  }),
  reading: Nullable('integer', { description: 'Where the lines may be read in several ways' }),
  decision: oneOf([...DECISIONS, 'UNSCREENED']),
  since: Nullable('integer', { description: 'tseq at which this party was compared' }),
  screening_id: Nullable('string', { description: 'The screening that holds hits and candidates' }),
});

const ADVISED = {
  tx_id: Type.String(),
  tseq: Seq,
  decision: oneOf(ADVICE),
  decided_by: Type.Array(oneOf(DECIDED_BY), {
    description: 'Without rules: screening alone makes it final, and no rule was waited for',
  }),
  alerts: Type.Array(Type.String({ format: 'uuid' })),
  screening: Type.Array(PartyResult, { description: 'Parties that are not CLEAR' }),
};
const Advised = Type.Array(Type.Object(ADVISED));

export const AdviceResult = Type.Object({
  ...ADVISED,
  decision: Type.Union([ADVISED.decision, Type.Null()], {
    description: 'null: nothing final is known yet, or any more',
  }),
});

export const AdvisedResult = Type.Object({ ...IngestResult.properties, results: Advised });

/** Where the caller waits for longer than rules take. */
export const PartlyAdvisedResult = Type.Object({
  ...IngestResult.properties,
  results: Type.Optional(Advised),
});

export const TransactionResult = Type.Object({
  tx_id: Type.String(),
  tseq: Seq,
  revision: Type.Integer({ minimum: 0 }),
  source_format: oneOf(FORMATS),
  ingest_id: Type.String({ format: 'uuid' }),
  received_at: Type.String({ format: 'date-time' }),
  reversed_by: Type.Optional(Seq),
  also_in: Type.Optional(
    Type.Array(Type.Object({ format: oneOf(FORMATS), ingest_id: Type.String({ format: 'uuid' }) })),
  ),
  erased: Type.Boolean({ description: 'Whether what it says was erased' }),
  screening: Type.Array(PartyResult, { description: 'Its parties and agents' }),
  transaction: Type.Optional(Type.Object({}, { description: 'The canonical record' })),
});

export const TransactionsQuery = Type.Object(
  {
    cursor: Type.Optional(Type.String({ maxLength: CURSOR_CHARS_MAX, minLength: 1 })),
    limit: Type.Optional(
      Type.Integer({ default: PAGE_LIMIT_DEFAULT, maximum: PAGE_LIMIT_MAX, minimum: 1 }),
    ),
  },
  { additionalProperties: false },
);

export const TransactionsPage = Type.Object({
  data: Type.Array(TransactionResult),
  next_cursor: Nullable('string'),
});

const Currency = Type.String(inWords('a currency of three letters', '^[A-Z]{3}$'));
const Amount = Type.String(inWords('an amount such as 25000.00', '^\\d{1,15}(\\.\\d{1,10})?$'));
const Day = Type.String({ format: 'date' });

export const FactsBody = Type.Object(
  {
    valid_from: Type.Optional(
      Type.String({
        description: 'RFC 3339, or a date in the zone of the tenant; absent: now',
        maxLength: 40,
      }),
    ),
    risk_tier: Type.Optional(oneOf(RISK_TIERS)),
    expected_turnover: Type.Optional(
      Type.Object(
        { amount: Amount, currency: Currency },
        { additionalProperties: false, description: 'Of a month, as the customer declared it' },
      ),
    ),
    opened_at: Type.Optional(Day),
    residence: Type.Optional(Type.String(inWords('a country of two letters', '^[A-Z]{2}$'))),
  },
  { additionalProperties: false },
);

export const FactsCsv = Type.String({ contentMediaType: 'text/csv' });

export const FactsRecorded = Type.Object({
  recorded: Type.Integer({ minimum: 1 }),
  facts_from: Type.Integer({ description: 'Number of the first: dense, from 1', minimum: 1 }),
  facts_to: Type.Integer({ minimum: 1 }),
});

const Rate = Type.Object(
  {
    currency: Currency,
    date: Day,
    rate: Type.String({ description: 'What one unit is worth in the base currency' }),
  },
  { additionalProperties: false },
);

export const RatesQuery = Type.Object(
  { version: Type.Optional(Type.Integer({ minimum: 1 })) },
  { additionalProperties: false },
);

export const RatesVersion = Type.Object({
  version: Type.Integer({ minimum: 1 }),
  base: Currency,
  count: Type.Integer({ minimum: 0 }),
  from: Nullable('string'),
  to: Nullable('string'),
  digest: Type.String({ description: 'SHA-256 of its content, hex' }),
  published_at: Type.String({ format: 'date-time' }),
});

export const RatesResult = Type.Object({ ...RatesVersion.properties, rates: Type.Array(Rate) });

export const FileResult = Type.Object({
  ingest_id: Type.String({ format: 'uuid' }),
  status: oneOf(FILE_STATUSES),
  bytes: Type.Integer({ minimum: 0 }),
  file_sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  rows: Type.Integer({ description: 'That were read, the header not counted', minimum: 0 }),
  accepted: Type.Integer({ minimum: 0 }),
  rejected: Type.Integer({ minimum: 0 }),
  duplicates: Type.Integer({ minimum: 0 }),
  tseq_from: Nullable('integer'),
  tseq_to: Nullable('integer'),
  received_at: Type.String({ format: 'date-time' }),
  ended_at: Nullable('string'),
  failure: Nullable('string', { description: 'Code of what ended it before its end' }),
});

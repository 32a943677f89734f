/** Transactions as they stand on the wire. */
import { Type } from 'typebox';
import { CURSOR_CHARS_MAX, PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from '#platform/limits';
import { FORMATS, TOLD_REFUSALS_MAX } from '#slices/monitoring';
import { Nullable } from '../../../api/nullable.ts';

const oneOf = <Word extends string>(words: readonly Word[]) =>
  Type.Union(words.map((word) => Type.Literal(word)));

/** Formats that one request brings; a CSV is no request. */
export const REQUEST_FORMATS = ['json_service', 'iso20022_pacs008', 'swift_mt103'] as const;

export const IngestQuery = Type.Object(
  { format: oneOf(REQUEST_FORMATS) },
  { additionalProperties: false },
);

/** Checked by the reader of its format, which knows more than a schema. */
export const IngestBody = Type.Unknown({
  description: 'A body of the format that `format` names: docs/transactions.md has each.',
});

const Seq = Type.Integer({ description: 'Dense within the tenant', minimum: 1 });

export const IngestResult = Type.Object({
  ingest_id: Type.String({ format: 'uuid' }),
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

/** Declarations as they stand on the wire. */
import { Type } from 'typebox';
import { inWords } from '#core/kernel';
import {
  DECLARATION_STATUSES,
  DECLARATION_TYPES,
  EXPLANATION_CHARS_MAX,
  EXPLANATION_CHARS_MIN,
  FILER_CATEGORIES,
  FINDINGS_MAX,
  REPORT_REGIMES,
  REPORT_SCHEMAS,
} from '#slices/tax';
import { readable } from '../../../api/freeText.ts';
import { Nullable } from '../../../api/nullable.ts';
import { Cursor, Giin, Limit, Period } from './reportingSchemas.ts';
import { Country, oneOf } from './subjectSchemas.ts';

const STRICT = { additionalProperties: false } as const;
const MESSAGE_DIGITS = 4;
const Count = Type.Integer({ minimum: 0 });
const Time = Type.String({ format: 'date-time' });

export const DeclarationBody = Type.Object(
  {
    reporting_fi_giin: Giin,
    reporting_period: Period,
    type: oneOf(DECLARATION_TYPES, 'New data; others are not made yet'),
    filer_category: Type.Optional(oneOf(FILER_CATEGORIES, 'Required for FATCA, none for CRS')),
    nil_report: Type.Optional(Type.Boolean({ description: 'There is no account to report' })),
    receiving_country: Type.Optional(Country('Absent: the US, or the own country for CRS')),
    schema: Type.Optional(oneOf(REPORT_SCHEMAS, 'Absent: the one of the day')),
    generate: Type.Optional(Type.Boolean({ description: 'Absent: its XML is made at once' })),
  },
  STRICT,
);
export interface DeclarationGiven {
  readonly reporting_fi_giin: string;
  readonly reporting_period: string;
  readonly type: (typeof DECLARATION_TYPES)[number];
  readonly filer_category?: string;
  readonly nil_report?: boolean;
  readonly receiving_country?: string;
  readonly schema?: (typeof REPORT_SCHEMAS)[number];
  readonly generate?: boolean;
}

export const CancelBody = Type.Object(
  {
    reason: Type.String({
      description: 'Why; erasable',
      maxLength: EXPLANATION_CHARS_MAX,
      minLength: EXPLANATION_CHARS_MIN,
      ...readable,
    }),
  },
  STRICT,
);

export const DeclarationsQuery = Type.Object(
  {
    year: Type.Optional(Period),
    status: Type.Optional(oneOf(DECLARATION_STATUSES)),
    type: Type.Optional(oneOf(DECLARATION_TYPES)),
    regime: Type.Optional(oneOf(REPORT_REGIMES)),
    nil_report: Type.Optional(Type.Boolean()),
    cursor: Cursor,
    limit: Limit,
  },
  STRICT,
);

export const XmlQuery = Type.Object(
  {
    message: Type.Optional(
      Type.String({
        description: 'Number of the message; absent: the first',
        maxLength: MESSAGE_DIGITS,
        ...inWords('a number from 1 on', '^[1-9][0-9]{0,3}$'),
      }),
    ),
  },
  STRICT,
);

const ROW = {
  declaration_id: Type.String({ format: 'uuid' }),
  reference: Type.String({ description: 'TCR-year-number, without gaps' }),
  regime: oneOf(REPORT_REGIMES),
  type: Type.String(),
  reporting_period: Period,
  nil_report: Type.Boolean(),
  account_count: Count,
  status: oneOf(DECLARATION_STATUSES),
  outcome: Nullable('string', { description: 'Once it is accepted' }),
  submission_date: Nullable('string', { format: 'date-time' }),
  ides_reference: Nullable('string'),
  created_at: Time,
};
export const DeclarationsResult = Type.Object({
  data: Type.Array(Type.Object(ROW)),
  next_cursor: Nullable('string'),
});

export const DeclarationResult = Type.Object({
  ...ROW,
  reporting_fi_giin: Giin,
  filer_category: Nullable('string'),
  schema: oneOf(REPORT_SCHEMAS),
  transmitting_country: Type.String(),
  receiving_country: Type.String(),
  test: Type.Boolean({ description: 'Its data say that they are a test' }),
  pool_count: Count,
  accounts_digest: Nullable('string', { description: 'Of the accounts that it was made from' }),
  errors_count: Count,
  warnings_count: Count,
  messages: Type.Array(
    Type.Object({
      message_no: Count,
      message_ref_id: Type.String(),
      record_count: Count,
      xml_sha256: Type.String(),
      xml_bytes: Count,
    }),
  ),
  generated_at: Nullable('string', { format: 'date-time' }),
  created_by: Type.String(),
  timeline: Type.Array(
    Type.Object({
      at: Time,
      from: Nullable('string'),
      to: Type.String(),
      by: Type.String(),
      cause: Type.String(),
    }),
  ),
});

export const FindingsResult = Type.Object({
  data: Type.Array(
    Type.Object({
      account_ref: Nullable('string'),
      pointer: Type.String(),
      code: Type.String(),
      detail: Type.String(),
      severity: oneOf(['error', 'warning']),
    }),
    { maxItems: FINDINGS_MAX },
  ),
  errors_count: Count,
  warnings_count: Count,
});

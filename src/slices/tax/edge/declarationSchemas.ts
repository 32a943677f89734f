/** Declarations as they stand on the wire. */
import { Type } from 'typebox';
import { inWords } from '#core/kernel';
import {
  CORRECTED_RECORDS_MAX,
  DECLARATION_STATUSES,
  DECLARATION_TYPES,
  EXPLANATION_CHARS_MAX,
  EXPLANATION_CHARS_MIN,
  FILER_CATEGORIES,
  FINDINGS_MAX,
  NOTIFICATION_RESULTS,
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
const NAME_CHARS_MAX = 200;
const Ref = Type.String({ maxLength: NAME_CHARS_MAX, minLength: 1, ...readable });
const Time = Type.String({ format: 'date-time' });

export const DeclarationBody = Type.Object(
  {
    reporting_fi_giin: Giin,
    reporting_period: Period,
    type: oneOf(DECLARATION_TYPES, 'New (1), corrected (2), void (3) or amended (4) data'),
    filer_category: Type.Optional(oneOf(FILER_CATEGORIES, 'Required for FATCA, none for CRS')),
    nil_report: Type.Optional(Type.Boolean({ description: 'There is no account to report' })),
    receiving_country: Type.Optional(Country('Absent: the US, or the own country for CRS')),
    schema: Type.Optional(oneOf(REPORT_SCHEMAS, 'Absent: the one of the day')),
    corrects: Type.Optional(
      Type.String({
        description: 'The declaration that it follows on: for types other than new data',
        format: 'uuid',
      }),
    ),
    records: Type.Optional(
      Type.Array(
        Type.Union([
          Type.Object({ account_ref: Ref }, STRICT),
          Type.Object({ doc_ref_id: Ref }, STRICT),
        ]),
        {
          description:
            'Of it only these. Absent: FATCA2 those in error, FATCA4 and OECD2 those that have ' +
            'changed, FATCA3 and OECD3 all',
          maxItems: CORRECTED_RECORDS_MAX,
          minItems: 1,
        },
      ),
    ),
    auto_submit_ides: Type.Optional(
      Type.Boolean({ description: 'It is submitted as soon as its XML is there' }),
    ),
    generate: Type.Optional(Type.Boolean({ description: 'Absent: its XML is made at once' })),
  },
  STRICT,
);
/** A record by one of its names. */
export interface RecordGiven {
  readonly account_ref?: string;
  readonly doc_ref_id?: string;
}
export interface DeclarationGiven {
  readonly reporting_fi_giin: string;
  readonly reporting_period: string;
  readonly type: (typeof DECLARATION_TYPES)[number];
  readonly filer_category?: string;
  readonly nil_report?: boolean;
  readonly receiving_country?: string;
  readonly schema?: (typeof REPORT_SCHEMAS)[number];
  readonly corrects?: string;
  readonly records?: readonly RecordGiven[];
  readonly auto_submit_ides?: boolean;
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
      status: Nullable('string', {
        description: 'ordered, packaged, deposited, accepted or rejected; null before',
      }),
      sender_file_id: Nullable('string', { description: 'The name under which it goes' }),
      package_bytes: Nullable('integer'),
      package_sha256: Nullable('string'),
      deposited_at: Nullable('string', { format: 'date-time' }),
      receipt_at: Nullable('string', { format: 'date-time' }),
      ides_reference: Nullable('string'),
      notification_code: Nullable('string', { description: 'Of the answer that decided it' }),
      record_errors: Count,
    }),
  ),
  auto_submit_ides: Type.Boolean(),
  corrects: Nullable('string', { format: 'uuid' }),
  voided_by: Nullable('string', { format: 'uuid' }),
  generated_at: Nullable('string', { format: 'date-time' }),
  filed_at: Nullable('string', { format: 'date-time' }),
  decided_at: Nullable('string', { format: 'date-time' }),
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

export const SubmissionResult = Type.Object({
  declaration_id: Type.String({ format: 'uuid' }),
  status: oneOf(DECLARATION_STATUSES),
  packages: Type.Array(
    Type.Object({
      message_no: Count,
      sender_file_id: Nullable('string', { description: 'Once a worker has packaged it' }),
      bytes: Nullable('integer'),
      sha256: Nullable('string'),
    }),
  ),
});

export const ReceiptBody = Type.Object(
  {
    ides_transmission_id: Type.String({ maxLength: NAME_CHARS_MAX, minLength: 1, ...readable }),
    received_at: Time,
    sender_file_id: Type.String({ maxLength: NAME_CHARS_MAX, minLength: 1 }),
  },
  STRICT,
);
export interface ReceiptGiven {
  readonly ides_transmission_id: string;
  readonly received_at: string;
  readonly sender_file_id: string;
}

export const NotificationForm = Type.Object({
  file: Type.String({ description: 'The package, as IDES has it', format: 'binary' }),
});
export const NotificationResult = Type.Object({
  notification_id: Type.String({ format: 'uuid' }),
  code: Type.String(),
  notification_ref_id: Type.String(),
  sender_file_id: Type.String(),
  declaration_id: Nullable('string', { format: 'uuid' }),
  message_no: Nullable('integer'),
  result: oneOf(NOTIFICATION_RESULTS),
  because: Nullable('string', { description: 'Why it changed nothing, or what is odd about it' }),
  received_at: Time,
});

export const RecordsQuery = Type.Object({ cursor: Cursor, limit: Limit }, STRICT);
export interface RecordsGiven {
  readonly cursor?: string;
  readonly limit?: number;
}

export const RecordsResult = Type.Object({
  next_cursor: Nullable('string'),
  data: Type.Array(
    Type.Object({
      message_no: Count,
      message_ref_id: Type.String(),
      code: Type.String(),
      doc_ref_id: Type.String(),
      doc_type: Nullable('string'),
      fields: Type.Array(
        Type.Object({ code: Type.String(), name: Type.String(), text: Type.String() }),
      ),
      meaning: Nullable('string'),
      pointer: Type.String({ description: 'Its place in the notification' }),
      report_type: Nullable('string'),
      reporting_fi: Nullable('string'),
    }),
  ),
});

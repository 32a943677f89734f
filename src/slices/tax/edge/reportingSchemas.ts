/** Institutions and their accounts as they stand on the wire. */
import { Type } from 'typebox';
import { inWords } from '#core/kernel';
import { CURSOR_CHARS_MAX, PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from '#platform/limits';
import {
  ACCOUNT_SHAPE,
  ACCOUNTS_TOGETHER_MAX,
  FI_SHAPE,
  IMPORT_FORMATS,
  IMPORT_MODES,
  IMPORT_STATUSES,
  REPORT_REGIMES,
  TOLD_FAULTS_MAX,
} from '#slices/tax';
import { Nullable } from '../../../api/nullable.ts';
import { schemaOf } from './shapeSchemas.ts';
import { oneOf } from './subjectSchemas.ts';

const STRICT = { additionalProperties: false } as const;
const GIIN_CHARS = 19;
const PERIOD_CHARS = 4;
const Time = Type.String({ format: 'date-time' });
const Count = Type.Integer({ minimum: 0 });

export const Giin = Type.String({
  maxLength: GIIN_CHARS,
  ...inWords(
    'a GIIN, such as 98Q96B.00000.LE.250',
    '^[0-9A-Z]{6}[.][0-9A-Z]{5}[.][A-Z]{2}[.][0-9]{3}$',
  ),
});
export const Period = Type.String({
  maxLength: PERIOD_CHARS,
  ...inWords('a year, such as 2025', '^20[0-9]{2}$'),
});
export const Cursor = Type.Optional(Type.String({ maxLength: CURSOR_CHARS_MAX, minLength: 1 }));
export const Limit = Type.Optional(
  Type.Integer({ default: PAGE_LIMIT_DEFAULT, maximum: PAGE_LIMIT_MAX, minimum: 1 }),
);

export const FiBody = schemaOf(FI_SHAPE);
export const FiResult = Type.Object(
  { giin: Giin, created_at: Time, updated_at: Time, updated_by: Type.String() },
  { additionalProperties: true, description: 'With all that was stated of the institution' },
);
export const FisPage = Type.Object({ data: Type.Array(FiResult) });

export const AccountsBody = Type.Object(
  {
    reporting_fi_giin: Giin,
    reporting_period: Period,
    accounts: Type.Array(Type.Unsafe<object>({ type: 'object' }), {
      description: 'As `listAccounts` shows them; each is checked alone',
      maxItems: ACCOUNTS_TOGETHER_MAX,
      minItems: 1,
    }),
  },
  STRICT,
);
export interface AccountsGiven {
  readonly reporting_fi_giin: string;
  readonly reporting_period: string;
  readonly accounts: readonly unknown[];
}

export const AccountsTaken = Type.Object({
  accepted: Count,
  rejected: Count,
  errors: Type.Array(
    Type.Object({
      index: Count,
      pointer: Type.String(),
      code: Type.String(),
      detail: Type.String(),
    }),
    { maxItems: TOLD_FAULTS_MAX },
  ),
});

export const AccountsQuery = Type.Object(
  {
    reporting_fi_giin: Type.String({ maxLength: GIIN_CHARS, minLength: 1 }),
    reporting_period: Type.String({ maxLength: PERIOD_CHARS, minLength: 1 }),
    regime: Type.Optional(oneOf(REPORT_REGIMES, 'Absent: FATCA')),
    reportable: Type.Optional(Type.Boolean()),
    cursor: Cursor,
    limit: Limit,
  },
  STRICT,
);

export const AccountsResult = Type.Object({
  data: Type.Array(
    Type.Object({
      account: schemaOf(ACCOUNT_SHAPE),
      reportable: Type.Boolean(),
      reasons: Type.Array(Type.String()),
    }),
  ),
  next_cursor: Nullable('string'),
});

const IMPORT_FIELDS = {
  reporting_fi_giin: Giin,
  reporting_period: Period,
  mode: oneOf(IMPORT_MODES, '`replace`: they take the place of all that are there'),
};
/** What of the form is no file. */
export const ImportFields = Type.Object(IMPORT_FIELDS, STRICT);
export const ImportForm = Type.Object(
  {
    ...IMPORT_FIELDS,
    file: Type.String({ description: 'JSON lines or CSV, plain or gzip', format: 'binary' }),
  },
  STRICT,
);

export const ImportResult = Type.Object({
  import_id: Type.String({ format: 'uuid' }),
  reporting_fi_giin: Giin,
  reporting_period: Period,
  mode: oneOf(IMPORT_MODES),
  format: oneOf(IMPORT_FORMATS),
  status: oneOf(IMPORT_STATUSES),
  bytes: Count,
  file_sha256: Type.String(),
  rows: Count,
  accepted: Count,
  rejected: Count,
  received_at: Time,
  ended_at: Nullable('string', { format: 'date-time' }),
  failure: Nullable('string'),
});

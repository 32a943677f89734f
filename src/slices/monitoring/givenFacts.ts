/** Facts of customers as callers send them: one as JSON, many as CSV. */
import { DomainError, type Violation } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { type CsvRow, csvRows } from './csvRows.ts';
import type { GivenFacts } from './customerFacts.ts';
import { isDate, readInstant } from './instants.ts';
import { readAmount } from './money.ts';
import { RISK_TIERS } from './ports.ts';

/** Characters of a customer's id. */
export const CUSTOMER_ID_CHARS_MAX = 128;
/** Rows of one CSV of facts. */
export const FACT_ROWS_MAX = 100_000;
/** Bytes of one. */
export const FACT_BYTES_MAX = 16 * 1024 ** 2;

/** Facts as they are sent, before anything is checked. */
export interface DraftFacts {
  readonly customer_id: string;
  /** RFC 3339 or a date; absent: from now on. */
  readonly valid_from?: string | undefined;
  readonly risk_tier?: string | undefined;
  readonly expected_turnover?: { readonly amount: string; readonly currency: string } | undefined;
  readonly opened_at?: string | undefined;
  readonly residence?: string | undefined;
}

/** What a draft does not say itself. */
export interface FactsContext {
  readonly zone: string;
  readonly now: EpochMs;
}

/** The facts, or everything that is wrong with them, by pointers into the draft. */
export function readFacts(
  draft: DraftFacts,
  { now, zone }: FactsContext,
): { readonly facts: GivenFacts } | { readonly violations: readonly Violation[] } {
  const violations: Violation[] = [];
  const wrong = (pointer: string, detail: string, code = 'format'): void => {
    violations.push({ code, detail, pointer });
  };
  const { customer_id, expected_turnover, opened_at, residence, risk_tier, valid_from } = draft;
  if (customer_id === '' || [...customer_id].length > CUSTOMER_ID_CHARS_MAX) {
    wrong('/customer_id', `expected 1 to ${CUSTOMER_ID_CHARS_MAX} characters`, 'range');
  }
  const from = valid_from === undefined ? now : validFrom(valid_from, zone);
  if (from === undefined) wrong('/valid_from', 'expected RFC 3339 or YYYY-MM-DD');
  const tier = RISK_TIERS.find((one) => one === risk_tier);
  if (risk_tier !== undefined && tier === undefined) {
    wrong('/risk_tier', `expected one of ${RISK_TIERS.join(', ')}`, 'range');
  }
  const turnover =
    expected_turnover && readAmount(expected_turnover.amount, expected_turnover.currency);
  if (turnover !== undefined && 'code' in turnover) {
    const at = turnover.code === 'currency' ? 'currency' : 'amount';
    wrong(`/expected_turnover/${at}`, 'expected an amount in the digits of an ISO 4217 currency');
  }
  if (opened_at !== undefined && !isDate(opened_at)) wrong('/opened_at', 'expected YYYY-MM-DD');
  if (residence !== undefined && !COUNTRY.test(residence)) {
    wrong('/residence', 'expected a country of ISO 3166 in two letters');
  }
  if (violations.length > 0 || from === undefined) return { violations };
  return {
    facts: {
      customerId: customer_id,
      ...(turnover !== undefined &&
        'amount' in turnover &&
        expected_turnover !== undefined && {
          expectedTurnover: { amount: turnover.amount, currency: expected_turnover.currency },
        }),
      ...(opened_at !== undefined && { openedAt: opened_at }),
      ...(residence !== undefined && { residence }),
      ...(tier !== undefined && { riskTier: tier }),
      validFrom: from,
    },
  };
}

const COUNTRY = /^[A-Z]{2}$/;

/** Facts of a day hold from its beginning in the tenant's zone. */
function validFrom(text: string, zone: string): EpochMs | undefined {
  const read = readInstant(text.length > 'YYYY-MM-DD'.length ? text : `${text}T00:00:00`, zone);
  return read && (Date.parse(read.at) as EpochMs);
}

const COLUMNS = [
  'customer_id',
  'valid_from',
  'risk_tier',
  'expected_turnover',
  'expected_turnover_currency',
  'opened_at',
  'residence',
] as const;

/** Facts of a CSV. Throws `csv-invalid`, or `body-invalid` by line and column. */
export function readFactsCsv(bytes: Uint8Array, context: FactsContext): readonly GivenFacts[] {
  const rows = csvRows(bytes, {
    columns: COLUMNS,
    required: ['customer_id'],
    rowsMax: FACT_ROWS_MAX,
  });
  const violations: Violation[] = [];
  const facts = rows.flatMap((row) => {
    const read = readFacts(draftOf(row), context);
    if ('facts' in read) return [read.facts];
    for (const violation of read.violations) {
      const detail = `line ${row.line}: ${violation.detail}`;
      violations.push({ ...violation, detail, pointer: `/${row.line}${violation.pointer}` });
    }
    return [];
  });
  if (violations.length === 0) return facts;
  throw new DomainError('body-invalid', {
    detail: `expected facts in every row, ${violations.length} found wrong; nothing was recorded`,
    violations: violations.slice(0, VIOLATIONS_TOLD),
  });
}

const VIOLATIONS_TOLD = 100;

function draftOf({ fields }: CsvRow): DraftFacts {
  const { customer_id = '', expected_turnover, expected_turnover_currency = '' } = fields;
  return {
    customer_id,
    ...(expected_turnover !== undefined && {
      expected_turnover: { amount: expected_turnover, currency: expected_turnover_currency },
    }),
    opened_at: fields.opened_at,
    residence: fields.residence,
    risk_tier: fields.risk_tier,
    valid_from: fields.valid_from,
  };
}

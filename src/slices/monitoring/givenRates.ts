/** Exchange rates as callers send them: JSON with their base, or CSV. */
import { DomainError, type Violation } from '#core/kernel';
import { parseStrictJson, StrictJsonError } from '#platform/strictJson';
import { csvRows } from './csvRows.ts';
import { type GivenRate, RATES_MAX, rateViolations } from './exchangeRates.ts';

const MEMBERS = ['currency', 'date', 'rate'] as const;
const DEPTH_MAX = 4;
const VIOLATIONS_TOLD = 100;

/** Throws `csv-invalid`, `body-too-large` or `body-invalid`. */
export function readRatesCsv(bytes: Uint8Array, base: string): readonly GivenRate[] {
  const rows = csvRows(bytes, { columns: MEMBERS, required: MEMBERS, rowsMax: RATES_MAX });
  const rates = rows.map(({ fields: { currency = '', date = '', rate = '' } }) => ({
    currency,
    date,
    rate,
  }));
  requireRight(rateViolations(rates, base, (at, name) => `/${rows[at]?.line ?? 0}/${name}`));
  return rates;
}

/** `{base, rates: [{currency, date, rate}]}`. Throws `json-malformed` or `body-invalid`. */
export function readRatesJson(bytes: Uint8Array, base: string): readonly GivenRate[] {
  const body = parsed(bytes);
  if (!isObject(body)) throw invalid('', 'expected an object', 'type');
  const { base: given, rates, ...others } = body;
  const [other] = Object.keys(others);
  if (other !== undefined) {
    throw invalid(`/${other}`, 'expected `base` and `rates` alone', 'unknown-member');
  }
  if (given !== base) {
    throw invalid('/base', `expected the tenant's base currency, ${base}`, 'range');
  }
  if (!Array.isArray(rates) || rates.length > RATES_MAX) {
    throw invalid('/rates', `expected an array of at most ${RATES_MAX} rates`, 'type');
  }
  const shaped = rates.map((one: unknown, at): GivenRate => {
    const isRate =
      isObject(one) &&
      Object.keys(one).length === MEMBERS.length &&
      MEMBERS.every((name) => typeof one[name] === 'string');
    if (isRate) return one as unknown as GivenRate;
    throw invalid(`/rates/${at}`, `expected ${MEMBERS.join(', ')} as strings`, 'type');
  });
  requireRight(rateViolations(shaped, base, (at, name) => `/rates/${at}/${name}`));
  return shaped;
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return parseStrictJson(bytes, { depthMax: DEPTH_MAX });
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error;
    throw new DomainError('json-malformed', { detail: error.message });
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function requireRight(violations: readonly Violation[]): void {
  if (violations.length === 0) return;
  throw new DomainError('body-invalid', {
    detail: `expected rates, ${violations.length} found wrong; nothing was published`,
    violations: violations.slice(0, VIOLATIONS_TOLD),
  });
}

function invalid(pointer: string, detail: string, code: string): DomainError {
  return new DomainError('body-invalid', { detail, violations: [{ code, detail, pointer }] });
}

/**
 * A cohort by query: `source: {type: "query", filter}` over the tenant's stored cases (interface
 * 2.3).
 *
 * The result is stored before it becomes a batch, as the JSON that a caller would have sent: cases
 * change while a batch runs, and a chunk that is done again must have the same subjects. After that
 * a query is like any other batch in JSON.
 */
import { DomainError, type TenantId, type Violation } from '#core/kernel';
import {
  type KnownCountries,
  type ReceivedJson,
  type ReceiveOptions,
  receiveJson,
} from '#slices/intake';
import type { CohortFilter, StoredCases } from './ports.ts';

const PAGE_SUBJECTS = 1_000;
export const RISK_TIERS_MAX = 16;
/** Which statuses and tiers there are is the cases' to say. */
const WORD = /^[a-z][a-z_]{0,31}$/;

type Checked = { readonly [name in keyof CohortFilter]?: CohortFilter[name] };

/**
 * Reads the member `source` of a body. An unknown key is refused, since ignoring it would screen
 * more people than were meant; an empty filter is all cases. Throws `body-invalid` with every
 * violation.
 */
export function parseCohortQuery(source: unknown, countries: KnownCountries): CohortFilter {
  const violations: Violation[] = [];
  const filter: { -readonly [name in keyof Checked]: Checked[name] } = {};
  if (!isObject(source)) violations.push(fault('', 'type', 'expected an object'));
  else {
    for (const name of Object.keys(source)) {
      if (name === 'type' || name === 'filter') continue;
      violations.push(fault(`/${pointerOf(name)}`, 'unknown-member', 'expected type and filter'));
    }
    if (source.type !== 'query') violations.push(fault('/type', 'format', 'expected query'));
    if (!isObject(source.filter)) violations.push(fault('/filter', 'type', 'expected an object'));
    else {
      for (const [key, value] of Object.entries(source.filter)) {
        const expected = setKey(filter, key, value, countries);
        if (expected === undefined) continue;
        const code = Object.hasOwn(EXPECTED, key) ? 'format' : 'unknown-member';
        violations.push(fault(`/filter/${pointerOf(key)}`, code, expected));
      }
    }
  }
  if (violations.length === 0) return filter;
  const detail = violations.map((one) => one.detail).join('; ');
  throw new DomainError('body-invalid', { detail, violations });
}

const EXPECTED: Readonly<Record<string, string>> = {
  'kyc_case.risk_tier': `expected 1 to ${RISK_TIERS_MAX} words`,
  'kyc_case.status': 'expected a word',
  'subject.country_residence': 'expected an ISO 3166-1 alpha-2 code in use',
};

/** Sets a key; answers what was expected where the value is wrong. */
function setKey(
  filter: { -readonly [name in keyof Checked]: Checked[name] },
  key: string,
  value: unknown,
  countries: KnownCountries,
): string | undefined {
  switch (key) {
    case 'kyc_case.status':
      if (!isWord(value)) return EXPECTED[key];
      filter.caseStatus = value;
      return undefined;
    case 'kyc_case.risk_tier': {
      const isList = Array.isArray(value) && value.length > 0 && value.length <= RISK_TIERS_MAX;
      if (!isList || !value.every(isWord)) return EXPECTED[key];
      filter.caseRiskTiers = [...new Set(value)];
      return undefined;
    }
    case 'subject.country_residence':
      if (typeof value !== 'string' || !Object.hasOwn(countries, value)) return EXPECTED[key];
      filter.countryResidence = value;
      return undefined;
    default:
      return `expected only ${Object.keys(EXPECTED).join(', ')}`;
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isWord = (value: unknown): value is string => typeof value === 'string' && WORD.test(value);
/** RFC 6901. */
const pointerOf = (name: string): string =>
  name.slice(0, 64).replaceAll('~', '~0').replaceAll('/', '~1');
const fault = (pointer: string, code: string, detail: string): Violation => ({
  code,
  detail,
  pointer: `/source${pointer}`,
});

/** Writes down who the query finds now; `rows` may be 0. */
export async function receiveQuery(
  cases: StoredCases,
  ask: { readonly tenantId: TenantId; readonly filter: CohortFilter },
  options: ReceiveOptions & { readonly countries: KnownCountries },
): Promise<ReceivedJson> {
  return receiveJson(asJson(cases, ask), { ...options, mayReject: true });
}

async function* asJson(
  cases: StoredCases,
  ask: { readonly tenantId: TenantId; readonly filter: CohortFilter },
): AsyncGenerator<Uint8Array> {
  let last: string | undefined;
  yield Buffer.from('{"subjects":[');
  for (;;) {
    const page = await cases.listSubjects({
      ...ask,
      limit: PAGE_SUBJECTS,
      ...(last !== undefined && { afterExternalId: last }),
    });
    const text = page.map((subject) => JSON.stringify(subject)).join(',\n');
    if (page.length > 0) yield Buffer.from(last === undefined ? text : `,\n${text}`);
    last = page.at(-1)?.external_id ?? last;
    if (page.length < PAGE_SUBJECTS) break;
  }
  yield Buffer.from(']}');
}

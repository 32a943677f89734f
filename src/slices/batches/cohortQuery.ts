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
import type { CaseWords, CohortFilter, StoredCases } from './ports.ts';

const PAGE_SUBJECTS = 1_000;
export const RISK_TIERS_MAX = 16;

/** What the values of a filter are compared with. */
export interface KnownWords {
  readonly countries: KnownCountries;
  readonly cases: CaseWords;
}

type Checked = { readonly [name in keyof CohortFilter]?: CohortFilter[name] };

/**
 * Reads the member `source` of a body. An unknown key is refused, since ignoring it would screen
 * more people than were meant; so is an unknown word, which would screen nobody and say nothing. An
 * empty filter is all cases. Throws `body-invalid` with every violation.
 */
export function parseCohortQuery(source: unknown, known: KnownWords): CohortFilter {
  const expectations = expectedOf(known.cases);
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
        if (setKey(filter, key, value, known)) continue;
        const isKnown = Object.hasOwn(expectations, key);
        const expected = isKnown
          ? expectations[key as keyof typeof expectations]
          : `expected only ${Object.keys(expectations).join(', ')}`;
        const code = isKnown ? 'format' : 'unknown-member';
        violations.push(fault(`/filter/${pointerOf(key)}`, code, expected));
      }
    }
  }
  if (violations.length === 0) return filter;
  const detail = violations.map((one) => one.detail).join('; ');
  throw new DomainError('body-invalid', { detail, violations });
}

const expectedOf = ({ riskTiers, statuses }: CaseWords) => ({
  'kyc_case.risk_tier': `expected 1 to ${RISK_TIERS_MAX} of ${riskTiers.join(', ')}`,
  'kyc_case.status': `expected one of ${statuses.join(', ')}`,
  'subject.country_residence': 'expected an ISO 3166-1 alpha-2 code in use',
});

/** Sets a key; false where there is none of that name, or it has no such value. */
function setKey(
  filter: { -readonly [name in keyof Checked]: Checked[name] },
  key: string,
  value: unknown,
  { cases: { riskTiers, statuses }, countries }: KnownWords,
): boolean {
  switch (key) {
    case 'kyc_case.status':
      if (!isOneOf(statuses, value)) return false;
      filter.caseStatus = value;
      return true;
    case 'kyc_case.risk_tier': {
      const isList = Array.isArray(value) && value.length > 0 && value.length <= RISK_TIERS_MAX;
      if (!isList || !value.every((one) => isOneOf(riskTiers, one))) return false;
      filter.caseRiskTiers = [...new Set(value)];
      return true;
    }
    case 'subject.country_residence':
      if (typeof value !== 'string' || !Object.hasOwn(countries, value)) return false;
      filter.countryResidence = value;
      return true;
    default:
      return false;
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isOneOf = (words: readonly string[], value: unknown): value is string =>
  typeof value === 'string' && words.includes(value);
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

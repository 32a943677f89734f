/**
 * Whether a value is an account: its members by shapes, and what shapes do not see. Every fault has
 * a pointer and what was expected, never the value.
 */
import type { Violation } from '#core/kernel';
import {
  exponentOf,
  type ObjectShape,
  type Shape,
  shapeOf,
  violationsOf,
} from '#slices/monitoring';
import {
  ACCOUNT_NUMBER_TYPES,
  ACCOUNT_TYPES,
  ADDRESS_TYPES,
  CRS_HOLDERS,
  DD_PROCEDURES,
  EQUITY_INTERESTS,
  FATCA_HOLDERS,
  FATCA_POOLS,
  NAME_TYPES,
  PARTY_KINDS,
  PAYMENT_TYPES,
  PERSON_ROLES,
  REPORT_REGIMES,
  type ReportedAccount,
  type TaxParty,
} from './account.ts';
import { isCountry } from './checkInputs.ts';
import { JURISDICTIONS_MAX, PERSONS_MAX, REF_CHARS_MAX } from './limits.ts';
import { AMOUNT } from './money.ts';

const { form, list, object, text, words } = shapeOf;

/** Characters of a text of the schemas. */
const TEXT_CHARS_MAX = 200;
const FREE_CHARS_MAX = 4_000;
const PLACES_MAX = 10;
const HOLDERS_MAX = 200;
const TIN_FORM = /^[^\s].{0,199}$/u;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const flag: Shape = { kind: 'flag' };
const country: Shape = { kind: 'country' };
const day: Shape = { kind: 'date' };
const short = text(TEXT_CHARS_MAX);
const amount = form(AMOUNT, 'an amount that is not negative, with two decimals, such as 1.50');
const currency = form(/^[A-Z]{3}$/, 'a currency of ISO 4217');

const address = object(
  {
    building: short,
    city: short,
    country,
    district: short,
    floor: short,
    free: text(FREE_CHARS_MAX),
    po_box: short,
    post_code: short,
    street: short,
    subentity: short,
    suite: short,
    type: words(ADDRESS_TYPES),
  },
  ['country'],
);

const party = object(
  {
    addresses: list(address, PLACES_MAX),
    birth: object({ city: short, country, date: day }),
    kind: words(PARTY_KINDS),
    names: list(
      object({ first: short, last: short, middle: short, name: short, type: words(NAME_TYPES) }),
      PLACES_MAX,
    ),
    nationalities: list(country, PLACES_MAX),
    residence_countries: list(country, PLACES_MAX),
    tins: list(
      object({ country, type: short, value: form(TIN_FORM, 'a tax number') }, ['country', 'value']),
      PLACES_MAX,
    ),
  },
  ['kind', 'names', 'residence_countries', 'addresses'],
);

/** An address of the same form, for institutions. */
export const ADDRESS_SHAPE: ObjectShape = address;

/** An account as it is sent. */
export const ACCOUNT_SHAPE: ObjectShape = object(
  {
    account_number: short,
    account_number_type: words(ACCOUNT_NUMBER_TYPES),
    account_ref: text(REF_CHARS_MAX),
    account_type: words(ACCOUNT_TYPES),
    balance: object({ amount, currency }, ['amount', 'currency']),
    classification_id: form(UUID, 'the id of a classification'),
    closed: flag,
    controlling_persons: list(
      object(
        {
          party,
          person_ref: text(REF_CHARS_MAX),
          regimes: list(words(REPORT_REGIMES), REPORT_REGIMES.length),
          roles: list(words(PERSON_ROLES), PERSON_ROLES.length),
          self_cert: flag,
        },
        ['party'],
      ),
      PERSONS_MAX,
    ),
    crs: object(
      {
        holder_type: words(CRS_HOLDERS),
        reportable_jurisdictions: list(country, JURISDICTIONS_MAX),
      },
      ['reportable_jurisdictions'],
    ),
    dd_procedure: words(DD_PROCEDURES),
    dormant: flag,
    equity_interest_types: list(words(EQUITY_INTERESTS), EQUITY_INTERESTS.length),
    fatca: object(
      { holder_type: words(FATCA_HOLDERS), pool_type: words(FATCA_POOLS), reportable: flag },
      ['reportable'],
    ),
    holder: party,
    joint_holders: { kind: 'count', max: HOLDERS_MAX },
    opened_at: day,
    payments: list(
      object({ amount, currency, type: words(PAYMENT_TYPES) }, ['type', 'amount', 'currency']),
      PAYMENT_TYPES.length,
    ),
    self_cert: flag,
    undocumented: flag,
  },
  ['account_ref', 'account_number', 'balance', 'holder'],
);

/** An account, or why it is none. */
export type CheckedAccount =
  | { readonly account: ReportedAccount }
  | { readonly violations: readonly Violation[] };

/** Never throws. */
export function checkAccount(value: unknown): CheckedAccount {
  const byShape = violationsOf(value, ACCOUNT_SHAPE);
  if (byShape.length > 0) return { violations: byShape };
  const account = value as ReportedAccount;
  const violations = ruleFaults(account);
  return violations.length > 0 ? { violations } : { account };
}

type Found = Violation[];

function ruleFaults(account: ReportedAccount): readonly Violation[] {
  const found: Found = [];
  currencyFault(account.balance.currency, '/balance/currency', found);
  const types = new Set<string>();
  for (const [at, payment] of (account.payments ?? []).entries()) {
    currencyFault(payment.currency, `/payments/${at}/currency`, found);
    if (types.has(payment.type)) {
      tell(found, `/payments/${at}/type`, 'repeated', 'expected each type of payment once');
    }
    types.add(payment.type);
  }
  if (account.joint_holders === 0) {
    tell(found, '/joint_holders', 'range', `expected 1 to ${HOLDERS_MAX}`);
  }
  countryFaults(account.crs?.reportable_jurisdictions, '/crs/reportable_jurisdictions', found);
  partyFaults(account.holder, '/holder', found);
  const persons = account.controlling_persons ?? [];
  for (const [at, person] of persons.entries()) {
    partyFaults(person.party, `/controlling_persons/${at}/party`, found);
  }
  if (account.holder.kind === 'individual' && persons.length > 0) {
    tell(found, '/controlling_persons', 'unexpected', 'expected none: the holder is a person');
  }
  return found;
}

function partyFaults(of: TaxParty, pointer: string, found: Found): void {
  if (of.names.length === 0) tell(found, `${pointer}/names`, 'missing', 'expected a name');
  if (of.addresses.length === 0) {
    tell(found, `${pointer}/addresses`, 'missing', 'expected an address');
  }
  for (const [at, name] of of.names.entries()) {
    const wanted = of.kind === 'individual' ? (['first', 'last'] as const) : (['name'] as const);
    for (const part of wanted) {
      if (name[part] !== undefined) continue;
      tell(found, `${pointer}/names/${at}/${part}`, 'missing', 'expected this member');
    }
  }
  for (const [at, one] of of.addresses.entries()) {
    countryFaults([one.country], `${pointer}/addresses/${at}/country`, found, true);
    if (one.city !== undefined || one.free !== undefined) continue;
    tell(found, `${pointer}/addresses/${at}/city`, 'missing', 'expected a city, or `free`');
  }
  countryFaults(of.residence_countries, `${pointer}/residence_countries`, found);
  countryFaults(of.nationalities, `${pointer}/nationalities`, found);
  for (const [at, tin] of (of.tins ?? []).entries()) {
    countryFaults([tin.country], `${pointer}/tins/${at}/country`, found, true);
  }
  if (of.birth?.country !== undefined) {
    countryFaults([of.birth.country], `${pointer}/birth/country`, found, true);
  }
}

function countryFaults(
  codes: readonly string[] | undefined,
  pointer: string,
  found: Found,
  isOne = false,
): void {
  for (const [at, code] of (codes ?? []).entries()) {
    if (isCountry(code)) continue;
    const where = isOne ? pointer : `${pointer}/${at}`;
    tell(found, where, 'format', 'expected a country of ISO 3166-1');
  }
}

function currencyFault(code: string, pointer: string, found: Found): void {
  if (exponentOf(code) !== undefined) return;
  tell(found, pointer, 'currency', 'expected a currency of ISO 4217 that is in use');
}

function tell(found: Found, pointer: string, code: string, detail: string): void {
  found.push({ code, detail, pointer });
}

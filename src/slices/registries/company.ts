/** A company in the shape that all registries are brought to: what one does not give is null. */
import { partialDateFault } from '#slices/screening';

/** States of a company. */
export const COMPANY_STATUSES = [
  'active',
  'suspended',
  'in_liquidation',
  'struck_off',
  'unknown',
] as const;
/** One of COMPANY_STATUSES. */
export type CompanyStatus = (typeof COMPANY_STATUSES)[number];

/** Who runs a company, or owns it. */
export interface CompanyPerson {
  readonly name: string;
  readonly name_ar: string | null;
  readonly role: string | null;
  readonly since: string | null;
}

/** Where a company sits. */
export interface CompanyOffice {
  readonly line1: string | null;
  readonly city: string | null;
  readonly region: string | null;
  readonly postal_code: string | null;
  readonly country: string | null;
}

/** All members are always there. */
export interface Company {
  readonly identifier: string;
  readonly tax_id: string | null;
  readonly legal_name: string;
  readonly legal_name_ar: string | null;
  readonly trade_name: string | null;
  readonly legal_form: { readonly code: string | null; readonly label: string | null } | null;
  readonly status: CompanyStatus;
  readonly registered_on: string | null;
  readonly struck_off_on: string | null;
  readonly registered_office: CompanyOffice | null;
  readonly activity: {
    readonly code: string | null;
    readonly scheme: 'NAF' | 'NAT' | null;
    readonly label: string | null;
  } | null;
  readonly capital: { readonly amount: string; readonly currency: string } | null;
  readonly officers: readonly CompanyPerson[];
  readonly beneficial_owners: readonly CompanyPerson[] | null;
}

const TEXT_CHARS_MAX = 500;
const PEOPLE_MAX = 100;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const AMOUNT = /^\d{1,15}(?:\.\d{1,3})?$/;
const CURRENCY = /^[A-Z]{3}$/;

type Raw = Readonly<Record<string, unknown>>;

/**
 * A company of what a registry says, which is believed in form alone: texts of some length, days
 * that there are. Undefined where it has no name.
 */
export function companyOf(identifier: string, said: unknown): Company | undefined {
  const raw = objectOf(said) ?? {};
  const name = text(raw.legal_name);
  if (name === null) return undefined;
  return {
    activity: activityOf(raw.activity),
    beneficial_owners: Array.isArray(raw.beneficial_owners) ? people(raw.beneficial_owners) : null,
    capital: capitalOf(raw.capital),
    identifier,
    legal_form: legalFormOf(raw.legal_form),
    legal_name: name,
    legal_name_ar: text(raw.legal_name_ar),
    officers: people(raw.officers),
    registered_office: officeOf(raw.registered_office),
    registered_on: day(raw.registered_on),
    status: COMPANY_STATUSES.find((one) => one === raw.status) ?? 'unknown',
    struck_off_on: day(raw.struck_off_on),
    tax_id: text(raw.tax_id),
    trade_name: text(raw.trade_name),
  };
}

const objectOf = (value: unknown): Raw | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Raw) : undefined;

/** Control characters, and those that turn text around, say nothing that is shown. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
const UNSHOWN = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

function text(value: unknown): string | null {
  const shown =
    typeof value === 'string' || typeof value === 'number'
      ? [...String(value).replace(UNSHOWN, ' ').trim()].slice(0, TEXT_CHARS_MAX).join('')
      : '';
  return shown === '' ? null : shown;
}

function day(value: unknown): string | null {
  const found = text(value)?.slice(0, 10) ?? '';
  return DAY.test(found) && partialDateFault(found) === undefined ? found : null;
}

function people(value: unknown): readonly CompanyPerson[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, PEOPLE_MAX).flatMap((one) => {
    const raw: Raw = objectOf(one) ?? { name: one };
    const name = text(raw.name);
    if (name === null) return [];
    return [{ name, name_ar: text(raw.name_ar), role: text(raw.role), since: day(raw.since) }];
  });
}

function officeOf(value: unknown): CompanyOffice | null {
  const raw: Raw = objectOf(value) ?? { line1: value };
  const office = {
    city: text(raw.city),
    country: text(raw.country),
    line1: text(raw.line1),
    postal_code: text(raw.postal_code),
    region: text(raw.region),
  };
  return Object.values(office).every((one) => one === null) ? null : office;
}

function legalFormOf(value: unknown): Company['legal_form'] {
  const raw: Raw = objectOf(value) ?? { label: value };
  const form = { code: text(raw.code), label: text(raw.label) };
  return form.code === null && form.label === null ? null : form;
}

function activityOf(value: unknown): Company['activity'] {
  const raw: Raw = objectOf(value) ?? { code: value };
  const scheme = (['NAF', 'NAT'] as const).find((one) => one === raw.scheme) ?? null;
  const activity = { code: text(raw.code), label: text(raw.label), scheme };
  return activity.code === null && activity.label === null ? null : activity;
}

function capitalOf(value: unknown): Company['capital'] {
  const raw: Raw = objectOf(value) ?? {};
  const amount = text(raw.amount) ?? '';
  const currency = text(raw.currency) ?? '';
  return AMOUNT.test(amount) && CURRENCY.test(currency) ? { amount, currency } : null;
}

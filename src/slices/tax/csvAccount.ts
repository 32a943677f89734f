/** A row of a CSV as an account: each column has a place in it. */

type Draft = { [name: string]: unknown };
type Kind = 'country-list' | 'count' | 'flag' | 'text';

/** Where each column goes; numbers are places of lists. */
const COLUMNS: Readonly<Record<string, readonly [path: readonly (number | string)[], kind: Kind]>> =
  {
    account_ref: [['account_ref'], 'text'],
    account_number: [['account_number'], 'text'],
    account_number_type: [['account_number_type'], 'text'],
    account_type: [['account_type'], 'text'],
    dd_procedure: [['dd_procedure'], 'text'],
    opened_at: [['opened_at'], 'text'],
    closed: [['closed'], 'flag'],
    dormant: [['dormant'], 'flag'],
    undocumented: [['undocumented'], 'flag'],
    joint_holders: [['joint_holders'], 'count'],
    balance: [['balance', 'amount'], 'text'],
    currency: [['balance', 'currency'], 'text'],
    interest: [['payments', 'interest'], 'text'],
    dividends: [['payments', 'dividends'], 'text'],
    holder_kind: [['holder', 'kind'], 'text'],
    first_name: [['holder', 'names', 0, 'first'], 'text'],
    last_name: [['holder', 'names', 0, 'last'], 'text'],
    organisation_name: [['holder', 'names', 0, 'name'], 'text'],
    residence: [['holder', 'residence_countries'], 'country-list'],
    tin: [['holder', 'tins', 0, 'value'], 'text'],
    tin_country: [['holder', 'tins', 0, 'country'], 'text'],
    street: [['holder', 'addresses', 0, 'street'], 'text'],
    post_code: [['holder', 'addresses', 0, 'post_code'], 'text'],
    city: [['holder', 'addresses', 0, 'city'], 'text'],
    country: [['holder', 'addresses', 0, 'country'], 'text'],
    birth_date: [['holder', 'birth', 'date'], 'text'],
    self_cert: [['self_cert'], 'flag'],
    fatca_reportable: [['fatca', 'reportable'], 'flag'],
    fatca_holder_type: [['fatca', 'holder_type'], 'text'],
    crs_jurisdictions: [['crs', 'reportable_jurisdictions'], 'country-list'],
    crs_holder_type: [['crs', 'holder_type'], 'text'],
    classification_id: [['classification_id'], 'text'],
  };

/** The names of all columns. */
export const CSV_ACCOUNT_COLUMNS: readonly string[] = Object.keys(COLUMNS);
/** Those that no file can do without. */
export const REQUIRED_COLUMNS = [
  'account_ref',
  'account_number',
  'balance',
  'currency',
  'holder_kind',
  'residence',
  'country',
] as const;

const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
]);

/** A draft for `checkAccount`: what a field does not say is absent, what it says wrongly stays. */
export function csvAccount(columns: readonly string[], fields: readonly string[]): unknown {
  const draft: Draft = {};
  for (const [at, name] of columns.entries()) {
    const text = fields[at]?.trim() ?? '';
    const [path, kind] = COLUMNS[name] ?? [];
    if (text === '' || path === undefined || kind === undefined) continue;
    put(draft, path, read(text, kind));
  }
  return withPayments(draft);
}

function read(text: string, kind: Kind): unknown {
  if (kind === 'flag') return FLAGS.get(text.toLowerCase()) ?? text;
  if (kind === 'count') return /^[0-9]{1,9}$/.test(text) ? Number(text) : text;
  return kind === 'country-list' ? text.split(/\s+/) : text;
}

function put(draft: Draft, path: readonly (number | string)[], value: unknown): void {
  let at = draft as Record<number | string, unknown>;
  for (const [depth, step] of path.entries()) {
    if (depth === path.length - 1) {
      at[step] = value;
      return;
    }
    at[step] ??= typeof path[depth + 1] === 'number' ? [] : {};
    at = at[step] as Record<number | string, unknown>;
  }
}

/** Payments come by type, in the currency of the balance. */
function withPayments(draft: Draft): Draft {
  const { payments, ...account } = draft as Draft & {
    readonly payments?: Readonly<Record<string, string>>;
    readonly balance?: { readonly currency?: string };
  };
  if (payments === undefined) return account;
  const currency = account.balance?.currency;
  return {
    ...account,
    payments: Object.entries(payments).map(([type, amount]) => ({ amount, currency, type })),
  };
}

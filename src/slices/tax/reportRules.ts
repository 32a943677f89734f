/**
 * What a report must say beyond its schema: rules of the IRS, and those of the OECD by their codes.
 * A finding has a pointer into the account and what was expected, never a value.
 */
import { isIban } from '#slices/monitoring';
import type { ReportedAccount, TaxParty } from './account.ts';
import type { ReportSchema } from './dialects.ts';
import { readTin } from './tin.ts';
import { hasForbidden, isTamed } from './xmlWriter.ts';

/** One finding; without a reference it is of the whole report. */
export interface ReportFinding {
  readonly accountRef?: string;
  readonly pointer: string;
  readonly code: string;
  readonly detail: string;
  readonly severity: 'error' | 'warning';
}

/** What the rules know of a report. */
export interface RuleContext {
  readonly schema: ReportSchema;
  readonly period: string;
  readonly receivingCountry: string;
  readonly isExchange: boolean;
  readonly igaModel: string;
}

type Tell = (
  pointer: string,
  code: string,
  detail: string,
  severity?: ReportFinding['severity'],
) => void;

const BIRTH_YEAR_FIRST = 1900;

/** Everything that is wrong with an account in this report. */
export function accountFindings(
  account: ReportedAccount,
  context: RuleContext,
): readonly ReportFinding[] {
  const found: ReportFinding[] = [];
  const tell: Tell = (pointer, code, detail, severity = 'error') =>
    found.push({ accountRef: account.account_ref, code, detail, pointer, severity });
  textFaults(account, '', tell);
  if (context.schema === 'fatca-2.0') fatcaRules(account, context, tell);
  else {
    crsRules(account, context, tell);
    if (context.schema === 'crs-3.0') crs3Rules(account, tell);
  }
  return found;
}

/** What is wrong with the texts of the institution, which stand in the head of each message. */
export function headFindings(content: object): readonly ReportFinding[] {
  const found: ReportFinding[] = [];
  textFaults(content, '/reporting_fi', (pointer, code, detail, severity = 'error') =>
    found.push({ code, detail, pointer, severity }),
  );
  return found;
}

function textFaults(value: unknown, pointer: string, tell: Tell): void {
  if (typeof value === 'string') {
    if (hasForbidden(value)) tell(pointer, 'chars', 'expected no control characters');
    if (isTamed(value)) {
      const detail = 'expected no --, no /* and no &#: it goes out as -, / * and & #';
      tell(pointer, 'chars-rewritten', detail, 'warning');
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value))
      textFaults(member, `${pointer}/${name}`, tell);
  }
}

function fatcaRules(account: ReportedAccount, context: RuleContext, tell: Tell): void {
  const { controlling_persons: persons = [], fatca, holder } = account;
  const type = fatca?.holder_type;
  if (holder.kind === 'organisation' && type === undefined) {
    tell('/fatca/holder_type', 'fatca-holder', 'expected the code of an organisation');
  }
  if (type === 'FATCA101' || type === 'FATCA102') {
    const isAmerican = ({ party }: { readonly party: TaxParty }) =>
      (party.tins ?? []).some(({ country }) => country === 'US');
    if (!persons.some(isAmerican)) {
      const detail = 'expected a substantial owner with a TIN of the US';
      tell('/controlling_persons', 'fatca-owners', detail);
    }
  } else if (persons.length > 0) {
    tell('/controlling_persons', 'fatca-owners', `expected none for ${type ?? 'a person'}`);
  }
  const isUs = holder.kind === 'individual' || type === 'FATCA104';
  if (isUs) usTin(holder, '/holder', context, tell);
  for (const [at, { party }] of persons.entries()) {
    usTin(party, `/controlling_persons/${at}/party`, context, tell);
  }
  birth(holder, '/holder', { code: 'fatca-birth', period: context.period }, tell);
  if (account.closed === true && !/^0\.00$/.test(account.balance.amount)) {
    tell('/balance/amount', 'fatca-balance', 'expected 0.00: the account is closed', 'warning');
  }
}

function usTin(party: TaxParty, pointer: string, context: RuleContext, tell: Tell): void {
  const places = (party.tins ?? []).flatMap((tin, at) =>
    tin.country === 'US' ? [{ at, tin }] : [],
  );
  if (places.length === 0) {
    const severity = context.igaModel === 'model_1' ? 'warning' : 'error';
    tell(`${pointer}/tins`, 'fatca-tin', 'expected a TIN of the US, or a code for none', severity);
  }
  for (const { at, tin } of places) {
    const { state } = readTin({ ...tin, period: Number(context.period) });
    if (state !== 'invalid') continue;
    tell(`${pointer}/tins/${at}/value`, 'fatca-tin', 'expected nine digits that can be a TIN');
  }
}

function birth(
  { birth: of }: TaxParty,
  pointer: string,
  { code, period }: { readonly code: string; readonly period: string },
  tell: Tell,
): void {
  if (of?.date === undefined) return;
  const year = Number(of.date.slice(0, 4));
  if (year >= BIRTH_YEAR_FIRST && of.date <= `${period}-12-31`) return;
  const detail = `expected a day from ${BIRTH_YEAR_FIRST} to the end of the period`;
  tell(`${pointer}/birth/date`, code, detail);
}

function crsRules(account: ReportedAccount, context: RuleContext, tell: Tell): void {
  const { account_number: number, account_number_type: numberType } = account;
  const { controlling_persons: persons = [], crs, holder } = account;
  if (numberType === 'OECD601' && !isIban(number)) {
    tell('/account_number', '60000', 'expected an IBAN: the type of the number is OECD601');
  }
  if (numberType === 'OECD603' && !isIsin(number)) {
    tell('/account_number', '60001', 'expected an ISIN: the type of the number is OECD603');
  }
  if (account.closed === true && !/^0\.00$/.test(account.balance.amount)) {
    tell('/balance/amount', '60003', 'expected 0.00: the account is closed');
  }
  const type = crs?.holder_type;
  if (holder.kind === 'organisation' && type === undefined) {
    tell('/crs/holder_type', 'crs-holder', 'expected the code of an organisation');
  }
  if ((type === 'CRS102' || type === 'CRS103') && persons.length > 0) {
    tell('/controlling_persons', '60005', `expected none for ${type}`);
  }
  if (type === 'CRS101' && persons.length === 0) {
    tell('/controlling_persons', '60006', 'expected a controlling person for CRS101');
  }
  const parties = [
    ['/holder', holder] as const,
    ...persons.map(({ party }, at) => [`/controlling_persons/${at}/party`, party] as const),
  ];
  for (const [pointer, party] of parties) {
    birth(party, pointer, { code: '60014', period: context.period }, tell);
    crsTins(party, pointer, context, tell);
  }
  if (context.isExchange) residences(account, context, tell);
}

/** Under exchange every person must live where the report goes to. */
function residences(account: ReportedAccount, context: RuleContext, tell: Tell): void {
  const { controlling_persons: persons = [], crs, holder } = account;
  const livesThere = ({ residence_countries: of }: TaxParty) =>
    of.includes(context.receivingCountry);
  const detail = 'expected a residence where the report goes to';
  const isByPersons = crs?.holder_type === 'CRS101';
  if (holder.kind === 'individual' && !livesThere(holder)) {
    tell('/holder/residence_countries', '60011', detail);
  }
  if (holder.kind === 'organisation' && !isByPersons && !livesThere(holder)) {
    tell('/holder/residence_countries', '60012', detail);
  }
  if (!isByPersons) return;
  for (const [at, { party }] of persons.entries()) {
    if (livesThere(party)) continue;
    tell(`/controlling_persons/${at}/party/residence_countries`, '60012', detail);
  }
}

function crsTins(party: TaxParty, pointer: string, context: RuleContext, tell: Tell): void {
  for (const [at, tin] of (party.tins ?? []).entries()) {
    if (readTin({ ...tin, period: Number(context.period) }).state !== 'invalid') continue;
    const detail = `expected a tax number of ${tin.country}`;
    tell(`${pointer}/tins/${at}/value`, 'crs-tin', detail, 'warning');
  }
}

/** What version 3.0 asks for beside, without defaults: a guess would be a statement. */
function crs3Rules(account: ReportedAccount, tell: Tell): void {
  const { account_type: type, controlling_persons: persons = [] } = account;
  const wanted = ['self_cert', 'account_type', 'dd_procedure'] as const;
  for (const name of wanted) {
    if (account[name] === undefined) tell(`/${name}`, 'crs-missing', 'expected this member');
  }
  for (const [at, { roles = [], self_cert: cert }] of persons.entries()) {
    const pointer = `/controlling_persons/${at}`;
    if (roles.length === 0) tell(`${pointer}/roles`, 'crs-missing', 'expected a role');
    if (cert === undefined) tell(`${pointer}/self_cert`, 'crs-missing', 'expected this member');
  }
  const numberType = account.account_number_type;
  if (numberType === 'OECD606' && type !== 'CRS1101') {
    tell('/account_type', '60017', 'expected CRS1101: the number is one of e-money');
  }
  if (numberType === 'OECD601' && type !== 'CRS1101') {
    tell('/account_type', '60018', 'expected CRS1101: the number is an IBAN', 'warning');
  }
  if ((account.equity_interest_types ?? []).length > 0 && type !== 'CRS1104') {
    tell('/account_type', '60019', 'expected CRS1104: there is an equity interest');
  }
  if (type === 'CRS1103' && numberType !== undefined && numberType !== 'OECD605') {
    tell('/account_number_type', '60020', 'expected OECD605 for CRS1103', 'warning');
  }
  const paid = (account.payments ?? []).map(({ type: one }) => one);
  if (type === 'CRS1101' && paid.some((one) => one !== 'interest')) {
    tell('/payments', '60021', 'expected interest alone for CRS1101', 'warning');
  }
  const isOfProceeds = paid.every((one) => one === 'gross_proceeds' || one === 'other');
  if (type === 'CRS1104' && !isOfProceeds) {
    tell('/payments', '60022', 'expected gross proceeds or other for CRS1104', 'warning');
  }
  if (type === 'CRS1103' && !isOfProceeds) {
    tell('/payments', '60023', 'expected gross proceeds or other for CRS1103', 'warning');
  }
}

const ISIN = /^[A-Z]{2}[A-Z0-9]{9}[0-9]$/;

/** Whether it has the form of an ISIN, and its check digit is right (ISO 6166). */
export function isIsin(text: string): boolean {
  if (!ISIN.test(text)) return false;
  const digits = [...text].map((sign) => Number.parseInt(sign, 36).toString()).join('');
  let sum = 0;
  for (const [at, digit] of [...digits].toReversed().entries()) {
    const value = Number(digit) * (at % 2 === 0 ? 1 : 2);
    sum += value > 9 ? value - 9 : value;
  }
  return sum % 10 === 0;
}

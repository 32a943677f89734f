/** What the tables ask about a natural person, answered from the files of the institution. */
import { FIGURES } from './classificationTables.ts';
import type { Facts } from './decisionTable.ts';
import { formDueOf } from './formFacts.ts';
import { type Indicium, isHeldMailOnly } from './indicia.ts';
import { isAbove } from './money.ts';
import type { ClassificationInputs, IndividualSubject, TaxAccount } from './taxSubject.ts';

/** What both tables are asked about. */
export interface IndividualAsk {
  readonly subject: IndividualSubject;
  readonly inputs: ClassificationInputs;
  readonly indicia: readonly Indicium[];
  /** The time for documents and cures is over. */
  readonly isOverdue: boolean;
}

const yesNo = (is: boolean | undefined): 'no' | 'yes' => (is ? 'yes' : 'no');

export function fatcaFacts({ indicia, inputs, isOverdue, subject }: IndividualAsk): Facts {
  const { account, institution } = inputs;
  return {
    account: account.opened,
    documents: documentsOf(subject, account, isOverdue),
    dormant: yesNo(account.dormant),
    excepted: yesNo(subject.excepted_from_specified),
    floor: isBelowFloor(account) ? 'below' : 'above',
    form: formFact(inputs, 'FATCA'),
    indicia: usIndicia(indicia),
    model: institution.iga_model,
    us_status: usStatus(subject),
  };
}

/** A form that was made incorrect and whose successor is awaited is `changed`. */
export const formFact = (inputs: ClassificationInputs, regime: 'CRS' | 'FATCA'): string =>
  formDueOf(inputs, regime) === undefined ? 'standing' : 'changed';

function usStatus(subject: IndividualSubject): string {
  if (subject.w9) return 'w9';
  const isAdmitted = subject.us_citizen || subject.us_tax_resident || subject.green_card;
  return isAdmitted ? 'admitted' : 'no';
}

function usIndicia(indicia: readonly Indicium[]): string {
  const left = indicia.filter(({ regime, state }) => regime === 'FATCA' && state !== 'cured');
  if (left.length === 0) return 'none';
  if (left.some(({ state }) => state === 'open')) return 'open';
  return left.some(({ code }) => code === 'US_PERSON_ON_RECORD') ? 'us_person' : 'other';
}

/** A pre-existing account without indicia needs none, unless the holder has refused them. */
function documentsOf(
  { documentation_refused, evidence = [] }: IndividualSubject,
  { opened }: TaxAccount,
  isOverdue: boolean,
): string {
  if (evidence.includes('w8ben') || evidence.includes('self_certification')) return 'present';
  if (documentation_refused) return 'overdue';
  if (opened === 'preexisting') return 'present';
  return isOverdue ? 'overdue' : 'awaited';
}

function isBelowFloor({ balance_usd, floors_elected, opened, product }: TaxAccount): boolean {
  if (!floors_elected) return false;
  const { floors } = FIGURES;
  if (opened === 'new') {
    return product === 'depository' && !isAbove(balance_usd, floors.fatca_new_depository);
  }
  const isInsurance = product === 'insurance';
  const floor = isInsurance ? floors.fatca_individual_insurance : floors.fatca_individual;
  return !isAbove(balance_usd, floor);
}

export function crsFacts(ask: IndividualAsk): Facts {
  const { inputs, subject } = ask;
  const certificate = subject.self_certification;
  const certified = certificate ? reportable(certificate.residences, inputs) : [];
  return {
    account: inputs.account.opened,
    address_test: addressTest(ask),
    certified: certified.length > 0 ? 'reportable' : 'none',
    form: formFact(inputs, 'CRS'),
    hold_mail_only: heldMail(subject),
    indicia: crsIndicia(ask.indicia),
    self_cert: certificate ? (certificate.is_reasonable ? 'valid' : 'unreasonable') : 'missing',
  };
}

function heldMail(subject: IndividualSubject): string {
  if (!isHeldMailOnly(subject)) return 'no';
  return subject.paper_search_failed ? 'failed' : 'unsearched';
}

function crsIndicia(indicia: readonly Indicium[]): string {
  const left = indicia.filter(({ regime, state }) => regime === 'CRS' && state !== 'cured');
  if (left.length === 0) return 'none';
  return left.some(({ state }) => state === 'open') ? 'open' : 'lapsed';
}

/** For accounts of lower value alone, and where evidence stands behind the address. */
function addressTest({ inputs, subject }: IndividualAsk): string {
  const countries = residenceCountries(subject);
  const isHigh = isAbove(inputs.account.balance_usd, FIGURES.floors.high_value);
  if (isHigh || subject.address_documented !== true || countries.length === 0) return 'not_applied';
  if (reportable(countries, inputs).length > 0) return 'reportable';
  return countries.includes(inputs.institution.country) ? 'domestic' : 'other';
}

const residenceCountries = ({ addresses = [] }: IndividualSubject): readonly string[] =>
  addresses.filter(({ kind }) => kind === 'residence').map(({ country }) => country);

/** Jurisdictions of the institution's list among these, once each and sorted; never its own. */
export function reportable(
  countries: readonly string[],
  { institution }: Pick<ClassificationInputs, 'institution'>,
): readonly string[] {
  const { country: home, reportable_jurisdictions: all } = institution;
  return [...new Set(countries)].filter((one) => one !== home && all.includes(one)).sort();
}

/** The jurisdictions to which an individual is reported, by where the outcome takes them from. */
export function jurisdictionsBy(
  by: 'address' | 'indicia' | 'self_certification',
  { indicia, inputs, subject }: IndividualAsk,
): readonly string[] {
  if (by === 'self_certification') {
    return reportable(subject.self_certification?.residences ?? [], inputs);
  }
  if (by === 'address') return reportable(residenceCountries(subject), inputs);
  const confirmed = indicia.filter(({ regime, state }) => regime === 'CRS' && state !== 'cured');
  return reportable(
    confirmed.map(({ country }) => country),
    inputs,
  );
}

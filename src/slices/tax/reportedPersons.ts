/** Which persons of an account go into a report: those of its regime, and of who receives it. */
import type { AccountPerson, ReportedAccount, ReportRegime, TaxParty } from './account.ts';

/** What decides it. */
export interface ReportReceiver {
  readonly regime: ReportRegime;
  readonly receivingCountry: string;
  /** It goes to one jurisdiction; otherwise to the own authority, which passes it on. */
  readonly isExchange: boolean;
}

const UNITED_STATES = 'US';

/** The account as this report has it: nobody learns of persons who are not for them. */
export function accountFor(account: ReportedAccount, receiver: ReportReceiver): ReportedAccount {
  const { controlling_persons: persons, crs, holder } = account;
  if (persons === undefined) return account;
  const kept = persons.filter((person) => isFor(person, account, receiver));
  const { isExchange, receivingCountry, regime } = receiver;
  // No person of a passive entity lives there, so it is reported for itself alone.
  const isForItself =
    regime === 'CRS' &&
    isExchange &&
    crs?.holder_type === 'CRS101' &&
    kept.length === 0 &&
    holder.residence_countries.includes(receivingCountry);
  return {
    ...account,
    controlling_persons: kept,
    ...(isForItself && { crs: { ...crs, holder_type: 'CRS103' } }),
  };
}

function isFor(
  { party, regimes }: AccountPerson,
  { crs }: ReportedAccount,
  { isExchange, receivingCountry, regime }: ReportReceiver,
): boolean {
  if (regimes !== undefined && !regimes.includes(regime)) return false;
  if (regime === 'FATCA') return regimes !== undefined || isAmerican(party);
  const where = isExchange ? [receivingCountry] : (crs?.reportable_jurisdictions ?? []);
  if (!isExchange && regimes !== undefined) return true;
  return party.residence_countries.some((country) => where.includes(country));
}

const isAmerican = ({ nationalities = [], residence_countries: of, tins = [] }: TaxParty) =>
  [...nationalities, ...of, ...tins.map(({ country }) => country)].includes(UNITED_STATES);

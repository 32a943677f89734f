/** A made-up institution and its accounts. */
import { type ReportedAccount, type ReportingFiContent, saveReportingFi } from '#slices/tax';
import { ASK, type TaxDesk } from './taxDesk.ts';

export const GIIN = '98Q96B.00000.LE.250';
export const PERIOD = '2025';
/** A number that nothing but a sealed blob may hold. */
export const TIN_CANARY = '48954371207';

export const FI: ReportingFiContent = {
  address: { city: 'Paris', country: 'FR', post_code: '75002', street: 'Rue de la Paix 1' },
  country: 'FR',
  iga_model: 'model_1',
  name: 'Banque Exemple',
  profile: 'oecd-exchange',
  reportable_jurisdictions: ['DE', 'IT'],
};

export const stateFi = ({ ports }: Pick<TaxDesk, 'ports'>, content: object = FI) =>
  saveReportingFi(ports, { ...ASK, content, giin: GIIN });

/** An account of a person in Germany that CRS reports. */
export const accountOf = (
  ref: string,
  changes: Partial<ReportedAccount> = {},
): ReportedAccount => ({
  account_number: `ACC-${ref}`,
  account_number_type: 'OECD602',
  account_ref: ref,
  account_type: 'CRS1101',
  balance: { amount: '1500.00', currency: 'EUR' },
  crs: { reportable_jurisdictions: ['DE'] },
  dd_procedure: 'CRS1201',
  fatca: { reportable: false },
  holder: {
    addresses: [{ city: 'Berlin', country: 'DE', street: 'Lange Straße 1' }],
    birth: { city: 'Bonn', country: 'DE', date: '1967-08-13' },
    kind: 'individual',
    names: [{ first: 'Erika', last: 'Mustermann', type: 'OECD202' }],
    residence_countries: ['DE'],
    tins: [{ country: 'DE', value: TIN_CANARY }],
  },
  payments: [{ amount: '12.50', currency: 'EUR', type: 'interest' }],
  self_cert: true,
  ...changes,
});

/** A passive entity in Italy with a person in Germany. */
export const entity = accountOf('N-1', {
  controlling_persons: [
    { party: accountOf('N-1').holder, roles: ['CRS801', 'CRS803'], self_cert: true },
  ],
  crs: { holder_type: 'CRS101', reportable_jurisdictions: ['DE'] },
  holder: {
    addresses: [{ country: 'IT', free: 'Via <Roma> & "Sons" -- 1', type: 'OECD304' }],
    kind: 'organisation',
    names: [{ name: "O'Neill & Söhne /* GmbH", type: 'OECD207' }],
    residence_countries: ['IT'],
  },
  joint_holders: 2,
});

/** In a sandbox: an invented institution and accounts, some of which say too little to be filed. */
import { change } from '../../http.ts';
import type { Step } from '../../parts/example.tsx';

const GIIN = '98Q96B.00000.LE.788';
const HOLDERS = [
  ['Amira', 'Belkhodja', 'Tunis'],
  ['Bastien', 'Corvane', 'Sousse'],
  ['Carla', 'Delmaris', 'Sfax'],
  ['Dorian', 'Essafi', 'Bizerte'],
  ['Elyes', 'Ferrandis', 'Tunis'],
  ['Farah', 'Gharsal', 'Gabès'],
] as const;
/** One account in so many has a holder without a tax number; another one without a city. */
const LACKING_EVERY = 3;

const accounts = HOLDERS.map(([first, last, city], at) => ({
  account_number: `EXAMPLE-${at + 1}`,
  account_ref: `EXAMPLE-${at + 1}`,
  account_type: 'CRS1101',
  balance: { amount: `${1_250 + at * 730}.50`, currency: 'USD' },
  crs: { reportable_jurisdictions: [] },
  fatca: { reportable: true },
  holder: {
    addresses: [{ city, country: 'US', street: `Rue Inventée ${at + 1}` }],
    kind: 'individual',
    names: [{ first, last, type: 'OECD202' }],
    residence_countries: ['US'],
    ...(at % LACKING_EVERY !== 0 && { tins: [{ country: 'US', value: `21909000${at}` }] }),
  },
  payments: [{ amount: `${at + 1}.25`, currency: 'USD', type: 'interest' }],
}));

/** Of the last year. */
export function taxExample(now: Date): readonly Step[] {
  const reporting_period = String(now.getFullYear() - 1);
  const of = { reporting_fi_giin: GIIN, reporting_period };
  return [
    () =>
      change('PUT', `/v1/tcr/reporting-fis/${GIIN}`, {
        address: { city: 'Tunis', country: 'TN', post_code: '1000', street: 'Rue Inventée 1' },
        country: 'TN',
        iga_model: 'model_1',
        name: 'Banque Inventée',
        profile: 'oecd-exchange',
        reportable_jurisdictions: ['DE', 'FR'],
      }),
    () => change('POST', '/v1/tcr/accounts', { ...of, accounts }),
    () =>
      change('POST', '/v1/tcr/declarations', { ...of, filer_category: 'FATCA602', type: 'FATCA1' }),
  ];
}

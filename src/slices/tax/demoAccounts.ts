/**
 * The invented institution of a sandbox and its accounts: persons of the United States, and
 * companies that such persons own. None of them exists.
 */
import type { ReportedAccount, TaxParty } from './account.ts';
import type { ReportingFiContent } from './reportingFiContent.ts';

/** The GIIN of the invented institution. */
export const DEMO_GIIN = '98Q96B.00000.LE.788';
/** The invented institution reports as one of Model 1. */
export const DEMO_FILER_CATEGORY = 'FATCA602';
export const DEMO_ACCOUNTS = 200;
const COMPANY_EVERY = 10;

export const DEMO_FI: ReportingFiContent = {
  address: { city: 'Tunis', country: 'TN', post_code: '1000', street: 'Rue Inventée 1' },
  country: 'TN',
  iga_model: 'model_1',
  name: 'Banque Inventée',
  profile: 'oecd-exchange',
  reportable_jurisdictions: ['DE', 'FR'],
};

const FIRST = ['Amira', 'Bastien', 'Carla', 'Dorian', 'Elyes', 'Farah', 'Gaspard', 'Hela'] as const;
const LAST = ['Belkhodja', 'Corvane', 'Delmaris', 'Essafi', 'Ferrandis', 'Gharsal'] as const;

/** The first account has `fault` in its number: the sandbox finds it wrong by that code. */
export function demoAccounts(fault?: string): readonly ReportedAccount[] {
  return Array.from({ length: DEMO_ACCOUNTS }, (_, at): ReportedAccount => {
    const number = `DEMO-${String(at + 1).padStart(4, '0')}`;
    const isFaulty = at === 0 && fault !== undefined;
    const account = {
      account_number: isFaulty ? `${number}-FAULT-${fault}` : number,
      account_ref: number,
      account_type: 'CRS1101',
      balance: { amount: `${1_000 + at * 37}.50`, currency: 'USD' },
      crs: { reportable_jurisdictions: [] },
      payments: [{ amount: `${at + 1}.25`, currency: 'USD', type: 'interest' }],
    } as const;
    const person = personOf(at);
    if ((at + 1) % COMPANY_EVERY > 0) {
      return { ...account, fatca: { reportable: true }, holder: person };
    }
    return {
      ...account,
      controlling_persons: [{ party: person, roles: ['CRS801'] }],
      fatca: { holder_type: 'FATCA102', reportable: true },
      holder: {
        addresses: [{ city: 'Sousse', country: 'TN', street: `Avenue Inventée ${at + 1}` }],
        kind: 'organisation',
        names: [{ name: `Société Inventée ${at + 1}`, type: 'OECD207' }],
        residence_countries: ['TN'],
      },
    };
  });
}

const personOf = (at: number): TaxParty => ({
  addresses: [{ city: 'Tunis', country: 'TN', street: `Rue Inventée ${at + 2}` }],
  birth: { country: 'US', date: `19${50 + (at % 50)}-0${1 + (at % 9)}-1${at % 10}` },
  kind: 'individual',
  names: [
    {
      first: FIRST[at % FIRST.length] ?? 'Amira',
      last: LAST[at % LAST.length] ?? 'Belkhodja',
      type: 'OECD202',
    },
  ],
  nationalities: ['US'],
  residence_countries: ['US'],
  // Social security numbers of area 219: none of these was given to anybody we know of.
  tins: [{ country: 'US', value: String(219_090_001 + at) }],
});

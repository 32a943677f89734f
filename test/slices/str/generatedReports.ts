/** Made-up reports and profiles, the same for the same seed. Nobody in them exists. */
import type {
  PartyContent,
  ReportContent,
  TransactionContent,
} from '../../../src/slices/str/content.ts';
import type { ProfileSettings } from '../../../src/slices/str/profile.ts';

/** Mulberry32. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const NAMES = [
  'Tarek Velmorani',
  'Zoé Ängström-Łuk',
  'طارق فلموراني',
  "Seán O'Darrow",
  'Иван Крамолев',
  'Mei Lorand',
  'Ana María del Valle Quints',
];
const FIRMS = [
  'Velmorani Trading & Sons',
  'Société Générale d’Épices',
  'شركة النور للتجارة',
  'Omni 3000',
];
const TEXTS = ['Invoice <7> & more', 'Ö', 'دفعة', 'rent "April"', 'a\tb\nc', 'x'.repeat(120)];

export interface Generator {
  readonly report: (place: number) => ReportContent;
}

/** Reports of which some lack what an FIU wants: `isSparse` says how often. */
export function reportGenerator(seed: number, isSparse = 0.3): Generator {
  const random = seeded(seed);
  const chance = (share: number): boolean => random() < share;
  const one = <Of>(of: readonly Of[]): Of => of[Math.floor(random() * of.length)] as Of;
  const some = <Of>(value: Of): Of | undefined => (chance(isSparse) ? undefined : value);
  const day = (): string =>
    new Date(1.5e12 + Math.floor(random() * 2e11)).toISOString().slice(0, 10);
  const number = (digits: number): string =>
    String(Math.floor(random() * 10 ** digits)).padStart(digits, '7');

  const party = (id: string): PartyContent => {
    const isPerson = chance(0.7);
    const given = {
      accounts: some([
        {
          account: number(10),
          account_name: some(one(NAMES)),
          branch: some('Main branch'),
          client_number: some(number(6)),
          currency: some('AED'),
          institution_name: some('First Bank'),
          opened: some(day()),
          role: some(one(['holder', 'agent'])),
          status: some('active'),
          swift: some('FRSTLKLX'),
          type: some('current'),
        },
      ]),
      addresses: some([
        {
          address: '12 Long Street',
          city: 'Sample Town',
          country: 'AE',
          state: some('Dubai'),
          type: 'home',
        },
      ]),
      birth_date: some(day()),
      emails: some(['someone@example.com']),
      gender: some(one(['male', 'female'])),
      id_number: some(number(8)),
      ssn: some(number(12)),
      identifications: some([
        {
          country: 'AE',
          expiry_date: day(),
          issue_date: day(),
          number: number(9),
          type: 'passport',
        },
      ]),
      is_customer: chance(0.5),
      kind: isPerson ? ('person' as const) : ('organisation' as const),
      name: isPerson ? one(NAMES) : one(FIRMS),
      nationalities: some(['AE', 'LK']),
      occupation: some('Trader'),
      passport_country: some('AE'),
      passport_number: some(number(8)),
      phones: some([
        {
          communication_type: 'mobile',
          contact_type: 'home',
          country_prefix: '971',
          number: '501234567',
        },
      ]),
      residence: some('AE'),
      tax_number: some(number(9)),
      ...(!isPerson && {
        business: some('Trade in spices'),
        commercial_name: some('Velmo'),
        incorporation_country: some('AE'),
        incorporation_date: some(day()),
        incorporation_state: some('Dubai'),
        legal_form: some('llc'),
        registration_number: some(number(7)),
        representatives: some([
          {
            birth_date: day(),
            gender: 'male',
            id_number: number(8),
            identifications: [
              {
                country: 'AE',
                expiry_date: day(),
                issue_date: day(),
                number: number(9),
                type: 'passport',
              },
            ],
            name: one(NAMES),
            nationalities: ['AE'],
            occupation: 'Director',
            passport_country: 'AE',
            passport_number: number(8),
            phones: [
              {
                communication_type: 'mobile',
                contact_type: 'home',
                country_prefix: '971',
                number: '501234567',
              },
            ],
            residence: 'AE',
            role: 'director',
            ssn: number(12),
            addresses: [
              {
                address: '12 Long Street',
                city: 'Sample Town',
                country: 'AE',
                state: 'Dubai',
                type: 'home',
              },
            ],
          },
        ]),
      }),
    };
    const members = Object.entries(given).filter(([, value]) => value !== undefined);
    const cleaned = JSON.parse(JSON.stringify(Object.fromEntries(members))) as PartyContent;
    return { ...cleaned, id };
  };

  const transaction = (place: number, ids: readonly string[]): TransactionContent => {
    const isLocal = chance(0.7);
    const given = {
      amount: `${number(5)}.${number(2)}`,
      channel: one(['wire', 'cash', 'card']),
      channel_comment: 'X',
      counterparty: one(ids),
      country: some('LK'),
      currency: isLocal ? 'AED' : 'USD',
      date: day(),
      description: some(one(TEXTS)),
      direction: one(['credit', 'debit'] as const),
      id: `T-${place}-${number(4)}`,
      location: some('Head office'),
      ...(!isLocal && { exchange_rate: some('3.6725'), local_amount: some('1234.50') }),
    };
    return JSON.parse(JSON.stringify(given)) as TransactionContent;
  };

  return {
    report: () => {
      const counterparties = Array.from({ length: 1 + Math.floor(random() * 3) }, (_, place) =>
        party(`p${place + 1}`),
      );
      const ids = counterparties.map(({ id }) => id);
      const transactions = Array.from({ length: 1 + Math.floor(random() * 4) }, (_, place) =>
        transaction(place, ids),
      );
      return {
        attachments: [],
        counterparties,
        destination: 'FIU',
        indicators: ['structuring'],
        narrative: `${one(TEXTS)} ${'Paid in at several branches, always below. '.repeat(3)}`,
        report_code: one(['STR', 'STR', 'SAR']),
        subject: { ...party('subject'), is_customer: true },
        transactions,
      };
    },
  };
}

/** Words of the generator by the types of all three schemas; the codes are each FIU's own. */
const codesOf = (
  codes: {
    readonly [Type in 'account' | 'channel' | 'contact' | 'funds' | 'indicator' | 'legal']: string;
  } & {
    readonly document: string;
    readonly mobile: string;
    readonly person: string;
    readonly role: string;
    readonly status: string;
  },
): ProfileSettings['codes'] => ({
  account_person_role_type: { agent: codes.person, holder: codes.person },
  account_status_type: { active: codes.status },
  account_type: { current: codes.account },
  communication_type: { mobile: codes.mobile },
  conduction_type: { card: codes.channel, cash: codes.channel, wire: codes.channel },
  contact_type: { home: codes.contact },
  entity_person_role_type: { director: codes.role },
  funds_type: { card: codes.funds, cash: codes.funds, wire: codes.funds },
  gender_type: { female: 'F', male: 'M' },
  identifier_type: { passport: codes.document },
  legal_form_type: { llc: codes.legal },
  report_indicator_type: { structuring: codes.indicator },
});

const COMMON: Omit<ProfileSettings, 'codes' | 'defaults'> = {
  activity_codes: ['SAR'],
  country: 'AE',
  currency: 'AED',
  fiu: 'FIU',
  language: 'en',
  limits: { attachment_bytes: 5e6, narrative_chars: 8_000, package_bytes: 2e7 },
  location: {
    address: '1 Bank Square',
    city: 'Dubai',
    country: 'AE',
    state: 'Dubai',
    type: 'work',
  },
  rentity_branch: 'Main',
  rentity_id: '77',
  reporting_person: { first_name: 'Nadia', last_name: 'Reporter' },
  zone: 'Asia/Dubai',
};

/** What stands beside each schema of the shared data. */
export const PROFILES: Readonly<Record<string, ProfileSettings>> = {
  'goAMLSchema_4-style_lk_v2.0.xsd': {
    ...COMMON,
    codes: {
      ...codesOf({
        account: '-',
        channel: '-',
        contact: '-',
        document: '-',
        funds: '-',
        indicator: 'A1',
        legal: '-',
        mobile: '-',
        person: '-',
        role: '-',
        status: '-',
      }),
      report_type: { SAR: 'AIFA', STR: 'AIFT' },
    },
    defaults: {},
  },
  'goAMLSchema_5.0.1_numbered_codes.xsd': {
    ...COMMON,
    codes: {
      ...codesOf({
        account: '-',
        channel: '-',
        contact: '-',
        document: '-',
        funds: '-',
        indicator: '-',
        legal: '-',
        mobile: '-',
        person: '-',
        role: '-',
        status: '-',
      }),
      report_type: { SAR: 'AIF', STR: '-' },
    },
    defaults: {},
  },
  'goAMLSchema_5.0.2_ae.xsd': {
    ...COMMON,
    codes: codesOf({
      account: '-',
      channel: '-',
      contact: '-',
      document: '-',
      funds: 'CASH',
      indicator: 'ACTRC',
      legal: '-',
      mobile: '-',
      person: '-',
      role: 'DIR',
      status: '-',
    }),
    defaults: {
      beneficiary: 'none',
      non_bank_institution: 'false',
      state: '-',
      tax_reg_number: '-',
    },
  },
};

/** Contact and addresses of the reporter have words of their own. */
for (const profile of Object.values(PROFILES)) {
  const contact = profile.codes.contact_type as Record<string, string>;
  contact.work = contact.home ?? '-';
}

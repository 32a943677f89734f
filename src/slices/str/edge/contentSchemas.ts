/** What a report says, as it stands on the wire. */
import { type TSchema, Type } from 'typebox';
import { inWords } from '#core/kernel';
import {
  COUNTERPARTIES_MAX,
  INDICATORS_MAX,
  NARRATIVE_CHARS_MAX,
  TRANSACTIONS_MAX,
} from '#slices/str';
import { readable } from '../../../api/freeText.ts';

const STRICT = { additionalProperties: false } as const;
const LINE_MAX = 255;
const TEXT_MAX = 8_000;
const FEW = 20;
/** Transactions of the log that one draft begins with. */
const LOGGED_MAX = 200;

const Line = (description?: string, maxLength = LINE_MAX) =>
  Type.Optional(
    Type.String({
      maxLength,
      minLength: 1,
      ...readable,
      ...(description !== undefined && { description }),
    }),
  );
const Must = (description: string, maxLength = LINE_MAX) =>
  Type.String({ description, maxLength, minLength: 1, ...readable });
const Text = (description: string, maxLength = TEXT_MAX) => Line(description, maxLength);
const Day = (description: string) => Type.Optional(DayOf(description));
const DayOf = (description: string) =>
  Type.String({
    description,
    ...inWords('a date, as 2026-01-31', '^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$'),
  });
const CountryOf = (description: string) =>
  Type.String({ description, ...inWords('a country: ISO 3166-1, two letters', '^[A-Z]{2}$') });
const Country = (description: string) => Type.Optional(CountryOf(description));
const Currency = (description: string) =>
  Type.String({ description, ...inWords('a currency: ISO 4217, three letters', '^[A-Z]{3}$') });
const Amount = (description: string) =>
  Type.String({
    description,
    ...inWords('a decimal, as 1234.50', '^[0-9]{1,15}([.][0-9]{1,13})?$'),
  });
const Some = <Of extends TSchema>(of: Of, maxItems = FEW) =>
  Type.Optional(Type.Array(of, { maxItems }));
const Id = (description: string) =>
  Type.String({
    description,
    ...inWords('a text of letters, digits, _ and -', '^[A-Za-z0-9_-]{1,64}$'),
  });

const Phone = Type.Object(
  {
    contact_type: Line(),
    communication_type: Line(),
    country_prefix: Line(undefined, 4),
    number: Must('As it is dialled', 50),
    extension: Line(undefined, 10),
  },
  STRICT,
);
const Address = Type.Object(
  {
    type: Line(),
    address: Must('Street and number', 100),
    town: Line(),
    city: Line(),
    zip: Line(undefined, 10),
    country: CountryOf('Of the address'),
    state: Line(),
  },
  STRICT,
);
const Identification = Type.Object(
  {
    type: Must('Kind of document: our word, or the FIU’s code'),
    number: Must('Of the document'),
    issue_date: Day('When it was issued'),
    expiry_date: Day('Until when it holds'),
    issued_by: Line(),
    country: CountryOf('That issued it'),
  },
  STRICT,
);
const Account = Type.Object(
  {
    account: Must('Its number'),
    iban: Line(undefined, 34),
    institution_name: Line(),
    institution_code: Line(undefined, 50),
    swift: Line(undefined, 11),
    institution_country: Country('Where the institution is'),
    non_bank_institution: Type.Optional(Type.Boolean()),
    branch: Line(),
    currency: Type.Optional(Currency('Of the account')),
    account_name: Line(),
    client_number: Line(undefined, 30),
    type: Line('Our word, or the FIU’s code'),
    opened: Day('When it was opened'),
    closed: Day('When it was closed'),
    status: Line('Our word, or the FIU’s code'),
    balance: Type.Optional(Amount('What is on it')),
    balance_date: Day('Of the balance'),
    beneficiary: Line(undefined, 50),
    role: Line('As whom the party has it'),
    comments: Text('About the account'),
  },
  STRICT,
);

const REACHABLE = {
  phones: Some(Phone),
  addresses: Some(Address),
  emails: Some(Must('An address')),
  tax_number: Line(undefined, 100),
  tax_reg_number: Line(undefined, 100),
  comments: Text('About the party'),
};
const PERSON = {
  name: Line('In full, in any script'),
  first_name: Line(undefined, 100),
  middle_name: Line(undefined, 100),
  last_name: Line(undefined, 100),
  prefix: Line(undefined, 100),
  title: Line(undefined, 30),
  gender: Line('Our word, or the FIU’s code', 20),
  birth_date: Day('Of birth'),
  birth_place: Line(),
  country_of_birth: Country('Of birth'),
  mothers_name: Line(undefined, 100),
  alias: Line(undefined, 100),
  ssn: Line(undefined, 25),
  id_number: Line(),
  passport_number: Line(),
  passport_country: Country('That issued the passport'),
  nationalities: Type.Optional(Type.Array(CountryOf('A nationality'), { maxItems: 3 })),
  residence: Country('Where they live'),
  occupation: Line(),
  employer_name: Line(),
  source_of_wealth: Line(),
  identifications: Some(Identification),
  ...REACHABLE,
};

/** The person who reports, in a profile. */
export const Person = Type.Object(PERSON, STRICT);
/** Where the reporter is, in a profile. */
export const Location = Address;

const PARTY = {
  kind: Type.Union([Type.Literal('person'), Type.Literal('organisation')]),
  is_customer: Type.Boolean({ description: 'A customer of the reporter: FIUs ask more of those' }),
  accounts: Some(Account),
  role: Line('As what it takes part, where the report is of an activity'),
  reason: Text('Why it is in the report'),
  significance: Type.Optional(Type.Integer({ maximum: 10, minimum: 0 })),
  ...PERSON,
  commercial_name: Line(),
  legal_form: Line('Our word, or the FIU’s code'),
  registration_number: Line(undefined, 50),
  business: Line(),
  incorporation_date: Day('Of incorporation'),
  incorporation_country: Country('Of incorporation'),
  incorporation_state: Line(),
  url: Line(),
  representatives: Some(Type.Object({ ...PERSON, role: Must('As what they act') }, STRICT)),
};
const Subject = Type.Object({ id: Type.Optional(Type.Literal('subject')), ...PARTY }, STRICT);
const Counterparty = Type.Object({ id: Id('By which transactions name it'), ...PARTY }, STRICT);

const Transaction = Type.Object(
  {
    id: Must('Its number', 100),
    date: DayOf('When it was made'),
    value_date: Day('Of its value'),
    amount: Amount('In its currency'),
    currency: Currency('Of the amount'),
    local_amount: Type.Optional(Amount('In the FIU’s currency, where that is another')),
    exchange_rate: Type.Optional(Amount('Between the two')),
    direction: Type.Union([Type.Literal('credit'), Type.Literal('debit')], {
      description: 'As the party sees it',
    }),
    party: Type.Optional(Id('Whose transaction it is: absent, the subject’s')),
    account: Line('Which of the party’s accounts: absent, the first'),
    counterparty: Id('With whom'),
    counterparty_account: Line('Which of the counterparty’s accounts'),
    country: Country('Of the counterparty’s side'),
    channel: Line('By what means: our word, or the FIU’s code'),
    channel_comment: Line(),
    funds: Line('What was moved: our word, or the FIU’s code'),
    location: Line('Where it was made'),
    description: Text('What it was for'),
    internal_ref: Line(undefined, 100),
    conductor: Type.Optional(Id('Who acted for the party')),
    comments: Text('About the transaction'),
  },
  STRICT,
);

/** What may be changed, each member by itself. */
const CONTENT = {
  report_code: Must('The FIU’s code of such reports: STR, SAR', 20),
  destination: Must('The authority', LINE_MAX),
  narrative: Type.String({
    description: 'What happened, and why it is suspicious',
    maxLength: NARRATIVE_CHARS_MAX * 2,
    ...readable,
  }),
  action: Must('What the reporter has done', TEXT_MAX),
  indicators: Type.Array(Must('A code, or one of our words'), { maxItems: INDICATORS_MAX }),
  entity_reference: Type.String({
    description: 'What you call the report towards the FIU; absent: a name is made',
    ...inWords('a text of letters, digits, _ and -', '^[A-Za-z0-9_-]{1,60}$'),
  }),
  fiu_reference: Must('A report of the FIU’s that this one goes on from'),
  subject: Subject,
  counterparties: Type.Array(Counterparty, { maxItems: COUNTERPARTIES_MAX }),
  transactions: Type.Array(Transaction, { maxItems: TRANSACTIONS_MAX }),
};
const PROFILE = Type.Optional(Must('Id of the profile: absent, that of the tenant’s setting', 64));

const optional = <Of extends Record<string, TSchema>>(of: Of) =>
  Object.fromEntries(Object.entries(of).map(([name, schema]) => [name, Type.Optional(schema)]));
const { destination: _, report_code: __, ...CLEARABLE } = CONTENT;
/** Members that a change may take away. */
const CLEARED = Object.keys(CLEARABLE).map((name) => Type.Literal(name));

export const DraftBody = Type.Object(
  {
    ...optional(CONTENT),
    alert_id: Type.Optional(Type.String({ description: 'To begin with', format: 'uuid' })),
    profile: PROFILE,
    transaction_ids: Type.Optional(
      Type.Array(Must('Of the log of transactions', 128), {
        description: 'To begin with: parties and transactions of the log',
        maxItems: LOGGED_MAX,
      }),
    ),
  },
  STRICT,
);
export const ChangeBody = Type.Object(
  {
    ...optional(CONTENT),
    clear: Type.Optional(
      Type.Array(Type.Union(CLEARED), {
        description: 'Members that are taken away',
        maxItems: CLEARED.length,
      }),
    ),
    profile: PROFILE,
  },
  STRICT,
);

/** A subject, for examples. */
export const EXAMPLE_SUBJECT = { is_customer: true, kind: 'person', name: 'Tarek Velmorani' };

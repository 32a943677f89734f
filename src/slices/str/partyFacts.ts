/** Persons, organisations and accounts as goAML knows them. */
import type { Account, Address, PartyContent, PersonContent, Phone } from './content.ts';
import { dateLeaf, type Fact, leaf, leaves, node, spellings } from './facts.ts';

/** Latin spellings of names, of those that are not Latin letters already. */
export type LatinNames = ReadonlyMap<string, string>;

/** goAML's name, and ours. */
const PERSON = {
  alias: 'alias',
  birth_place: 'birth_place',
  comments: 'comments',
  country_of_birth: 'country_of_birth',
  employer_name: 'employer_name',
  gender: 'gender',
  id_number: 'id_number',
  mothers_name: 'mothers_name',
  occupation: 'occupation',
  residence: 'residence',
  source_of_wealth: 'source_of_wealth',
  ssn: 'ssn',
  tax_number: 'tax_number',
  tax_reg_number: 'tax_reg_number',
  title: 'title',
} as const;

/** goAML takes the two together. */
const PASSPORT = {
  passport_country: 'passport_country',
  passport_number: 'passport_number',
} as const;

const ORGANISATION = {
  business: 'business',
  comments: 'comments',
  incorporation_country_code: 'incorporation_country',
  incorporation_legal_form: 'legal_form',
  incorporation_number: 'registration_number',
  incorporation_state: 'incorporation_state',
  tax_number: 'tax_number',
  tax_reg_number: 'tax_reg_number',
  url: 'url',
} as const;

const ACCOUNT = {
  account: 'account',
  balance: 'balance',
  beneficiary: 'beneficiary',
  branch: 'branch',
  client_number: 'client_number',
  comments: 'comments',
  currency_code: 'currency',
  iban: 'iban',
  institution_code: 'institution_code',
  institution_country: 'institution_country',
  institution_name: 'institution_name',
  non_bank_institution: 'non_bank_institution',
  status_code: 'status',
  swift: 'swift',
} as const;

const wantedOf = (names: Readonly<Record<string, string>>, more: object = {}) => ({
  ...Object.fromEntries(Object.entries(names).map(([element, member]) => [element, `/${member}`])),
  ...more,
});

const PERSON_WANTED = wantedOf(PERSON, {
  addresses: '/addresses',
  birthdate: '/birth_date',
  email: '/emails',
  first_name: '/first_name',
  identification: '/identifications',
  identifications: '/identifications',
  last_name: '/last_name',
  nationality1: '/nationalities',
  passport_country: '/passport_country',
  passport_number: '/passport_number',
  phones: '/phones',
});
const ORGANISATION_WANTED = wantedOf(ORGANISATION, {
  addresses: '/addresses',
  commercial_name: '/commercial_name',
  director_id: '/representatives',
  incorporation_date: '/incorporation_date',
  name: '/name',
  phones: '/phones',
  related_persons: '/representatives',
});
const ACCOUNT_WANTED = wantedOf(ACCOUNT, {
  account_name: '/account_name',
  date_balance: '/balance_date',
  opened: '/opened',
  personal_account_type: '/type',
});

/** A person, as any of the types that goAML has for one. */
export function personFacts(
  person: PersonContent & { readonly role?: string },
  at: string,
  latin: LatinNames,
): readonly Fact[] {
  const { first, last } = namesOf(person);
  const nationalities = person.nationalities ?? [];
  const identifications = (person.identifications ?? []).flatMap((one, place) =>
    identificationFacts(one, `${at}/identifications/${place}`),
  );
  const members: Record<string, readonly Fact[]> = {
    ...leaves(person, at, PERSON),
    ...leaves(person, at, PASSPORT),
    ...reachFacts(person, at),
    birthdate: dateLeaf(person.birth_date, `${at}/birth_date`),
    first_name: latinLeaf(first, pointerOf(person, 'first_name', at), latin),
    full_name_frn: nativeName(person, at, latin),
    identification: identifications,
    identifications: node({ identification: identifications }, { at: `${at}/identifications` }),
    last_name: latinLeaf(last, pointerOf(person, 'last_name', at), latin),
    middle_name: latinLeaf(person.middle_name, `${at}/middle_name`, latin),
    nationality1: leaf(nationalities[0], `${at}/nationalities/0`),
    nationality2: leaf(nationalities[1], `${at}/nationalities/1`),
    nationality3: leaf(nationalities[2], `${at}/nationalities/2`),
    prefix: latinLeaf(person.prefix, `${at}/prefix`, latin),
    role: leaf(person.role, `${at}/role`),
  };
  return node(members, { at, wanted: PERSON_WANTED });
}

/** An organisation, with those who act for it. */
export function organisationFacts(
  party: PartyContent,
  at: string,
  latin: LatinNames,
): readonly Fact[] {
  const representatives = (party.representatives ?? []).map((one, place) => ({
    facts: personFacts(one, `${at}/representatives/${place}`, latin),
    role: leaf(one.role, `${at}/representatives/${place}/role`),
    at: `${at}/representatives/${place}`,
  }));
  const related = representatives.flatMap(({ at: place, facts, role }) =>
    node({ person: facts, role }, { at: place, wanted: { role: '/role' } }),
  );
  const members: Record<string, readonly Fact[]> = {
    ...leaves(party, at, ORGANISATION),
    ...reachFacts(party, at),
    commercial_name: latinLeaf(party.commercial_name, `${at}/commercial_name`, latin),
    director_id: representatives.flatMap(({ facts }) => facts),
    incorporation_date: dateLeaf(party.incorporation_date, `${at}/incorporation_date`),
    name: latinLeaf(party.name, `${at}/name`, latin),
    related_persons: node(
      { entity_related_person: related },
      { at: `${at}/representatives`, wanted: {} },
    ),
  };
  return node(members, { at, wanted: ORGANISATION_WANTED });
}

/** An account with its holder: the person who may sign, or the organisation and those who may. */
export function accountFacts(
  account: Account,
  at: string,
  holder: { readonly party: PartyContent; readonly at: string; readonly latin: LatinNames },
): readonly Fact[] {
  const { latin, party } = holder;
  const signatory = signatories(account, at, holder);
  const members: Record<string, readonly Fact[]> = {
    ...leaves(account, at, ACCOUNT),
    account_name: latinLeaf(account.account_name ?? party.name, nameAt(account, at, holder), latin),
    account_type: leaf(account.type, `${at}/type`),
    closed: dateLeaf(account.closed, `${at}/closed`),
    date_balance: dateLeaf(account.balance_date, `${at}/balance_date`),
    opened: dateLeaf(account.opened, `${at}/opened`),
    personal_account_type: leaf(account.type, `${at}/type`),
    related_persons: node({ account_related_person: signatory }, { at }),
    signatory,
    t_entity: party.kind === 'organisation' ? organisationFacts(party, holder.at, latin) : [],
  };
  const signers = party.kind === 'organisation' ? `${holder.at}/representatives` : holder.at;
  return node(members, { at, wanted: { ...ACCOUNT_WANTED, signatory: `=${signers}` } });
}

type Holder = Parameters<typeof accountFacts>[2];

const nameAt = ({ account_name }: Account, at: string, holder: Holder): string =>
  account_name === undefined ? `${holder.at}/name` : `${at}/account_name`;

function signatories(account: Account, at: string, { latin, ...holder }: Holder): readonly Fact[] {
  const { party } = holder;
  const role = leaf(account.role, `${at}/role`);
  const persons =
    party.kind === 'person'
      ? [{ at: holder.at, facts: personFacts(party, holder.at, latin) }]
      : (party.representatives ?? []).map((one, place) => {
          const of = `${holder.at}/representatives/${place}`;
          return { at: of, facts: personFacts(one, of, latin) };
        });
  return persons.flatMap(({ facts }, place) =>
    node(
      { is_primary: place === 0 ? leaf('1', '') : [], role, t_person: facts },
      { at, wanted: { role: '/role' } },
    ),
  );
}

function reachFacts(
  {
    addresses = [],
    emails = [],
    phones = [],
  }: Pick<PersonContent, 'addresses' | 'emails' | 'phones'>,
  at: string,
): Record<string, readonly Fact[]> {
  const email = emails.flatMap((one, place) => leaf(one, `${at}/emails/${place}`));
  const address = addresses.flatMap((one, place) => addressFacts(one, `${at}/addresses/${place}`));
  const phone = phones.flatMap((one, place) => phoneFacts(one, `${at}/phones/${place}`));
  return {
    addresses: node({ address }, { at: `${at}/addresses` }),
    email,
    emails: node({ email }, { at: `${at}/emails` }),
    phones: node({ phone }, { at: `${at}/phones` }),
  };
}

const ADDRESS = {
  address: 'address',
  address_type: 'type',
  city: 'city',
  country_code: 'country',
  state: 'state',
  town: 'town',
  zip: 'zip',
} as const;
const ADDRESS_WANTED = wantedOf(ADDRESS);

/** An address, of a party or of the reporter. */
export const addressFacts = (address: Address, at: string): readonly Fact[] =>
  node(leaves(address, at, ADDRESS), { at, wanted: ADDRESS_WANTED });

const PHONE = {
  tph_communication_type: 'communication_type',
  tph_contact_type: 'contact_type',
  tph_country_prefix: 'country_prefix',
  tph_extension: 'extension',
  tph_number: 'number',
} as const;
const PHONE_WANTED = wantedOf(PHONE);

const phoneFacts = (phone: Phone, at: string): readonly Fact[] =>
  node(leaves(phone, at, PHONE), { at, wanted: PHONE_WANTED });

const IDENTIFICATION = {
  issue_country: 'country',
  issued_by: 'issued_by',
  number: 'number',
  type: 'type',
} as const;
const IDENTIFICATION_WANTED = wantedOf(IDENTIFICATION, {
  expiry_date: '/expiry_date',
  issue_date: '/issue_date',
});

function identificationFacts(
  one: NonNullable<PersonContent['identifications']>[number],
  at: string,
): readonly Fact[] {
  const members = {
    ...leaves(one, at, IDENTIFICATION),
    expiry_date: dateLeaf(one.expiry_date, `${at}/expiry_date`),
    issue_date: dateLeaf(one.issue_date, `${at}/issue_date`),
  };
  return node(members, { at, wanted: IDENTIFICATION_WANTED });
}

/** What is given apart, else the name taken apart: `Family, Given` or `Given Family`. */
function namesOf({ first_name, last_name, name }: PersonContent) {
  const words = (name ?? '').split(/[ \t]+/).filter((word) => word !== '');
  const comma = name?.indexOf(',') ?? -1;
  const [family, given] =
    comma > 0
      ? [name?.slice(0, comma).trim(), name?.slice(comma + 1).trim()]
      : [words.slice(1).join(' '), words[0]];
  return { first: first_name ?? given, last: last_name ?? family };
}

const pointerOf = (person: PersonContent, member: 'first_name' | 'last_name', at: string) =>
  person[member] === undefined && person.name !== undefined ? `${at}/name` : `${at}/${member}`;

/** The name in its own script, where that is not the one that goAML's names are in. */
function nativeName({ first_name, last_name, name }: PersonContent, at: string, latin: LatinNames) {
  const given = [first_name, last_name].filter((one) => one !== undefined).join(' ');
  const full = name ?? given;
  const isLatin = full.split(/[ \t]+/).every((word) => !latin.has(word));
  return isLatin ? [] : leaf(full, name === undefined ? `${at}/last_name` : `${at}/name`);
}

/** Letters of another script than goAML's names are in. */
const OTHER_SCRIPT = /[^\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]/u;

/**
 * As it was written where that is in Latin letters, without marks that some FIUs refuse, and with
 * letters alone: the first that the FIU's schema takes.
 */
function latinLeaf(text: string | undefined, at: string, latin: LatinNames): readonly Fact[] {
  if (text === undefined) return [];
  const words = text.split(/[ \t]+/).filter((word) => word !== '');
  const romanised = words.map((word) => latin.get(word) ?? word).join(' ');
  const simple = single(romanised.replaceAll(/[^A-Za-z0-9 .'-]/g, ' '));
  const letters = single(romanised.replaceAll(/[^A-Za-z ]/g, ' '));
  const joined = letters.replaceAll(' ', '');
  const latinFirst = [romanised, simple, letters, joined];
  const isOther = OTHER_SCRIPT.test(text);
  return spellings(text, isOther ? [...latinFirst, text] : [text, ...latinFirst], at);
}

const single = (text: string): string =>
  text
    .split(' ')
    .filter((word) => word !== '')
    .join(' ');

/** Holders as they stand in bodies: what a classification is made from. */
import { Type } from 'typebox';
import { inWords } from '#core/kernel';
import {
  ACTIVE_KINDS,
  ADDRESS_KINDS,
  AMOUNT,
  DEEMED,
  EVIDENCE,
  EXEMPT_OWNERS,
  IGA_MODELS,
  INSTITUTION_KINDS,
  JURISDICTIONS_MAX,
  NFFE_KINDS,
  PERSONS_MAX,
  PLACES_MAX,
  PRODUCTS,
  REF_CHARS_MAX,
  REGISTRATIONS,
} from '#slices/tax';
import { readable } from '../../../api/freeText.ts';

const STRICT = { additionalProperties: false } as const;
const GIIN_CHARS = 19;
const DAY_CHARS = 10;
const AMOUNT_CHARS_MAX = 21;
export const oneOf = <Word extends string>(words: readonly Word[], description?: string) =>
  Type.Union(
    words.map((word) => Type.Literal(word)),
    description === undefined ? {} : { description },
  );
export const Ref = (description: string) =>
  Type.String({ description, maxLength: REF_CHARS_MAX, minLength: 1, ...readable });
export const Country = (description?: string) =>
  Type.String({
    maxLength: 2,
    ...inWords('a country of ISO 3166-1 alpha-2, such as FR', '^[A-Z]{2}$'),
    ...(description !== undefined && { description }),
  });
export const Day = (description: string) =>
  Type.String({
    description,
    maxLength: DAY_CHARS,
    ...inWords('a day, such as 2026-01-31', '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'),
  });
const Countries = (description: string, maxItems = PLACES_MAX) =>
  Type.Array(Country(), { description, maxItems });
const Flag = (description: string) => Type.Optional(Type.Boolean({ description }));

export const SelfCertification = Type.Object(
  {
    is_reasonable: Type.Boolean({ description: 'Nothing that is on file contradicts it' }),
    residences: Countries('Jurisdictions of tax residence, as certified'),
  },
  STRICT,
);

const Individual = Type.Object(
  {
    kind: Type.Literal('individual'),
    us_citizen: Flag('The holder says so'),
    us_tax_resident: Flag('The holder says so'),
    green_card: Flag('The holder says so'),
    w9: Flag('A valid Form W-9 is on file'),
    excepted_from_specified: Flag('Excepted from the specified US persons'),
    us_person_on_record: Flag('The files show a US citizen or resident, and the holder does not'),
    birth_country: Type.Optional(Country('Where the holder was born')),
    addresses: Type.Optional(
      Type.Array(Type.Object({ country: Country(), kind: oneOf(ADDRESS_KINDS) }, STRICT), {
        description: 'All that are on file',
        maxItems: PLACES_MAX,
      }),
    ),
    address_documented: Flag('Documentary evidence stands behind the residence address'),
    phone_countries: Type.Optional(Countries('Of all telephones on file')),
    standing_instructions_to: Type.Optional(Countries('Where standing instructions pay to')),
    attorney_countries: Type.Optional(Countries('Of those who may sign for the holder')),
    residences_on_record: Type.Optional(Countries('Where the files show a tax residence')),
    evidence: Type.Optional(
      Type.Array(oneOf(EVIDENCE), { description: 'What is on file', maxItems: EVIDENCE.length }),
    ),
    self_certification: Type.Optional(SelfCertification),
    paper_search_failed: Flag('The paper records were searched and gave nothing'),
    documentation_refused: Flag('The holder has refused to give documents'),
  },
  STRICT,
);

const Person = Type.Object(
  {
    person_ref: Ref('Your own reference of the person'),
    residences: Countries('Jurisdictions of tax residence'),
    us_person: Type.Boolean({ description: 'A specified US person' }),
    ownership_pct: Type.Optional(
      Type.Number({ description: 'Absent: control by other means', maximum: 100, minimum: 0 }),
    ),
  },
  STRICT,
);

const Entity = Type.Object(
  {
    kind: Type.Literal('entity'),
    documented: Type.Boolean({ description: 'By a form, a self-certification or public facts' }),
    organised_in: Country('Where it was organised'),
    residences: Countries('Jurisdictions of tax residence'),
    financial_account: Flag('Absent: it is one'),
    excepted_from_specified: Flag('Excepted from the specified US persons'),
    exempt_owner: Type.Optional(oneOf(EXEMPT_OWNERS, 'Kind of exempt beneficial owner')),
    institution: Type.Optional(oneOf(INSTITUTION_KINDS, 'Kind of financial institution')),
    registration: Type.Optional(oneOf(REGISTRATIONS, 'What its GIIN stands for')),
    giin: Type.Optional(
      Type.String({
        maxLength: GIIN_CHARS,
        ...inWords(
          'a GIIN, such as 98Q96B.00000.LE.250',
          '^[0-9A-Z]{6}[.][0-9A-Z]{5}[.][A-Z]{2}[.][0-9]{3}$',
        ),
      }),
    ),
    deemed_compliant: Type.Optional(oneOf(DEEMED, 'Certified or treated as compliant')),
    nffe: Type.Optional(oneOf(NFFE_KINDS, 'What it is, where it is no institution')),
    crs_nonreporting: Flag('A non-reporting institution under CRS'),
    managed_by_institution: Flag('An investment entity that another institution manages'),
    in_participating_jurisdiction: Flag('Resident in a jurisdiction that participates in CRS'),
    crs_active: Type.Optional(oneOf(ACTIVE_KINDS, 'Why it is active under CRS')),
    income: Type.Optional(
      oneOf(['active', 'passive'], 'Active: less than half of income and of assets is passive'),
    ),
    persons: Type.Optional(
      Type.Array(Person, { description: 'Who owns or controls it', maxItems: PERSONS_MAX }),
    ),
  },
  STRICT,
);

const Account = Type.Object(
  {
    opened: oneOf(['new', 'preexisting'], 'By the day on which the duty began'),
    product: oneOf(PRODUCTS),
    balance_usd: Type.String({
      description: 'Over all accounts of the holder, at the rate of the period’s last day',
      maxLength: AMOUNT_CHARS_MAX,
      ...inWords('an amount with two decimals, such as 50000.00', AMOUNT.source),
    }),
    dormant: Flag('Dormant by the institution’s rules'),
    floors_elected: Flag('The institution has elected the floors'),
  },
  STRICT,
);

const Institution = Type.Object(
  {
    country: Country('Where the institution is'),
    iga_model: oneOf(IGA_MODELS, 'The agreement of its country with the United States'),
    reportable_jurisdictions: Countries('With which it exchanges', JURISDICTIONS_MAX),
  },
  STRICT,
);

export const ClassificationBody = Type.Object(
  {
    subject_ref: Ref('Your own reference of the holder'),
    subject: Type.Union([Individual, Entity]),
    account: Account,
    institution: Institution,
    begun_on: Type.Optional(Day('From when the time of cures runs; absent: today')),
  },
  STRICT,
);

/**
 * Who a case is about, and what opens one, on the wire: shared by every slice that opens cases.
 * Edges alone import this: what describes bodies is not loaded into threads.
 */
import { type TObject, Type } from 'typebox';
import { inWords, readable } from '#core/kernel';
import { EXTERNAL_REF_CHARS_MAX, PEOPLE_MAX } from './limits.ts';
import { SUBJECT_TYPES } from './words.ts';

const STRICT = { additionalProperties: false } as const;
const text = (maxLength: number) =>
  Type.Optional(Type.String({ maxLength, minLength: 1, ...readable }));
const Country = Type.Optional(
  Type.String({
    maxLength: 2,
    ...inWords('an ISO 3166-1 alpha-2 code', '^[A-Z]{2}$'),
  }),
);
const Day = Type.Optional(
  Type.String({ maxLength: 10, ...inWords('a day, YYYY-MM-DD', '^[0-9]{4}-[0-9]{2}-[0-9]{2}$') }),
);
const NAME_MAX = 512;

const BusinessPerson = Type.Object(
  {
    name: Type.String({ maxLength: NAME_MAX, minLength: 1, ...readable }),
    name_ar: text(NAME_MAX),
    role: text(128),
    dob: Day,
    nationality: Country,
    share: Type.Optional(Type.Number({ description: 'Per cent', maximum: 100, minimum: 0 })),
  },
  STRICT,
);

const MEMBERS = {
  full_name: text(NAME_MAX),
  full_name_ar: text(NAME_MAX),
  first_name: text(NAME_MAX),
  last_name: text(NAME_MAX),
  dob: Day,
  nationality: Country,
  country_residence: Country,
  gender: text(32),
  national_id: text(128),
  occupation: text(256),
  expected_turnover: Type.Optional(
    Type.Object(
      {
        amount: Type.String({
          maxLength: 24,
          ...inWords('a decimal number', '^[0-9]{1,15}([.][0-9]{1,6})?$'),
        }),
        currency: Type.String({ maxLength: 3, ...inWords('an ISO 4217 code', '^[A-Z]{3}$') }),
      },
      STRICT,
    ),
  ),
  address: Type.Optional(
    Type.Object(
      {
        line1: text(256),
        line2: text(256),
        city: text(128),
        region: text(128),
        postal_code: text(32),
        country: Country,
      },
      STRICT,
    ),
  ),
  email: Type.Optional(
    Type.String({
      maxLength: 254,
      ...inWords(
        'a mail address, name@host',
        '^[^@\\u0000-\\u0020\\u007f]{1,64}@[A-Za-z0-9.-]{1,189}$',
      ),
    }),
  ),
  phone: Type.Optional(
    Type.String({
      maxLength: 16,
      ...inWords('an E.164 number, as +21671000000', '^[+][1-9][0-9]{6,14}$'),
    }),
  ),
  legal_name: text(NAME_MAX),
  legal_form: text(128),
  registration_number: text(64),
  tax_id: text(64),
  incorporated_on: Day,
  officers: Type.Optional(Type.Array(BusinessPerson, { maxItems: PEOPLE_MAX })),
  beneficial_owners: Type.Optional(Type.Array(BusinessPerson, { maxItems: PEOPLE_MAX })),
};

export const SubjectBody = Type.Object(MEMBERS, STRICT);
export const SubjectResult: TObject = Type.Object(MEMBERS);

export const Locale = Type.String({
  description: 'Language and region, as fr-TN',
  maxLength: 5,
  ...inWords('a language and a region, as fr-TN', '^[a-z]{2}-[A-Z]{2}$'),
});
export const WorkflowCode = Type.String({
  maxLength: 64,
  ...inWords('a code of lower-case letters, digits and underscores', '^[a-z][a-z0-9_]{1,63}$'),
});
export const CodeWord = Type.String({
  maxLength: 64,
  ...inWords('a code of lower-case letters, digits and underscores', '^[a-z][a-z0-9_]{0,63}$'),
});

export const CreateBody = Type.Object(
  {
    external_ref: Type.String({
      description: 'The caller’s own reference of the customer',
      maxLength: EXTERNAL_REF_CHARS_MAX,
      minLength: 1,
      ...readable,
    }),
    subject_type: Type.Union(SUBJECT_TYPES.map((one) => Type.Literal(one))),
    workflow_code: WorkflowCode,
    locale: Locale,
    subject: Type.Optional(SubjectBody),
  },
  STRICT,
);

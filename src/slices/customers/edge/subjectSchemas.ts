/** Who a case is about, on the wire; and a merge patch of it, checked member by member. */
import { type TObject, Type } from 'typebox';
import { DomainError, inWords } from '#core/kernel';
import { PEOPLE_MAX } from '#slices/customers';
import { readable } from '../../../api/freeText.ts';
import { compileSchema } from '../../../api/validate.ts';

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

const shape = compileSchema(SubjectBody);

/** What a merge patch makes of a subject must be one. Throws `body-invalid`. */
export function requireShape(subject: unknown): void {
  const violations = shape(subject).map((one) => ({ ...one, pointer: `/subject${one.pointer}` }));
  if (violations.length === 0) return;
  const detail = violations.map((one) => `${one.pointer}: ${one.detail}`).join('; ');
  throw new DomainError('body-invalid', { detail, violations });
}

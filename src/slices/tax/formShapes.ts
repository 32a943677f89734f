/** What each member of a form may be, and which form has which lines. */
import { type ObjectShape, type Shape, shapeOf } from '#slices/monitoring';
import { PERSON_ROLES } from './account.ts';
import { ADDRESS_SHAPE } from './checkAccount.ts';
import { CHAPTER_4, CHAPTER_4_STATUSES, CRS_ENTITY_TYPES } from './formRules.ts';
import { EXPLANATION_CHARS_MAX, PERSONS_MAX, PLACES_MAX, REF_CHARS_MAX } from './limits.ts';
import {
  CAPACITIES,
  CHAPTER_3,
  FORM_TYPES,
  type FormType,
  NO_TIN_REASONS,
  SIGNATURE_METHODS,
  W9_CLASSES,
} from './taxForm.ts';

const { form, list, object, text, words } = shapeOf;

const LINE_CHARS_MAX = 200;
const flag: Shape = { kind: 'flag' };
const country: Shape = { kind: 'country' };
const day: Shape = { kind: 'date' };
const line = text(LINE_CHARS_MAX);
const ref = text(REF_CHARS_MAX);
const explanation = text(EXPLANATION_CHARS_MAX);
const percent = form(/^(?:100|[0-9]{1,2})(?:\.[0-9]{1,4})?$/, 'a percentage, such as 15 or 12.5');
const address = object({ ...ADDRESS_SHAPE.members, care_of: flag }, ADDRESS_SHAPE.required);
const birth = object({ city: line, country, date: day });
const persons = list(
  object({ address, name: line, ownership_pct: percent, person_ref: ref, us_tin: line }, [
    'person_ref',
    'name',
  ]),
  PERSONS_MAX,
);
const residences = list(
  object({ country, explanation, no_tin_reason: words(NO_TIN_REASONS), tin: line }, ['country']),
  PLACES_MAX,
);
const treaty = object(
  { article: line, conditions: line, country, income: line, rate_pct: percent },
  ['country'],
);
const PARTS = Object.values(CHAPTER_4).flatMap(({ part = [] }) => part);

/** Lines of any form. */
export const FORM_LINES = {
  address,
  birth,
  business_name: line,
  certified: flag,
  chapter_3_status: words(CHAPTER_3),
  chapter_4_status: words(CHAPTER_4_STATUSES),
  citizenship: country,
  classification: words(W9_CLASSES),
  controlling_persons: persons,
  entity_type: words(CRS_ENTITY_TYPES),
  exempt_payee_code: form(/^(?:[1-9]|1[0-3])$/, 'a code from 1 to 13'),
  fatca_exemption_code: form(/^[A-M]$/, 'a letter from A to M'),
  ftin: line,
  ftin_not_required: flag,
  giin: line,
  mailing_address: address,
  name: line,
  no_us_owners: flag,
  organised_in: country,
  owners: persons,
  parts: list(words(PARTS), PARTS.length),
  residences,
  roles: list(words(PERSON_ROLES), PERSON_ROLES.length),
  sponsor_name: line,
  tin: line,
  treaty,
  us_tin: line,
} as const satisfies Readonly<Record<string, Shape>>;

type Line = keyof typeof FORM_LINES;

const OF_PERSONS: readonly Line[] = ['name', 'address', 'mailing_address', 'birth', 'residences'];

/** Lines that a form has. */
export const LINES_OF: Readonly<Record<FormType, readonly Line[]>> = {
  'CRS-CONTROLLING-PERSON': [...OF_PERSONS, 'roles'],
  'CRS-ENTITY': [
    'name',
    'organised_in',
    'address',
    'mailing_address',
    'residences',
    'entity_type',
    'giin',
    'controlling_persons',
  ],
  'CRS-INDIVIDUAL': OF_PERSONS,
  'W-8BEN': [
    'name',
    'citizenship',
    'address',
    'mailing_address',
    'us_tin',
    'ftin',
    'ftin_not_required',
    'birth',
    'treaty',
  ],
  'W-8BEN-E': [
    'name',
    'organised_in',
    'chapter_3_status',
    'chapter_4_status',
    'address',
    'mailing_address',
    'us_tin',
    'giin',
    'ftin',
    'ftin_not_required',
    'treaty',
    'sponsor_name',
    'parts',
    'owners',
    'no_us_owners',
  ],
  'W-9': [
    'name',
    'business_name',
    'classification',
    'exempt_payee_code',
    'fatca_exemption_code',
    'address',
    'tin',
    'certified',
  ],
};

/** The members of a form around its lines. */
export const FORM_ENVELOPE = {
  documentary_evidence: flag,
  entity_ref: ref,
  explanation,
  received_at: day,
  revision: line,
  signature_method: words(SIGNATURE_METHODS),
  signed_at: day,
  signer: object({ capacity: words(CAPACITIES), name: line }, ['name', 'capacity']),
  subject_ref: ref,
  type: words(FORM_TYPES),
} as const satisfies Readonly<Record<string, Shape>>;

const REQUIRED = ['type', 'subject_ref', 'fields'];

/** A form of a type as it is handed in; which lines it needs, its check says. */
export const formShape = (type: FormType): ObjectShape =>
  object(
    {
      ...FORM_ENVELOPE,
      fields: object(Object.fromEntries(LINES_OF[type].map((name) => [name, FORM_LINES[name]]))),
    },
    REQUIRED,
  );

/**
 * A form as it is handed in, or why it can be none: its shape, days, countries, numbers of the
 * United States, and its GIIN. What merely keeps it from counting is found later (formFindings.ts).
 */
import { DomainError, type Violation } from '#core/kernel';
import { type Shape, shapeOf, violationsOf } from '#slices/monitoring';
import { isCountry } from './checkInputs.ts';
import { lastDayOf, revisionsOf } from './formRules.ts';
import { formShape } from './formShapes.ts';
import { readGiin } from './giin.ts';
import { FORM_TYPES, type FormFields, type FormInput, type FormType } from './taxForm.ts';
import { readUsTin } from './usTin.ts';

/** The first year in which somebody who signs can be born. */
const BORN_FROM = '1900-01-01';
const ANY_TYPE: Shape = shapeOf.object({ type: shapeOf.words(FORM_TYPES) }, ['type']);

type Told = [pointer: string, code: string, detail: string];

/** Throws `form-fields-invalid`, `tin-invalid`, `giin-invalid`; `today` is a day. */
export function readForm(value: unknown, today: string): FormInput {
  const type = typeOf(value);
  const ofShape = violationsOf(value, type ? formShape(type) : ANY_TYPE);
  // Without a type nothing is known of the other members.
  refuse('form-fields-invalid', type ? ofShape : ofShape.filter(isOfType));
  const form = value as FormInput;
  refuse('form-fields-invalid', [
    ...countryFaults(form.fields),
    ...told([...dayFaults(form, today), ...revisionFaults(form), ...entityFaults(form)]),
  ]);
  refuse('tin-invalid', tinFaults(form, today));
  const { giin } = form.fields;
  const read = giin === undefined ? undefined : readGiin(giin);
  if (read?.isValid === false) {
    const detail = `expected ${read.expected}`;
    refuse('giin-invalid', [{ code: 'giin-invalid', detail, pointer: '/fields/giin' }]);
  }
  return form;
}

const isOfType = ({ pointer }: Violation): boolean => pointer === '/type' || pointer === '';

const typeOf = (value: unknown): FormType | undefined =>
  FORM_TYPES.find((one) => one === (value as { readonly type?: unknown } | null)?.type);

function refuse(
  code: 'form-fields-invalid' | 'giin-invalid' | 'tin-invalid',
  violations: readonly Violation[],
): void {
  if (violations.length > 0) throw new DomainError(code, { violations });
}

const told = (found: readonly Told[]): readonly Violation[] =>
  found.map(([pointer, code, detail]) => ({ code, detail, pointer }));

/** Every member of that name, wherever it stands in the lines. */
function countryFaults(fields: FormFields): readonly Violation[] {
  const found: Violation[] = [];
  const NAMES = new Set(['country', 'citizenship', 'organised_in']);
  const walk = (value: unknown, pointer: string): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, member] of Object.entries(value)) {
      const at = `${pointer}/${name}`;
      if (typeof member === 'object') walk(member, at);
      else if (NAMES.has(name) && !isCountry(String(member))) {
        found.push({ code: 'format', detail: 'expected a country of ISO 3166-1', pointer: at });
      }
    }
  };
  walk(fields, '/fields');
  return found;
}

function dayFaults(form: FormInput, today: string): readonly Told[] {
  const { fields, received_at: received = today, signed_at: signed } = form;
  const born = fields.birth?.date;
  const last = signed === undefined ? undefined : lastDayOf(form, signed);
  const faults: readonly (readonly [boolean, Told])[] = [
    [
      signed !== undefined && signed > today,
      ['/signed_at', 'range', 'expected a day that is not in the future'],
    ],
    [
      received > today || (signed !== undefined && received < signed),
      ['/received_at', 'range', 'expected a day from that of the signature to today'],
    ],
    [
      born !== undefined && (born < BORN_FROM || born > (signed ?? today)),
      ['/fields/birth/date', 'range', `expected a day from ${BORN_FROM} to the signature`],
    ],
    [
      last !== undefined && last < today,
      ['/signed_at', 'range', `expected a form that holds; this one ended on ${last}`],
    ],
  ];
  return faults.filter(([isFault]) => isFault).map(([, one]) => one);
}

function revisionFaults({ revision, signed_at: signed, type }: FormInput): readonly Told[] {
  const known = revisionsOf(type);
  if (revision === undefined || known === undefined) return [];
  const found = known.find((one) => one.revision === revision);
  const names = known.map((one) => one.revision).join(', ');
  if (found === undefined) return [['/revision', 'format', `expected one of ${names}`]];
  if (signed === undefined || signed >= found.from) return [];
  return [['/revision', 'range', `expected a revision that was there when it was signed`]];
}

function entityFaults({ entity_ref: entityRef, subject_ref: ref, type }: FormInput) {
  const isOfPerson = type === 'CRS-CONTROLLING-PERSON';
  const faults: Told[] = [];
  if (isOfPerson && entityRef === undefined) {
    faults.push(['/entity_ref', 'missing', 'expected the reference of the entity']);
  }
  if (!isOfPerson && entityRef !== undefined) {
    faults.push(['/entity_ref', 'unknown-member', 'expected no such member']);
  }
  if (entityRef === ref) {
    faults.push(['/entity_ref', 'format', 'expected another one than that of the person']);
  }
  return faults;
}

/** A code for a missing number is of reports: nobody signs one. */
function tinFaults(form: FormInput, today: string): readonly Violation[] {
  const period = Number((form.signed_at ?? today).slice(0, 4));
  return usTinsOf(form.fields).flatMap(([pointer, value]) => {
    const read = readUsTin(value, { period });
    if (read.state === 'valid') return [];
    const expected = read.state === 'code' ? 'a number, found a code' : read.expected;
    return [{ code: 'tin-invalid', detail: `expected ${expected}`, pointer }];
  });
}

/** Numbers of the United States on a form. */
export function usTinsOf(fields: FormFields): readonly (readonly [string, string])[] {
  const { controlling_persons = [], owners = [], residences = [], tin, us_tin: usTin } = fields;
  const found: readonly (readonly [string, string | undefined])[] = [
    ['/fields/tin', tin],
    ['/fields/us_tin', usTin],
    ...owners.map((one, at) => [`/fields/owners/${at}/us_tin`, one.us_tin] as const),
    ...controlling_persons.map(
      (one, at) => [`/fields/controlling_persons/${at}/us_tin`, one.us_tin] as const,
    ),
    ...residences.map(
      (one, at) =>
        [`/fields/residences/${at}/tin`, one.country === 'US' ? one.tin : undefined] as const,
    ),
  ];
  return found.flatMap(([pointer, value]) =>
    value === undefined ? [] : [[pointer, value] as const],
  );
}

/**
 * Forms in a classification: what one says to the tables, and a holder as files and forms together
 * show him. Once a form of a kind is on file, it decides whether there is one: what is stated of it
 * beside it counts no more. Pure.
 */
import { CHAPTER_4, CRS_ENTITIES } from './formRules.ts';
import { contradictionsOf } from './reasonableness.ts';
import {
  type FormAddress,
  type FormInput,
  type FormType,
  isOfEntity,
  isOfFatca,
} from './taxForm.ts';
import type {
  ClassificationInputs,
  ControllingPerson,
  EntitySubject,
  Evidence,
  FormFacts,
  FormOnFile,
  IndividualSubject,
} from './taxSubject.ts';

const US = 'US';

/** What a form says once it counts. */
export function factsOf({ explanation, fields, type }: FormInput): FormFacts {
  switch (type) {
    case 'W-9': {
      const isExcepted = fields.fatca_exemption_code !== undefined;
      return { excepted_from_specified: isExcepted };
    }
    case 'W-8BEN':
      return { addresses: addressesOf([fields.address, fields.mailing_address]) };
    case 'W-8BEN-E':
      return {
        entity: {
          organised_in: fields.organised_in ?? '',
          ...CHAPTER_4[fields.chapter_4_status ?? '']?.facts,
          ...(fields.giin !== undefined && { giin: fields.giin }),
        },
        persons: (fields.owners ?? []).map(({ ownership_pct: pct, person_ref }) => ({
          person_ref,
          residences: [US],
          us_person: true,
          ...(pct !== undefined && { ownership_pct: Number(pct) }),
        })),
      };
    case 'CRS-ENTITY':
      return {
        entity: CRS_ENTITIES[fields.entity_type ?? '']?.facts ?? {},
        persons: (fields.controlling_persons ?? []).map(({ ownership_pct: pct, person_ref }) => ({
          person_ref,
          residences: [],
          us_person: false,
          ...(pct !== undefined && { ownership_pct: Number(pct) }),
        })),
        residences: residencesOf(fields),
      };
    default:
      return {
        addresses: addressesOf([fields.address, fields.mailing_address]),
        is_explained: explanation !== undefined,
        residences: residencesOf(fields),
        ...(fields.birth?.country !== undefined && { birth_country: fields.birth.country }),
      };
  }
}

const residencesOf = ({ residences = [] }: FormInput['fields']): readonly string[] =>
  residences.map(({ country }) => country);

/** The first one is of residence. */
const addressesOf = (
  addresses: readonly (FormAddress | undefined)[],
): NonNullable<FormFacts['addresses']> =>
  addresses.flatMap((address, at) => {
    if (address === undefined) return [];
    const { care_of, country, po_box } = address;
    const plain = at === 0 ? 'residence' : 'mailing';
    return [{ country, kind: care_of ? 'care_of' : po_box !== undefined ? 'po_box' : plain }];
  });

/** A natural person with what forms say; one of an entity says nothing of a person. */
export function individualWith(
  subject: IndividualSubject,
  { forms = [], institution }: Pick<ClassificationInputs, 'forms' | 'institution'>,
): IndividualSubject {
  return forms
    .filter(({ type }) => !isOfEntity(type))
    .reduce((one, form) => withForm(one, form, institution.country), subject);
}

const EVIDENCE_OF: Readonly<Partial<Record<FormType, Evidence>>> = {
  'CRS-INDIVIDUAL': 'self_certification',
  'W-8BEN': 'w8ben',
};

/** What a form of this type is as evidence against an indicium. */
export const evidenceOf = (type: FormType): Evidence | undefined => EVIDENCE_OF[type];

function withForm(
  subject: IndividualSubject,
  { says, state, type }: FormOnFile,
  home: string,
): IndividualSubject {
  const stands = state === 'standing';
  const kind = EVIDENCE_OF[type];
  const others = (subject.evidence ?? []).filter((one) => one !== kind);
  const residences = says?.residences ?? [];
  const isAdmitted = stands && type === 'CRS-INDIVIDUAL' && residences.includes(US);
  const evidence = stands && kind !== undefined && !isAdmitted ? [...others, kind] : others;
  const addresses = merged(subject.addresses ?? [], says?.addresses ?? []);
  const { self_certification: certificate, ...rest } = subject;
  const base: IndividualSubject = {
    ...rest,
    evidence,
    ...(addresses.length > 0 && { addresses }),
    // A form of the United States takes the place of the other kind.
    ...(isOfFatca(type) && { w9: type === 'W-9' && stands }),
    // One that stands no more, changed or revoked, is a record of a US person until a Form W-8
    // replaces it: nobody takes a person out of a report by a word about a form.
    ...(type === 'W-9' && !stands && { us_person_on_record: true }),
    // Who certifies a residence in the United States is a US person by their own word.
    ...(isAdmitted && { us_tax_resident: true }),
    ...(subject.birth_country === undefined &&
      says?.birth_country !== undefined && { birth_country: says.birth_country }),
  };
  if (type !== 'CRS-INDIVIDUAL') {
    return certificate === undefined ? base : { ...base, self_certification: certificate };
  }
  if (!stands) return base;
  const isReasonable =
    says?.is_explained === true || contradictionsOf(residences, base, home).length === 0;
  return { ...base, self_certification: { is_reasonable: isReasonable, residences } };
}

/** Addresses of both, each once. */
function merged<One extends { readonly country: string; readonly kind: string }>(
  some: readonly One[],
  more: readonly One[],
): readonly One[] {
  const isNew = (one: One) =>
    !some.some(({ country, kind }) => country === one.country && kind === one.kind);
  return [...some, ...more.filter(isNew)];
}

/** An entity for FATCA: line 5 of its form decides what it is. */
export function entityForFatca(
  subject: EntitySubject,
  { forms = [] }: Pick<ClassificationInputs, 'forms'>,
): EntitySubject {
  const one = withPersons(subject, forms);
  const form = forms.find(({ type }) => type === 'W-9' || type === 'W-8BEN-E');
  if (form === undefined) return one;
  if (form.state !== 'standing') return { ...one, documented: false };
  const { says } = form;
  if (form.type === 'W-9') {
    const isExcepted = says?.excepted_from_specified === true;
    return { ...one, documented: true, excepted_from_specified: isExcepted, organised_in: US };
  }
  const {
    deemed_compliant: _,
    exempt_owner: __,
    financial_account: ___,
    giin: ____,
    institution: _____,
    nffe: ______,
    registration: _______,
    ...plain
  } = one;
  return {
    ...plain,
    ...says?.entity,
    documented: true,
    persons: joined(one.persons ?? [], says?.persons ?? []),
  };
}

/** An entity for CRS: its self-certification decides what it is, and where it lives. */
export function entityForCrs(
  subject: EntitySubject,
  { forms = [] }: Pick<ClassificationInputs, 'forms'>,
): EntitySubject {
  const one = withPersons(subject, forms);
  const form = forms.find(({ type }) => type === 'CRS-ENTITY');
  if (form === undefined) return one;
  if (form.state !== 'standing') return { ...one, documented: false };
  const {
    crs_active: _,
    crs_nonreporting: __,
    in_participating_jurisdiction: ___,
    income: ____,
    institution: _____,
    managed_by_institution: ______,
    ...plain
  } = one;
  return {
    ...plain,
    ...form.says?.entity,
    documented: true,
    persons: joined(one.persons ?? [], form.says?.persons ?? []),
    residences: form.says?.residences ?? [],
  };
}

/** Persons who have certified where they live. */
function withPersons(subject: EntitySubject, forms: readonly FormOnFile[]): EntitySubject {
  const certified = forms.flatMap(({ person_ref: ref, says, state }) =>
    ref === undefined || state !== 'standing' ? [] : [{ ref, residences: says?.residences ?? [] }],
  );
  if (certified.length === 0) return subject;
  const persons = certified.reduce<readonly ControllingPerson[]>((all, { ref, residences }) => {
    const before = all.find(({ person_ref }) => person_ref === ref);
    const isUs = before?.us_person === true || residences.includes(US);
    const after = { ...before, person_ref: ref, residences, us_person: isUs };
    return [...all.filter((one) => one !== before), after];
  }, subject.persons ?? []);
  return { ...subject, persons };
}

/** Persons of both; what was known of one stays, and a form adds to it. */
function joined(
  known: readonly ControllingPerson[],
  told: readonly ControllingPerson[],
): readonly ControllingPerson[] {
  const isKnown = (ref: string) => known.some(({ person_ref }) => person_ref === ref);
  return [
    ...known.map((one) => {
      const form = told.find(({ person_ref }) => person_ref === one.person_ref);
      if (form === undefined) return one;
      return {
        ...form,
        ...one,
        residences: [...new Set([...one.residences, ...form.residences])],
        us_person: one.us_person || form.us_person,
      };
    }),
    ...told.filter(({ person_ref }) => !isKnown(person_ref)),
  ];
}

/** The day until which a new form is awaited, of the forms that a regime looks at. */
export function formDueOf(
  { forms = [] }: Pick<ClassificationInputs, 'forms'>,
  regime: 'CRS' | 'FATCA',
): string | undefined {
  return forms
    .filter(({ state, type }) => state === 'changed' && isOfFatca(type) === (regime === 'FATCA'))
    .flatMap(({ cure_due: due = [] }) => due)
    .sort()
    .at(0);
}

/** Forms of invented holders, as they are handed in. */
import type { FormFields, FormInput } from '#slices/tax';

const AT_LYON = { city: 'Lyon', country: 'FR', street: 'Rue Inventée 7' } as const;
const SIGNED = { signature_method: 'ink', signed_at: '2025-11-03' } as const;

/** A form of its kind that lacks nothing. */
export const W8BEN: FormInput = {
  ...SIGNED,
  fields: {
    address: AT_LYON,
    birth: { date: '1980-04-12' },
    citizenship: 'FR',
    ftin: '0701987765493',
    name: 'Camille Delmaris',
  },
  revision: '10-2021',
  signer: { capacity: 'self', name: 'Delmaris Camille' },
  subject_ref: 'camille',
  type: 'W-8BEN',
};

export const W9: FormInput = {
  ...SIGNED,
  fields: {
    address: { city: 'Boston', country: 'US', street: 'Invented Street 1' },
    certified: true,
    classification: 'individual',
    name: 'Camille Delmaris',
    tin: '219099999',
  },
  revision: '03-2024',
  signer: { capacity: 'self', name: 'Camille Delmaris' },
  subject_ref: 'camille',
  type: 'W-9',
};

export const W8BENE: FormInput = {
  ...SIGNED,
  fields: {
    address: AT_LYON,
    chapter_3_status: 'corporation',
    chapter_4_status: 'ACTIVE_NFFE',
    ftin: '732829320',
    name: 'Société Inventée',
    organised_in: 'FR',
    parts: ['XXV'],
  },
  revision: '10-2021',
  signer: { capacity: 'officer', name: 'Camille Delmaris' },
  subject_ref: 'company',
  type: 'W-8BEN-E',
};

export const CERTIFICATE: FormInput = {
  ...SIGNED,
  fields: {
    address: AT_LYON,
    birth: { country: 'FR', date: '1980-04-12' },
    name: 'Camille Delmaris',
    residences: [{ country: 'FR', tin: '0701987765493' }],
  },
  signer: { capacity: 'self', name: 'Camille Delmaris' },
  subject_ref: 'camille',
  type: 'CRS-INDIVIDUAL',
};

export const OF_ENTITY: FormInput = {
  ...SIGNED,
  fields: {
    address: AT_LYON,
    controlling_persons: [{ name: 'Greta Muster', person_ref: 'greta' }],
    entity_type: 'passive',
    name: 'Société Inventée',
    organised_in: 'FR',
    residences: [{ country: 'FR', tin: '732829320' }],
  },
  signer: { capacity: 'officer', name: 'Camille Delmaris' },
  subject_ref: 'company',
  type: 'CRS-ENTITY',
};

export const OF_PERSON: FormInput = {
  ...SIGNED,
  entity_ref: 'company',
  fields: {
    address: { city: 'Köln', country: 'DE', street: 'Erfundene Gasse 3' },
    birth: { date: '1975-01-30' },
    name: 'Greta Muster',
    residences: [{ country: 'DE', no_tin_reason: 'B', explanation: 'Moved there this month' }],
    roles: ['CRS801'],
  },
  signer: { capacity: 'self', name: 'Greta Muster' },
  subject_ref: 'greta',
  type: 'CRS-CONTROLLING-PERSON',
};

/** The same form with other lines. */
export const lined = (form: FormInput, fields: Partial<FormFields>): FormInput => ({
  ...form,
  fields: { ...form.fields, ...fields },
});

/** Without some of its lines. */
export function lacking(form: FormInput, ...names: readonly (keyof FormFields)[]): FormInput {
  const left = Object.entries(form.fields).filter(([name]) => !names.includes(name as never));
  return { ...form, fields: Object.fromEntries(left) };
}

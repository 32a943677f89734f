/** What is found odd about a form, how long it holds, and what it says to the tables. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  CHAPTER_4_STATUSES,
  type ClassificationInputs,
  checkForm,
  classify,
  type EntitySubject,
  FORM_TYPES,
  type FormContext,
  type FormInput,
  type FormOnFile,
  factsOf,
  LINES_OF,
  readForm,
  stepOfForm,
  type TaxForm,
} from '#slices/tax';
import { CERTIFICATE, lacking, lined, OF_ENTITY, OF_PERSON, W8BEN, W8BENE, W9 } from './formKit.ts';
import { BORN_IN_US } from './taxDesk.ts';

const TODAY = '2025-11-20';
const found = (form: FormInput, more: Partial<FormContext> = {}) =>
  checkForm(readForm(form, TODAY), { today: TODAY, ...more }).findings.map(
    ({ code, pointer, severity }) => `${severity} ${code} ${pointer}`,
  );
const refused = (code: string, ...pointers: readonly string[]) =>
  expect.objectContaining({
    code,
    violations: pointers.map((pointer) => expect.objectContaining({ pointer })),
  });

describe('a form that lacks nothing', () => {
  test.each([W8BEN, W9, W8BENE, CERTIFICATE, OF_ENTITY, OF_PERSON])('$type', (form) => {
    expect(found(form)).toEqual([]);
  });

  test.each([W8BEN, W9, W8BENE, CERTIFICATE, OF_ENTITY, OF_PERSON])('$type, unsigned', (form) => {
    const { signed_at: _, signer: __, ...unsigned } = form;
    expect(found(unsigned)).toEqual([
      'error signature-missing /signer',
      'error signature-missing /signed_at',
    ]);
  });

  test.each([
    [W8BEN, ['name', 'citizenship', 'address', 'ftin', 'birth']],
    [W9, ['name', 'classification', 'address', 'tin', 'certified']],
    [W8BENE, ['name', 'organised_in', 'chapter_3_status', 'chapter_4_status', 'address']],
    [CERTIFICATE, ['name', 'address', 'residences', 'birth']],
    [OF_ENTITY, ['name', 'address', 'residences', 'entity_type']],
    [OF_PERSON, ['name', 'address', 'residences', 'birth', 'roles']],
  ] as const)('and every line that it needs: %#', (form, names) => {
    for (const name of names) {
      const all = found(lacking(form, name));
      const isTold = all.some((one) => one.startsWith(`error missing /fields/${name}`));
      expect(isTold, `${form.type} without ${name}: ${all.join()}`).toBe(true);
    }
  });
});

describe('what is odd', () => {
  const us = { ...W8BEN.fields.address, country: 'US' };
  const w8 = (fields: FormInput['fields']) => lined(W8BEN, fields);
  const passive = { chapter_4_status: 'PASSIVE_NFFE', parts: ['XXVI'] };
  const owner = { name: 'A. Owner', person_ref: 'owner' };

  test.each<[FormInput, string]>([
    [w8({ address: us }), 'cure us-address /fields/address/country'],
    [w8({ mailing_address: us }), 'cure us-address /fields/mailing_address/country'],
    [w8({ address: { country: 'FR', po_box: '12' } }), 'cure po-box /fields/address/po_box'],
    [w8({ address: { care_of: true, country: 'FR' } }), 'cure care-of /fields/address/care_of'],
    [
      w8({ treaty: { article: '11', country: 'IT' } }),
      'cure treaty-country /fields/treaty/country',
    ],
    [w8({ citizenship: 'US' }), 'error us-citizen /fields/citizenship'],
    [w8({ ftin: '1' }), 'warning tin-doubtful /fields/ftin'],
    [{ ...W8BEN, signer: { capacity: 'officer', name: 'X' } }, 'error capacity /signer/capacity'],
    [
      { ...W8BEN, signer: { capacity: 'attorney', name: 'X' } },
      'warning power-of-attorney /signer/capacity',
    ],
    [
      { ...W8BEN, signer: { capacity: 'self', name: 'Somebody Else' } },
      'warning signer-name /signer/name',
    ],
    [{ ...W8BEN, revision: '07-2017' }, 'error revision-outdated /revision'],
    [lined(W9, { certified: false }), 'error not-certified /fields/certified'],
    [
      lined(W9, { fatca_exemption_code: 'A' }),
      'error exempt-code-of-person /fields/fatca_exemption_code',
    ],
    [lined(W8BENE, { organised_in: 'US' }), 'error us-organised /fields/organised_in'],
    [lined(W8BENE, { chapter_4_status: 'MODEL1', parts: [] }), 'error giin-missing /fields/giin'],
    [lined(W8BENE, { parts: ['XXVI'] }), 'error part-disagrees /fields/parts'],
    [lined(W8BENE, passive), 'error owners-missing /fields/owners'],
    [
      lined(W8BENE, { ...passive, no_us_owners: true, owners: [owner] }),
      'error owners-disagree /fields/owners',
    ],
    [lined(W8BENE, { ...passive, owners: [owner] }), 'error missing /fields/owners/0/us_tin'],
    [
      lined(W8BENE, { chapter_4_status: 'FOREIGN_GOVERNMENT', parts: ['XIII'] }),
      'error chapter-3-disagrees /fields/chapter_4_status',
    ],
    [
      lined(W8BENE, { chapter_4_status: 'TERRITORY_FI', parts: ['XVII'] }),
      'error no-territory /fields/chapter_4_status',
    ],
    [
      lined(CERTIFICATE, { residences: [{ country: 'DE', no_tin_reason: 'C' }] }),
      'cure address-elsewhere /fields/address/country',
    ],
    [
      lined(CERTIFICATE, { residences: [{ country: 'FR', no_tin_reason: 'A' }] }),
      'warning reason-doubtful /fields/residences/0/no_tin_reason',
    ],
    [
      lined(CERTIFICATE, { residences: [{ country: 'FR', no_tin_reason: 'B' }] }),
      'error missing /fields/residences/0/explanation',
    ],
    [lacking(OF_ENTITY, 'controlling_persons'), 'error missing /fields/controlling_persons'],
  ])('%#: %s', (form, expected) => {
    expect(found(form)).toContain(expected);
  });

  test('a form that holds until a change has the revision of its time', () => {
    expect(found({ ...W9, revision: '12-2014', signed_at: '2015-03-01' })).toEqual([]);
    const listed = lined(W8BENE, { chapter_4_status: 'PUBLIC_NFFE', parts: ['XXIII'] });
    expect(found({ ...listed, revision: '04-2016', signed_at: '2016-09-01' })).toEqual([]);
    expect(found({ ...listed, revision: '02-2014', signed_at: '2017-02-01' })).toEqual([
      'error revision-outdated /revision',
    ]);
  });

  test('who may sign for an estate, and for a person who controls', () => {
    const executor = { capacity: 'executor', name: 'A. Heir' } as const;
    const estate = lined(W8BENE, { chapter_3_status: 'estate' });
    expect(found({ ...estate, signer: executor })).toEqual([]);
    expect(found({ ...lined(W9, { classification: 'trust_estate' }), signer: executor })).toEqual(
      [],
    );
    expect(found({ ...W8BENE, signer: executor })).toEqual(['error capacity /signer/capacity']);
    const officer = { capacity: 'officer', name: 'B. Officer' } as const;
    expect(found({ ...OF_PERSON, signer: officer })).toEqual([]);
  });

  test('a passive entity without US owners, and one that names them', () => {
    expect(found(lined(W8BENE, { ...passive, no_us_owners: true }))).toEqual([]);
    const named = { ...owner, address: us, us_tin: '219099999' };
    expect(found(lined(W8BENE, { ...passive, owners: [named] }))).toEqual([]);
  });

  test('what is on file contradicts it', () => {
    const subject = { kind: 'individual', phone_countries: ['US'], us_citizen: true } as const;
    expect(found(W8BEN, { subject })).toEqual(['error us-person-on-record ', 'cure us-phone ']);
    const record = { kind: 'individual', residences_on_record: ['DE'] } as const;
    expect(found(CERTIFICATE, { subject: record })).toEqual(['cure unreasonable-record ']);
    const explained = { ...CERTIFICATE, explanation: 'Lived in Köln until last year' };
    expect(found(explained, { subject: record })).toEqual(['warning unreasonable-record ']);
    for (const form of [W8BENE, OF_ENTITY]) {
      expect(found(form, { subject: record })).toContain('error holder-is-individual ');
    }
    const { subject: _, ...none } = { subject };
    expect(found(W9, { ...none, hasForeignForm: true })).toEqual([
      'warning foreign-status-contradicts ',
    ]);
  });

  test.each([
    [undefined, 'warning giin-unchecked /fields/giin'],
    ['list_stale', 'warning giin-list-stale /fields/giin'],
    ['not_listed', 'cure giin-not-listed /fields/giin'],
  ] as const)('a GIIN of which the list says %s', (giin, expected) => {
    const bank = { chapter_4_status: 'MODEL1', giin: '98Q96B.00000.LE.250', parts: [] };
    expect(found(lined(W8BENE, bank), { ...(giin && { giin }) })).toEqual([expected]);
    expect(found(lined(W8BENE, bank), { giin: 'listed' })).toEqual([]);
  });
});

describe('what cannot stand on a form', () => {
  test.each<[object, unknown]>([
    [{ ...W8BEN, type: 'W-7' }, refused('form-fields-invalid', '/type')],
    [{ ...W8BEN, more: 1 }, refused('form-fields-invalid', '/more')],
    [lined(W8BEN, { tin: '219099999' }), refused('form-fields-invalid', '/fields/tin')],
    [lined(W8BEN, { citizenship: 'QQ' }), refused('form-fields-invalid', '/fields/citizenship')],
    [
      { ...W8BEN, signed_at: '2025-11-21' },
      expect.objectContaining({ code: 'form-fields-invalid' }),
    ],
    [
      { ...W8BEN, signed_at: '2021-12-30', revision: '10-2021' },
      refused('form-fields-invalid', '/signed_at'),
    ],
    [{ ...W8BEN, received_at: '2025-11-02' }, refused('form-fields-invalid', '/received_at')],
    [{ ...W9, signed_at: '2023-05-01' }, refused('form-fields-invalid', '/revision')],
    [{ ...W8BEN, revision: '10-2020' }, refused('form-fields-invalid', '/revision')],
    [{ ...W8BEN, entity_ref: 'x' }, refused('form-fields-invalid', '/entity_ref')],
    [{ ...OF_PERSON, entity_ref: 'greta' }, refused('form-fields-invalid', '/entity_ref')],
    [
      lined(W8BEN, { birth: { date: '2025-12-01' } }),
      refused('form-fields-invalid', '/fields/birth/date'),
    ],
    [lined(W9, { tin: '219-09-9999' }), refused('tin-invalid', '/fields/tin')],
    [lined(W9, { tin: '222222222' }), refused('tin-invalid', '/fields/tin')],
    [
      lined(OF_ENTITY, {
        controlling_persons: [{ name: 'Greta Muster', person_ref: 'greta', us_tin: '222222222' }],
      }),
      refused('tin-invalid', '/fields/controlling_persons/0/us_tin'),
    ],
    [lined(W8BENE, { giin: '98O96B.00000.LE.250' }), refused('giin-invalid', '/fields/giin')],
  ])('%#', (form, expected) => {
    expect(() => readForm(form, TODAY)).toThrow(expected as Error);
  });

  test('nothing but a refusal comes of anything else', () => {
    fc.assert(
      fc.property(
        fc.record({
          fields: fc.dictionary(fc.constantFrom(...LINES_OF['W-8BEN-E'], 'x'), fc.jsonValue()),
          signed_at: fc.oneof(fc.string(), fc.constant('2025-01-01')),
          subject_ref: fc.jsonValue(),
          type: fc.constantFrom(...FORM_TYPES, 'x'),
        }),
        (value) => {
          try {
            checkForm(readForm(value, TODAY), { today: TODAY });
          } catch (error) {
            expect(error).toMatchObject({ code: expect.stringMatching(/^(form|tin|giin)-/) });
          }
        },
      ),
    );
  });
});

describe('how long a form holds', () => {
  const until = (form: FormInput) => checkForm(readForm(form, TODAY), { today: TODAY }).validUntil;

  test('to the last day of the third year after its signature, or until a change', () => {
    expect(until(W8BEN)).toBe('2028-12-31');
    expect(until({ ...W8BEN, signed_at: '2024-01-01' })).toBe('2027-12-31');
    expect(until(W9)).toBeUndefined();
    expect(until(CERTIFICATE)).toBeUndefined();
    expect(until({ ...W8BEN, documentary_evidence: true })).toBeUndefined();
    const claim = { treaty: { article: '11', country: 'FR' } };
    expect(until({ ...lined(W8BEN, claim), documentary_evidence: true })).toBe('2028-12-31');
    expect(until(W8BENE)).toBe('2028-12-31');
    const listed = { chapter_4_status: 'PUBLIC_NFFE', parts: ['XXIII'] };
    expect(until(lined(W8BENE, listed))).toBeUndefined();
  });

  test('its steps are taken once each, whatever the clock skips', () => {
    const form = { status: 'valid', validUntil: '2028-12-31' } as TaxForm;
    const step = (today: string, more: Partial<TaxForm> = {}) =>
      stepOfForm({ ...form, ...more }, today);
    const at = (day: string) => Date.parse(`${day}T00:00:00Z`);
    expect(step('2028-10-01')).toBeUndefined();
    expect(step('2028-10-02')).toEqual({ dueAt: at('2028-12-01'), isOver: false, told: 90 });
    expect(step('2028-10-03', { toldDays: 90 })).toBeUndefined();
    expect(step('2028-12-02')).toEqual({ dueAt: at('2028-12-31'), isOver: false, told: 30 });
    expect(step('2028-12-31', { toldDays: 30 })).toEqual({
      dueAt: at('2029-01-01'),
      isOver: false,
      told: 0,
    });
    expect(step('2029-01-01', { toldDays: 0 })).toEqual({ isOver: true });
    expect(step('2031-05-05', { toldDays: 90 })).toEqual({ isOver: true, told: 0 });
    expect(step('2031-05-05', { status: 'revoked' })).toBeUndefined();
  });
});

describe('what a form says to the tables', () => {
  const onFile = (form: FormInput, more: Partial<FormOnFile> = {}): FormOnFile => ({
    form_id: 'f',
    says: factsOf(form),
    state: 'standing',
    type: form.type,
    ...more,
  });
  const of = (subject: ClassificationInputs['subject'], ...forms: readonly FormOnFile[]) =>
    classify({ ...BORN_IN_US, begun_on: TODAY, forms, subject }, TODAY);
  const person = { birth_country: 'FR', kind: 'individual' } as const;
  const company: EntitySubject = {
    documented: false,
    kind: 'entity',
    organised_in: 'FR',
    persons: [{ ownership_pct: 60, person_ref: 'greta', residences: [], us_person: false }],
    residences: ['FR'],
  };

  test('a W-9 makes a US person, and a W-8BEN takes that back', () => {
    expect(of(person, onFile(W9)).fatca.status).toBe('US_SPECIFIED');
    expect(of({ ...person, w9: true }, onFile(W8BEN)).fatca.status).toBe('NON_US');
    const over = of({ ...person, w9: true }, onFile(W9, { state: 'over' }));
    expect(over.fatca.status).toBe('PENDING_CURE');
  });

  test('a W-9 that circumstances made incorrect is a record of a US person', () => {
    const due = { cure_due: '2025-11-01', state: 'over' } as const;
    const { fatca, indicia } = of(person, onFile(W9, due));
    expect(indicia).toMatchObject([{ code: 'US_PERSON_ON_RECORD', state: 'open' }]);
    expect(fatca.status).toBe('PENDING_CURE');
    const awaited = onFile(W9, { cure_due: '2026-01-10', state: 'changed' });
    expect(of(person, awaited).cure_due).toBe('2026-01-10');
  });

  test('a certificate that names the United States admits a US person', () => {
    const there = lined(CERTIFICATE, { residences: [{ country: 'US', tin: '219099999' }] });
    expect(of({ ...person, birth_country: 'US' }, onFile(there)).fatca.status).toBe('US_SPECIFIED');
    expect(of(person, onFile(there, { state: 'over' })).fatca.status).toBe('NON_US');
  });

  test('a form of an entity says nothing of a person, and one of a person of no entity', () => {
    expect(of({ ...person, w9: true }, onFile(W8BENE)).fatca.status).toBe('US_SPECIFIED');
    const bank = { ...company, documented: true, institution: 'investment' } as const;
    expect(of(bank, onFile(W8BEN)).fatca.status).toBe('NPFFI');
    const exempt = lined(W9, { classification: 'c_corporation', fatca_exemption_code: 'A' });
    expect(of(person, onFile(exempt)).fatca.status).toBe('US_SPECIFIED');
  });

  test('the address of a W-8BEN is one on file', () => {
    const abroad = lined(W8BEN, { address: { country: 'US', street: 'Main 1' } });
    const { fatca, indicia } = of(person, onFile(abroad));
    expect(fatca.status).toBe('PENDING_CURE');
    expect(indicia).toMatchObject([{ code: 'US_ADDRESS', state: 'open' }]);
  });

  test('a certificate counts as long as nothing contradicts it, or it is explained', () => {
    const german = lined(CERTIFICATE, {
      address: { city: 'Köln', country: 'DE' },
      residences: [{ country: 'DE', no_tin_reason: 'C' }],
    });
    expect(of(person, onFile(german)).crs).toMatchObject({
      reportable_jurisdictions: ['DE'],
      status: 'REPORTABLE',
    });
    const record = { ...person, residences_on_record: ['IT'] };
    expect(of(record, onFile(german)).crs.status).toBe('PENDING_CURE');
    const explained = { ...german, explanation: 'Sold the house in Italy' };
    expect(of(record, onFile(explained)).crs.status).toBe('REPORTABLE');
  });

  test('a form that circumstances made incorrect is awaited anew, and then is none', () => {
    const changed = onFile(CERTIFICATE, { cure_due: '2026-01-10', state: 'changed' });
    expect(of(person, changed)).toMatchObject({
      crs: { status: 'PENDING_CURE' },
      cure_due: '2026-01-10',
      documents_required: ['self_certification'],
      status: 'pending_cure',
    });
    const claimed = {
      ...person,
      self_certification: { is_reasonable: true, residences: ['FR'] },
    };
    const { crs, status } = of(claimed, onFile(CERTIFICATE, { state: 'over' }));
    expect([crs.status, status]).toEqual(['NO_INDICIA', 'final']);
  });

  test.each(CHAPTER_4_STATUSES)('line 5 of a W-8BEN-E: %s', (code) => {
    const where = code.startsWith('TERRITORY') ? 'PR' : 'FR';
    const giin = '98Q96B.00000.LE.250';
    const form = lined(W8BENE, { chapter_4_status: code, giin, organised_in: where });
    expect(of({ ...company, nffe: 'startup' }, onFile(form)).fatca.status).toBe(code);
  });

  test('owners and persons who control come with the forms', () => {
    const owners = [{ name: 'A', ownership_pct: '30', person_ref: 'ann', us_tin: '219099999' }];
    const passive = lined(W8BENE, { chapter_4_status: 'PASSIVE_NFFE', owners, parts: ['XXVI'] });
    expect(of(company, onFile(passive)).fatca).toMatchObject({
      holder_type: 'FATCA102',
      owners: ['ann'],
    });
    const certified = onFile(OF_PERSON, { person_ref: 'greta' });
    expect(of(company, onFile(OF_ENTITY), certified).crs).toMatchObject({
      holder_type: 'CRS101',
      persons: ['greta'],
      reportable_jurisdictions: ['DE'],
      status: 'PASSIVE',
    });
    const over = onFile(OF_ENTITY, { state: 'over' });
    expect(of({ ...company, documented: true }, over).crs.status).toBe('SELF_CERT_REQUIRED');
  });
});

/** Cases over a real store and the real evidence: opened, changed, and held to their entries. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { entry } from '#core/audit';
import { dataKeyTable } from '#core/blobs';
import {
  CASE_STATUSES,
  type CreateCase,
  caseTable,
  createCase,
  listCases,
  moveTo,
  patchCase,
  readContent,
  recordConsent,
  requireCase,
  subjectKeyId,
  subjectPaths,
  TRANSITIONS,
  TRIGGERS,
  taskTable,
} from '#slices/customers';
import { SubjectBody } from '../../../src/slices/customers/schemas.ts';
import { BY, type CaseDesk, CONSENT, documentless, openCaseDesk, TENANT } from './caseDesk.ts';

const GIVEN: CreateCase = {
  external_ref: 'client-1',
  locale: 'fr-TN',
  subject: { dob: '1990-05-17', full_name: 'Amira Ben Salah', nationality: 'TN' },
  subject_type: 'individual',
  workflow_code: 'individual_standard',
};
let desk: CaseDesk;
beforeEach(async () => {
  desk = await openCaseDesk();
});
afterEach(async () => desk.close());

describe('cases', () => {
  test('a case says what it waits for, and one reference has one that is undecided', async () => {
    const { ports } = desk;
    const record = await createCase(ports, BY, GIVEN);
    expect(record).toMatchObject({ status: 'open', version: 1 });
    expect(record.missing).toEqual([
      { kind: 'consent', name: 'identity_verification' },
      { kind: 'document', name: 'passport|id_card_front|residence_permit' },
    ]);
    await expect(createCase(ports, BY, GIVEN)).rejects.toMatchObject({ code: 'case-open-exists' });
    const wrong = { ...GIVEN, external_ref: 'client-2', subject: { nationality: 'XX' } };
    await expect(createCase(ports, BY, wrong)).rejects.toMatchObject({ code: 'subject-invalid' });
    const earning = (currency: string) => ({
      ...GIVEN,
      external_ref: 'client-3',
      subject: { ...GIVEN.subject, expected_turnover: { amount: '1200.500', currency } },
    });
    await expect(createCase(ports, BY, earning('XYZ'))).rejects.toMatchObject({
      violations: [{ pointer: expect.stringContaining('/expected_turnover/currency') }],
    });
    expect(await createCase(ports, BY, earning('TND'))).toMatchObject({ status: 'open' });
    const { cases } = await listCases(ports, {
      filter: { status: 'open' },
      limit: 10,
      tenantId: TENANT,
    });
    expect(cases.map(({ caseId }) => caseId)).toContain(record.caseId);
  });

  test('a customer without a name is asked for one, whatever the workflow says', async () => {
    const { ports } = desk;
    const { caseId } = await createCase(ports, BY, GIVEN);
    const patch = { subject: { full_name: ' ' } };
    await patchCase(ports, { ...BY, caseId }, patch, { source: 'agent' });
    const { missing } = await requireCase(ports, { ...BY, caseId });
    expect(missing).toContainEqual({ kind: 'field', name: 'full_name' });
  });

  test('a merge patch takes members away, and says where values come from', async () => {
    const { ports } = desk;
    const { caseId } = await createCase(ports, BY, GIVEN);
    const ask = { ...BY, caseId };
    const patch = { subject: { dob: null, occupation: 'Architect' } };
    const next = await patchCase(ports, ask, patch, { source: 'agent' });
    const { provenance, subject } = await readContent(ports, next);
    expect(subject).toEqual({
      full_name: 'Amira Ben Salah',
      nationality: 'TN',
      occupation: 'Architect',
    });
    expect(provenance.occupation).toMatchObject({ source: 'agent' });
    expect(provenance.dob).toBeUndefined();
    expect(next.missing).toContainEqual({ kind: 'field', name: 'dob' });
    const stale = { ...ask, isExpected: (etag: string) => etag === '"1"' };
    await expect(patchCase(ports, stale, patch, { source: 'api' })).rejects.toMatchObject({
      code: 'precondition-failed',
    });
  });

  test('a consent counts until it is withdrawn', async () => {
    const { ports } = desk;
    const { caseId } = await createCase(ports, BY, GIVEN);
    const ask = { ...BY, caseId };
    const names = async () => (await requireCase(ports, ask)).missing.map(({ name }) => name);
    const now = desk.clock.now();
    const wrong = [{ givenAt: now + 3_600_000 }, { expiresAt: now - 2, givenAt: now - 1 }];
    for (const times of wrong) {
      await expect(
        recordConsent(ports, ask, { ...CONSENT, ...times } as typeof CONSENT),
      ).rejects.toMatchObject({ code: 'body-invalid' });
    }
    await recordConsent(ports, ask, CONSENT);
    expect(await names()).not.toContain('identity_verification');
    await recordConsent(ports, ask, { ...CONSENT, given: false });
    expect(await names()).toContain('identity_verification');
  });

  test('a workflow names lists, fields and forms that there are', async () => {
    const refused = await documentless(desk, {
      form_code: 'no_form',
      lists: ['OFAC', 'NOPE'],
      required_fields: ['dob', 'address.city', 'legal_name', 'adress.city'],
    }).catch((error: unknown) => error);
    expect(refused).toMatchObject({
      code: 'workflow-invalid',
      violations: [
        { detail: expect.stringContaining('OFAC'), pointer: '/lists/1' },
        { detail: expect.stringContaining('national_id'), pointer: '/required_fields/2' },
        { pointer: '/required_fields/3' },
        { pointer: '/form_code' },
      ],
    });
    await documentless(desk, {
      form_code: 'known_form',
      lists: ['OFAC'],
      required_fields: ['dob'],
    });
  });

  test('fields that a workflow may ask for are those that a subject has', () => {
    const wire = pathsOf(SubjectBody);
    const known = new Set([...subjectPaths('business'), ...subjectPaths('individual')]);
    expect([...known].sort()).toEqual(wire.sort());
  });

  test('what was written past the service is refused by name', async () => {
    const { alter, ports } = desk;
    const record = await createCase(ports, BY, GIVEN);
    expect(await ports.signed.check(TENANT)).toEqual([]);
    expect(await alter('kyc_case', '"locale":"fr-TN"', '"locale":"ar-TN"')).toBe(1);
    await expect(requireCase(ports, record)).rejects.toMatchObject({ code: 'state-altered' });
    const all = { filter: {}, limit: 10, tenantId: TENANT };
    await expect(listCases(ports, all)).rejects.toMatchObject({ code: 'state-altered' });
    expect(await ports.signed.check(TENANT)).toHaveLength(1);
  });

  test('nothing of a person is readable once the data key is another one', async () => {
    const { ports } = desk;
    const record = await createCase(ports, BY, GIVEN);
    const row = await ports.tables.find(caseTable, record);
    expect(JSON.stringify(row)).not.toContain('Amira');
    const keyId = subjectKeyId(record.subjectId);
    const key = await ports.dataKeys.find({ keyId, tenantId: TENANT });
    if (key === undefined) throw new Error('no key');
    const gone = ports.dataKeys.without(key, []);
    await ports.commit(TENANT as never, {
      bus: [],
      changes: [dataKeyTable.put(gone.record, key.version)],
      events: [entry(ports, { ...BY, action: 'kyc.subject.erased', target: 'subject:test' })],
    });
    await expect(readContent(ports, record)).rejects.toMatchObject({ code: 'blob-damaged' });
  });

  test('no state is left but by a row of the table', () => {
    for (const trigger of TRIGGERS) {
      for (const status of CASE_STATUSES) {
        const { from, to } = TRANSITIONS[trigger];
        const move = () => moveTo({ status }, trigger);
        if (from.includes(status)) expect(move()).toBe(to);
        else expect(move).toThrow(expect.objectContaining({ code: 'state-conflict' }));
      }
    }
    expect(taskTable.name).toBe('kyc_task');
  });
});

/** Every place of a schema of objects; those of lists are not asked for one by one. */
function pathsOf({ properties = {} }: { readonly properties?: object }, under = ''): string[] {
  return Object.entries(properties).flatMap(([name, schema]) => [
    `${under}${name}`,
    ...pathsOf(schema, `${under}${name}.`),
  ]);
}

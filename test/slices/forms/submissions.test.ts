/** What customers fill in: drafts, whole forms, what they make of a case, and what is refused. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { StaleChange } from '#core/audit';
import { caseTable, createCase, readContent, requireCase } from '#slices/customers';
import {
  type FormVersion,
  forgetSubmissions,
  type GivenSubmission,
  listSubmissions,
  publishForm,
  type SubmitAsk,
  submissionTable,
  submitForm,
  submittedValues,
  usageOf,
  viewSubmission,
} from '#slices/forms';
import { FILLED, type FormDesk, openFormDesk, TENANT } from './formDesk.ts';

let desk: FormDesk;
let version: FormVersion;
let cases = 0;

beforeAll(async () => {
  desk = await openFormDesk();
  const { version: draft } = await desk.make();
  const { formId, versionId } = draft;
  const signatures = [desk.sign(draft, 'carl'), desk.sign(draft, 'ada')];
  const ask = { ...desk.as('carl'), formId, signatures, versionId };
  version = (await publishForm(desk.ports, ask)).version;
});
afterAll(() => desk.close());

const openCase = () =>
  createCase(
    desk.ports.cases,
    { actor: 'key:test', tenantId: TENANT },
    {
      external_ref: `client-${++cases}`,
      locale: 'fr-TN',
      subject: { phone: '+21671000000' },
      subject_type: 'individual',
      workflow_code: 'individual_standard',
    },
  );
const ask = (): SubmitAsk => ({
  actor: 'key:test',
  channel: 'api',
  formId: version.formId,
  tenantId: TENANT,
});
const given = (caseId: string, more: Partial<GivenSubmission> = {}): GivenSubmission => ({
  caseId,
  complete: true,
  data: FILLED,
  locale: 'fr-TN',
  ...more,
});

describe('submissions', () => {
  test('of a case whose time is over the values go, and that it was sent stays', async () => {
    const { caseId } = await openCase();
    const made = await submitForm(desk.ports, ask(), given(caseId));
    const place = { caseId, tenantId: TENANT };
    const { version: revision } = await requireCase(desk.ports.cases, place);
    const former = caseTable.expect(place, { version: revision - 1 });
    await expect(forgetSubmissions(desk.ports, { ...place, expected: former })).rejects.toThrow(
      StaleChange,
    );
    expect(await submittedValues(desk.ports, made)).not.toEqual({});
    const expected = caseTable.expect(place, { version: revision });
    await forgetSubmissions(desk.ports, { ...place, expected });
    await forgetSubmissions(desk.ports, { ...place, expected });
    const left = await desk.ports.findSubmission(made);
    expect(left).toMatchObject({ caseId, sealed: '', version: made.version + 1 });
    await expect(submittedValues(desk.ports, left as typeof made)).rejects.toMatchObject({
      code: 'subject-erased',
    });
  });

  test('a whole form fills its case in one commit, and hidden values are nowhere', async () => {
    const { caseId } = await openCase();
    const made = await submitForm(desk.ports, ask(), given(caseId));
    expect(made).toMatchObject({ complete: true, ignoredFields: ['tax_id'], version: 1 });
    const record = await requireCase(desk.ports.cases, { caseId, tenantId: TENANT });
    expect(record.form).toEqual({
      formId: version.formId,
      submissionId: made.submissionId,
      version: '1.0.0',
    });
    expect(record.consents.map(({ purpose }) => purpose)).toEqual(['identity_verification']);
    expect(record.missing.map(({ kind }) => kind)).not.toContain('consent');
    const { provenance, subject } = await readContent(desk.ports.cases, record);
    expect(subject).toEqual({
      dob: '1990-05-17',
      first_name: 'Amira',
      last_name: 'Ben Salah',
      nationality: 'FR',
      phone: '+21671000000',
    });
    expect(provenance.dob).toMatchObject({ ref: made.submissionId, source: 'form' });
    expect(provenance.phone).toMatchObject({ source: 'api' });
    const { tax_id: _, ...kept } = FILLED;
    expect(await submittedValues(desk.ports, made)).toEqual(kept);
    const entries = await desk.entries('form.submission.received');
    expect(JSON.stringify(entries)).not.toContain('Amira');
  });

  test('a draft asks for types alone, and ends with the whole form', async () => {
    const { caseId } = await openCase();
    const part = { complete: false, data: { first_name: 'Amira', status: 'employee' } };
    const first = await submitForm(desk.ports, ask(), given(caseId, part));
    const second = await submitForm(
      desk.ports,
      ask(),
      given(caseId, { ...part, data: { ...part.data, last_name: 'Ben Salah' } }),
    );
    expect(second).toMatchObject({ submissionId: first.submissionId, version: 2 });
    await expect(
      submitForm(desk.ports, ask(), given(caseId, { complete: false, data: { status: 'x' } })),
    ).rejects.toMatchObject({ code: 'submission-invalid' });
    const whole = await submitForm(desk.ports, ask(), given(caseId));
    expect(whole).toMatchObject({ submissionId: first.submissionId, version: 3 });
    expect(await requireCase(desk.ports.cases, { caseId, tenantId: TENANT })).toMatchObject({
      form: { submissionId: first.submissionId },
    });
  });

  test('every field that is wrong is told at once', async () => {
    const { caseId } = await openCase();
    const data = { ...FILLED, dob: '2020-01-01', first_name: '', nationality: 'XX' };
    await expect(submitForm(desk.ports, ask(), given(caseId, { data }))).rejects.toMatchObject({
      code: 'submission-invalid',
      violations: [
        { code: 'required', pointer: '/data/first_name' },
        { code: 'max-date', pointer: '/data/dob' },
        { code: 'option', pointer: '/data/nationality' },
      ],
    });
    const record = await requireCase(desk.ports.cases, { caseId, tenantId: TENANT });
    expect(record.version).toBe(1);
  });

  test('another version, and a case that is not there, are refused', async () => {
    const { caseId } = await openCase();
    await expect(
      submitForm(desk.ports, ask(), given(caseId, { version: '0.9.0' })),
    ).rejects.toMatchObject({ code: 'form-version-archived' });
    await expect(
      submitForm(desk.ports, ask(), given('0190aaaa-0000-7000-8000-000000000001')),
    ).rejects.toMatchObject({ code: 'case-unknown' });
  });

  test('who reads one is written down; lists have no values, and use is counted', async () => {
    const { caseId } = await openCase();
    const { submissionId } = await submitForm(desk.ports, ask(), given(caseId));
    const place = { formId: version.formId, tenantId: TENANT };
    const { values } = await viewSubmission(desk.ports, {
      ...place,
      actor: 'person:lena',
      submissionId,
    });
    expect(values).toMatchObject({ first_name: 'Amira' });
    expect((await desk.entries('form.submission.viewed')).at(-1)).toMatchObject({
      actor: 'person:lena',
      target: `form_submission:${submissionId}`,
    });
    const { submissions } = await listSubmissions(desk.ports, { ...place, limit: 10 });
    expect(submissions.map((one) => one.submissionId)).toContain(submissionId);
    const now = desk.clock.now();
    const count = await usageOf(desk.ports, { ...place, now });
    expect(count).toBe(submissions.length);
    const later = (now + 31 * 86_400_000) as typeof now;
    expect(await usageOf(desk.ports, { ...place, now: later })).toBe(0);
    await expect(
      viewSubmission(desk.ports, {
        ...place,
        actor: 'person:lena',
        submissionId: '0190aaaa-0000-7000-8000-000000000001',
      }),
    ).rejects.toMatchObject({ code: 'submission-unknown' });
  });

  test('a submission that was changed past the service is refused', async () => {
    const { caseId } = await openCase();
    const made = await submitForm(desk.ports, ask(), given(caseId, { locale: 'ar-TN' }));
    expect(await desk.alter(submissionTable.name, '"locale":"ar-TN"', '"locale":"en-TN"')).toBe(1);
    await expect(desk.ports.findSubmission(made)).rejects.toMatchObject({ code: 'state-altered' });
  });
});

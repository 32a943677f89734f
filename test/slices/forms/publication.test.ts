/** Versions of forms: drafted, saved, signed by two persons, and held to their entries. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signedAuthorOf, verifyApproval } from '#core/identity';
import { requireLastEditor } from '#slices/approvals';
import {
  activeVersion,
  checkForms,
  createForm,
  discardVersion,
  draftVersion,
  type FormRecord,
  type FormVersion,
  listForms,
  listVersions,
  liveSignatures,
  publicationSubject,
  publishApproved,
  publishForm,
  requireForm,
  requireVersion,
  saveVersion,
  shownPublication,
  signedOnce,
} from '#slices/forms';
import { FORM_ROLE_PAIR } from '../../../src/slices/forms/roles.ts';
import { FORM, type FormDesk, NAME, type Name, openFormDesk, TENANT } from './formDesk.ts';

const DAY_MS = 86_400_000;
let desk: FormDesk;
beforeAll(async () => {
  desk = await openFormDesk();
});
afterAll(() => desk.close());

const placeOf = ({ formId, versionId }: FormVersion) => ({ formId, tenantId: TENANT, versionId });
const fieldsLess = (count: number) => ({
  steps: FORM.schema.steps.map((step, at) =>
    at === 0 ? { ...step, fields: step.fields.slice(0, step.fields.length - count) } : step,
  ),
});
const code = (name: string) => ({ code: name });

/** Signed by both at once. */
const publish = (version: FormVersion, names: readonly Name[] = ['carl', 'ada']) =>
  publishForm(desk.ports, {
    ...desk.as(names[0] ?? 'carl'),
    ...placeOf(version),
    signatures: names.map((name) => desk.sign(version, name)),
  });
const sign = (version: FormVersion, name: Name) =>
  publishForm(desk.ports, {
    ...desk.as(name),
    ...placeOf(version),
    signatures: [desk.sign(version, name)],
  });

describe('drafts', () => {
  test('a form begins with the draft of 1.0.0, and has one draft at a time', async () => {
    const { form, version } = await desk.make();
    expect(version).toMatchObject({ label: '1.0.0', status: 'Draft' });
    expect(version.addedFields).toHaveLength(7);
    const again = { ...FORM, code: form.code, name: NAME };
    await expect(createForm(desk.ports, desk.as('carl'), again)).rejects.toMatchObject(
      code('form-code-taken'),
    );
    const place = { ...desk.as('carl'), formId: form.formId };
    await expect(draftVersion(desk.ports, place, {})).rejects.toMatchObject(code('state-conflict'));
    const { forms } = await listForms(desk.ports, { limit: 10, tenantId: TENANT });
    expect(forms).toEqual([form]);
  });

  test('who may not write, and what is no form, is refused', async () => {
    const wanted = { ...FORM, name: NAME };
    await expect(createForm(desk.ports, desk.as('omar'), wanted)).rejects.toMatchObject(
      code('role-insufficient'),
    );
    const schema = { steps: [] };
    await expect(
      createForm(desk.ports, desk.as('carl'), { ...wanted, schema }),
    ).rejects.toMatchObject({ code: 'form-invalid', violations: [{ pointer: '/schema/steps' }] });
  });

  test('an edit voids the signature, and the label follows from what changed', async () => {
    const { version: first } = await desk.make();
    const { form } = await publish(first);
    const place = { ...desk.as('carl'), formId: form.formId };
    const { version: copy } = await draftVersion(desk.ports, place, {});
    expect(copy).toMatchObject({ basedOn: first.versionId, hash: first.hash, label: '1.0.1' });
    const { version: signed } = await sign(copy, 'carl');
    expect(liveSignatures(signed, desk.clock.now())).toHaveLength(1);
    const { version: saved } = await saveVersion(
      desk.ports,
      { ...desk.as('ada'), ...placeOf(copy) },
      // The last field of the step: nationality, on which another one depends.
      { schema: { steps: fieldsLess(0).steps.slice(0, 1) } },
    );
    expect(saved).toMatchObject({ label: '2.0.0', removedFields: ['status', 'tax_id', 'terms'] });
    expect(saved.signatures).toEqual([]);
    const { version: raised } = await saveVersion(
      desk.ports,
      { ...desk.as('ada'), ...placeOf(copy) },
      { schema: FORM.schema, sizeAtLeast: 'minor' },
    );
    expect(raised.label).toBe('1.1.0');
    await expect(
      saveVersion(
        desk.ports,
        { ...desk.as('ada'), ...placeOf(copy), isExpected: (etag) => etag === '"1"' },
        {},
      ),
    ).rejects.toMatchObject(code('precondition-failed'));
  });

  test('a draft is taken away by its author or an administrator', async () => {
    const { version } = await desk.make('carl');
    await publish(version);
    const place = { ...desk.as('ada'), formId: version.formId };
    const { version: draft } = await draftVersion(desk.ports, place, {});
    const discard = (name: Name) =>
      discardVersion(desk.ports, { ...desk.as(name), ...placeOf(draft) });
    await expect(discard('carl')).rejects.toMatchObject(code('role-insufficient'));
    await discard('ada');
    await expect(requireVersion(desk.ports, placeOf(draft))).rejects.toMatchObject(
      code('form-unknown'),
    );
    await expect(
      discardVersion(desk.ports, { ...desk.as('ada'), ...placeOf(version) }),
    ).rejects.toMatchObject(code('form-immutable'));
    const { versions } = await listVersions(desk.ports, { ...place, limit: 10 });
    expect(versions.map(({ label }) => label)).toEqual(['1.0.0']);
    desk.clock.advance(1);
    await draftVersion(desk.ports, place, {});
    const first = await listVersions(desk.ports, { ...place, limit: 1 });
    expect(first).toMatchObject({ hasMore: true, versions: [{ label: '1.0.1' }] });
    const [after] = first.versions;
    const rest = await listVersions(desk.ports, { ...place, limit: 1, ...(after && { after }) });
    expect(rest.versions.map(({ label }) => label)).toEqual(['1.0.0']);
    const forms = await listForms(desk.ports, {
      after: version.formId,
      limit: 10,
      tenantId: TENANT,
    });
    expect(forms.forms.map(({ formId }) => formId)).not.toContain(version.formId);
    expect(await checkForms(desk.elsewhere(), TENANT)).toMatchObject({ refusals: [] });
  });
});

describe('publication', () => {
  test('two persons of two roles; the former version is archived in the same commit', async () => {
    const { version: first } = await desk.make();
    const pending = await sign(first, 'carl');
    expect(pending.version.status).toBe('Draft');
    const made = await sign(pending.version, 'dora');
    expect(made.version).toMatchObject({ label: '1.0.0', status: 'active' });
    const place = { ...desk.as('carl'), formId: first.formId };
    const { version: next } = await draftVersion(desk.ports, place, {
      schema: { steps: FORM.schema.steps.slice(0, 1) },
    });
    const { form } = await publish(next);
    expect((await activeVersion(desk.ports, form))?.label).toBe('2.0.0');
    expect(await requireVersion(desk.ports, placeOf(first))).toMatchObject({ status: 'Archived' });
    const entry = (await desk.entries('form.published')).at(-1);
    expect(entry).toMatchObject({
      added_fields: [],
      content_hash: next.hash,
      previous_version: '1.0.0',
      removed_fields: ['status', 'tax_id', 'terms'],
      version: '2.0.0',
    });
    await expect(sign(next, 'carl')).rejects.toMatchObject(code('form-immutable'));
  });

  test('one person, one side, a replay and another draft are refused', async () => {
    const { version } = await desk.make();
    await expect(publish(version, ['carl', 'carl'])).rejects.toMatchObject(
      code('dual-control-same-person'),
    );
    await expect(publish(version, ['carl', 'cora'])).rejects.toMatchObject(
      code('dual-control-roles'),
    );
    await expect(
      publishForm(desk.ports, {
        ...desk.as('carl'),
        ...placeOf(version),
        signatures: [desk.sign(version, 'omar')],
      }),
    ).rejects.toMatchObject(code('dual-control-roles'));
    const signatures = [desk.sign(version, 'carl')];
    const ask = { ...desk.as('carl'), ...placeOf(version), signatures };
    await publishForm(desk.ports, ask);
    await expect(publishForm(desk.ports, ask)).rejects.toMatchObject(
      code('dual-control-same-person'),
    );
    const { version: saved } = await saveVersion(
      desk.ports,
      { ...desk.as('carl'), ...placeOf(version) },
      { schema: { steps: FORM.schema.steps.slice(0, 1) } },
    );
    await expect(
      publishForm(desk.ports, { ...ask, signatures: [desk.sign(version, 'ada')] }),
    ).rejects.toMatchObject(code('dual-control-signature-invalid'));
    await saveVersion(
      desk.ports,
      { ...desk.as('carl'), ...placeOf(saved) },
      { schema: FORM.schema },
    );
    await expect(publishForm(desk.ports, ask)).rejects.toMatchObject(code('dual-control-replayed'));
  });

  test('a lone signature lapses', async () => {
    const { version } = await desk.make();
    const { version: signed } = await sign(version, 'carl');
    desk.clock.advance(7 * DAY_MS);
    expect(liveSignatures(signed, desk.clock.now())).toEqual([]);
    const { version: again } = await sign(signed, 'ada');
    expect(again.status).toBe('Draft');
  });

  test('of many at once one wins, and one version is active', async () => {
    const { version } = await desk.make();
    const signatures = [desk.sign(version, 'carl'), desk.sign(version, 'ada')];
    const before = await desk.entries('form.published');
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, () =>
        publishForm(desk.ports, { ...desk.as('carl'), ...placeOf(version), signatures }),
      ),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await desk.entries('form.published')).toHaveLength(before.length + 1);
  });

  test('a draft upon a version that is active no more is saved anew first', async () => {
    const { version: first } = await desk.make();
    const { form } = await publish(first);
    const place = { ...desk.as('carl'), formId: form.formId };
    const { version: next } = await draftVersion(desk.ports, place, {});
    expect(publicationSubject(next).newValue).toMatchObject({ base_version: '1.0.0' });
    await desk.alter('form_version', `"basedOn":"${first.versionId}"`, '"basedOn":"x"');
    await expect(
      publishForm(desk.elsewhere(), {
        ...desk.as('carl'),
        ...placeOf(next),
        signatures: [desk.sign(next, 'carl')],
      }),
    ).rejects.toMatchObject(code('state-altered'));
  });

  test('the second person signs in the inbox of approvals', async () => {
    const { version } = await desk.make();
    const { version: signed } = await sign(version, 'carl');
    const place = { ...placeOf(signed), newValue: publicationSubject(signed).newValue };
    const awaited = await signedOnce(desk.ports, place);
    expect(shownPublication(awaited)).toMatchObject({ new: { version: '1.0.0' }, old: null });
    const author = signedAuthorOf(awaited.draft);
    await requireLastEditor(desk.ports, desk.as('carl').principal as never, author);
    await expect(
      requireLastEditor(desk.ports, desk.as('ada').principal as never, author),
    ).rejects.toMatchObject(code('dual-control-roles'));
    const { signature, timestamp } = desk.sign(signed, 'ada');
    const approval = verifyApproval({
      approver: desk.persons.ada,
      author: desk.persons.carl,
      now: desk.clock.now(),
      rolePair: FORM_ROLE_PAIR,
      signature,
      subject: publicationSubject(signed),
      tenantId: TENANT,
      timestamp,
    });
    const made = await publishApproved(desk.ports, {
      ...place,
      answerOf: () => ({ body: '{}', status: 200 }),
      by: { approval, reason: 'Agreed' },
    });
    expect(made.version).toMatchObject({ status: 'active' });
    expect(made.version.signatures.map(({ signer }) => signer)).toEqual([
      desk.persons.carl.id,
      desk.persons.ada.id,
    ]);
  });

  test('records that were changed past the service are refused, and told by name', async () => {
    const { form, version } = await desk.make();
    await publish(version);
    expect(await desk.alter('form', `"code":"${form.code}"`, '"code":"another"')).toBe(1);
    const elsewhere = desk.elsewhere();
    const place: Pick<FormRecord, 'formId' | 'tenantId'> = form;
    await expect(requireForm(elsewhere, place)).rejects.toMatchObject(code('state-altered'));
    const { refusals } = await checkForms(elsewhere, TENANT);
    expect(refusals).toContainEqual(expect.stringContaining(`form:${form.formId}: it is not`));
    expect(refusals).toHaveLength(2);
  });
});

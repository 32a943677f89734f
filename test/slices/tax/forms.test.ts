/** Forms of holders as they are kept: in force, changed, revoked; on both stores. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  cureIndicium,
  daysAfter,
  findForm,
  formDigest,
  importFfiList,
  inForceOf,
  lapseCures,
  listForms,
  noteChange,
  readFormContent,
  revokeForm,
  type TaxForm,
} from '#slices/tax';
import { onEachStore } from '../../storage/eachStore.ts';
import { type FormDesk, openFormDesk } from './formDesk.ts';
import { CERTIFICATE, lacking, lined, OF_PERSON, W8BEN, W8BENE, W9 } from './formKit.ts';
import { ASK, TENANT } from './taxDesk.ts';

const DAY_MS = 24 * 3_600_000;

onEachStore((makeHarness) => {
  let desk: FormDesk;
  beforeAll(async () => {
    desk = await openFormDesk(makeHarness);
  });
  afterAll(() => desk.close());
  const refused = (code: string) => expect.objectContaining({ code });

  test('a form that lacks nothing takes the place of the former', async () => {
    await desk.classified('ann', { birth_country: 'FR', kind: 'individual' });
    const w9 = await desk.added(W9, 'ann');
    expect(w9.record).toMatchObject({ status: 'valid', version: 1 });
    expect((await desk.inForce('ann')).result.fatca.status).toBe('US_SPECIFIED');
    const w8 = await desk.added(W8BEN, 'ann');
    expect(w8.record).toMatchObject({ supersedes: w9.record.formId, status: 'valid' });
    expect(w8.content.findings).toMatchObject([]);
    expect(await desk.find(w9)).toMatchObject({ status: 'superseded', version: 2 });
    const { inputs, result } = await desk.inForce('ann');
    expect(result.fatca.status).toBe('NON_US');
    expect(inputs.forms).toMatchObject([{ form_id: w8.record.formId, state: 'standing' }]);
    const [entry] = (await desk.entries('tcr.form.received')).slice(-1);
    expect(entry).toMatchObject({ form_digest: formDigest(w8.record), status: 'valid' });
    const again = await desk.added(W9, 'ann');
    expect(again.content.findings).toMatchObject([{ code: 'foreign-status-contradicts' }]);
  });

  test('one that lacks something is kept beside it, and counts for nothing', async () => {
    await desk.classified('bob', { birth_country: 'FR', kind: 'individual' });
    const whole = await desk.added(W9, 'bob');
    const partly = await desk.added(lacking(W8BEN, 'citizenship'), 'bob');
    expect(partly.record.status).toBe('incomplete');
    expect(partly.record.dueAt).toBeUndefined();
    expect(await desk.find(whole)).toMatchObject({ status: 'valid' });
    expect((await desk.inForce('bob')).result.fatca.status).toBe('US_SPECIFIED');
    await expect(
      revokeForm(desk.ports, { ...ASK, formId: partly.record.formId, reason: 'never mind' }),
    ).rejects.toEqual(refused('state-conflict'));
  });

  test('a form before any classification is found by the first one', async () => {
    await desk.added(CERTIFICATE, 'carla');
    const { content } = await desk.classified('carla', { birth_country: 'FR', kind: 'individual' });
    expect(content.result.crs.status).toBe('NOT_REPORTABLE');
    // Both at once: whoever is later sees the other.
    await Promise.all([desk.classified('dora', { kind: 'individual' }), desk.added(W9, 'dora')]);
    expect((await desk.inForce('dora')).result.fatca.status).toBe('US_SPECIFIED');
  });

  test('two forms at once: one stands, and none is lost', async () => {
    await desk.classified('emil', { kind: 'individual' });
    await Promise.all([1, 2, 3].map(() => desk.added(W8BEN, 'emil')));
    const { records } = await listForms(desk.ports, {
      limit: 10,
      subjectRef: 'emil',
      tenantId: TENANT,
    });
    const statuses = records.map(({ status }) => status).toSorted();
    expect(statuses).toEqual(['superseded', 'superseded', 'valid']);
    const valid = records.find(({ status }) => status === 'valid');
    expect((await desk.inForce('emil')).inputs.forms).toMatchObject([{ form_id: valid?.formId }]);
  });

  test('a change of circumstances: awaited for ninety days, then decided by indicia', async () => {
    await desk.classified('fritz');
    await desk.added(CERTIFICATE, 'fritz');
    const { record } = await desk.added(W8BEN, 'fritz');
    const noticedOn = daysAfter(desk.today(), -2);
    const changed = await noteChange(desk.ports, {
      ...ASK,
      explanation: 'Letters come back; the branch heard of a move',
      formId: record.formId,
      noticedOn,
      reason: 'address',
    });
    expect(changed.record).toMatchObject({
      change: {
        cureDue: daysAfter(noticedOn, 90),
        holderDue: daysAfter(noticedOn, 30),
        reason: 'address',
      },
      status: 'invalidated_by_change',
    });
    expect(changed.record.dueAt).toBeUndefined();
    expect(await desk.inForce('fritz')).toMatchObject({
      result: { cure_due: daysAfter(noticedOn, 90), status: 'pending_cure' },
    });
    await expect(
      noteChange(desk.ports, { ...ASK, formId: record.formId, reason: 'name' }),
    ).rejects.toEqual(refused('state-conflict'));
    const before = await inForceOf(desk.ports, { subjectRef: 'fritz', tenantId: TENANT });
    desk.clock.advance(88 * DAY_MS + 1_000);
    expect(await lapseCures(desk.ports)).toBeGreaterThan(0);
    const after = await inForceOf(desk.ports, { subjectRef: 'fritz', tenantId: TENANT });
    expect(after?.supersedes).toBe(before?.classificationId);
    const { inputs, result } = await desk.inForce('fritz');
    expect(inputs.forms).toMatchObject([{ state: 'standing' }, { state: 'over' }]);
    expect(result.fatca.status).toBe('PENDING_CURE');
    await expect(
      cureIndicium(desk.ports, {
        ...ASK,
        classificationId: after?.classificationId ?? '',
        country: 'US',
        documents: ['w8ben', 'non_us_passport'],
        indicium: 'US_BIRTHPLACE',
      }),
    ).rejects.toMatchObject({ violations: [{ pointer: '/documents' }] });
    const next = await desk.added(W8BEN, 'fritz');
    expect(next.record.supersedes).toBe(record.formId);
    expect((await desk.inForce('fritz')).inputs.forms).toMatchObject([
      { state: 'standing' },
      { form_id: next.record.formId, state: 'standing' },
    ]);
  });

  test('a form that is revoked counts no more at once; its reason is sealed', async () => {
    await desk.classified('greta', { birth_country: 'FR', kind: 'individual' });
    const { record } = await desk.added(W9, 'greta');
    const reason = 'Signed by somebody who was asked to';
    await revokeForm(desk.ports, { ...ASK, formId: record.formId, reason });
    const { result } = await desk.inForce('greta');
    expect(result.fatca.status).not.toBe('NON_US');
    expect(result.indicia).toMatchObject([{ code: 'US_PERSON_ON_RECORD', state: 'open' }]);
    const revoked = await findForm(desk.ports, record);
    expect(revoked.status).toBe('revoked');
    expect((await readFormContent(desk.ports, revoked)).notes).toMatchObject([{ text: reason }]);
    const clear = JSON.stringify([revoked, ...(await desk.entries('tcr.form.revoked'))]);
    const sealed = Buffer.from(desk.blobs.get(revoked.blob) ?? []).toString('latin1');
    for (const word of [reason, 'Delmaris', '219099999']) {
      expect([clear, sealed].some((text) => text.includes(word))).toBe(false);
    }
    await expect(
      noteChange(desk.ports, {
        ...ASK,
        formId: record.formId,
        noticedOn: '2000-01-01',
        reason: 'name',
      }),
    ).rejects.toEqual(refused('state-conflict'));
    await expect(findForm(desk.ports, desk.place('none'))).rejects.toEqual(
      refused('tax-form-unknown'),
    );
  });

  test('the certificate of who controls an entity goes into the entity', async () => {
    const company = { documented: true, kind: 'entity', organised_in: 'FR', residences: ['FR'] };
    await desk.classified('company', company);
    expect((await desk.inForce('company')).result.crs.status).toBe('PASSIVE');
    const { record } = await desk.added(OF_PERSON, 'hanna');
    expect((await desk.inForce('company')).result.crs).toMatchObject({
      persons: ['hanna'],
      reportable_jurisdictions: ['DE'],
    });
    await revokeForm(desk.ports, { ...ASK, formId: record.formId, reason: 'Left the company' });
    expect((await desk.inForce('company')).result.crs.persons).toEqual([]);
  });

  test('a GIIN is looked up in the list that is there', async () => {
    const giin = '98Q96B.00000.LE.250';
    const bank = lined(W8BENE, { chapter_4_status: 'MODEL1', giin, parts: [] });
    expect((await desk.added(bank, 'bank')).content.findings).toMatchObject([
      { code: 'giin-unchecked', severity: 'warning' },
    ]);
    const others = Array.from(
      { length: 50 },
      (_, at) => `98Q96B.${String(at + 1).padStart(5, '0')}.ME.250`,
    );
    async function* chunks() {
      yield Buffer.from(
        ['GIIN,FINm,CountryNm', ...others.map((one) => `${one},B,F`), ''].join('\r\n'),
      );
    }
    await importFfiList(desk.ports, {
      ...ASK,
      chunks: chunks(),
      listedOn: daysAfter(desk.today(), -1),
    });
    const { content, record } = await desk.added(bank, 'bank');
    expect(content).toMatchObject({
      findings: [{ code: 'giin-not-listed', severity: 'cure' }],
      giin_check: { state: 'not_listed' },
    });
    expect(record).toMatchObject({ cureDue: daysAfter(desk.today(), 90), status: 'valid' });
    expect(record.validUntil).toBeUndefined();
  });

  test('lists: by holder, kind, state, and those that end first', async () => {
    const ids: string[] = [];
    for (const ref of ['k1', 'k2', 'k3', 'k4', 'k5']) {
      // Ids of one millisecond have no order.
      desk.clock.advance(1);
      ids.push((await desk.added(W8BEN, ref)).record.formId);
      // Ids of one millisecond are in no order.
      desk.clock.advance(1);
    }
    desk.clock.advance(1);
    await desk.added(W9, 'k1');
    const ask = { limit: 2, tenantId: TENANT } as const;
    const walk = async (more: object) => {
      const found: TaxForm[] = [];
      let after: Awaited<ReturnType<typeof listForms>>['next'];
      do {
        const page = await listForms(desk.ports, { ...ask, ...more, ...(after && { after }) });
        expect(page.records.length).toBeLessThanOrEqual(2);
        found.push(...page.records);
        after = page.next;
      } while (after !== undefined);
      return found;
    };
    const ending = await walk({ expiringBefore: '9999-01-01' });
    const refs = ending.map(({ subjectRef }) => subjectRef);
    // The W-9 of the first one holds until a change.
    expect(refs.filter((ref) => ref.startsWith('k'))).toEqual(['k2', 'k3', 'k4', 'k5']);
    expect(ending.map(({ validUntil }) => validUntil).toSorted()).toEqual(
      ending.map(({ validUntil }) => validUntil),
    );
    expect(await walk({ expiringBefore: desk.today() })).toEqual([]);
    expect((await walk({ subjectRef: 'k1' })).map(({ type }) => type)).toEqual(['W-9', 'W-8BEN']);
    expect(await walk({ status: 'superseded', subjectRef: 'k1' })).toMatchObject([
      { formId: ids[0] },
    ]);
    expect(
      (await walk({ status: 'valid', type: 'W-9' })).map(({ subjectRef }) => subjectRef),
    ).toContain('k1');
  });
});

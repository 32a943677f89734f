/** Forms of holders as they are kept: in force, changed, revoked, over; on both stores. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Hold } from '#core/work';
import {
  addForm,
  type Classified,
  classifySubject,
  cureIndicium,
  dayOf,
  daysAfter,
  dueForms,
  erasureOfHolder,
  type FormInput,
  findForm,
  formDigest,
  importFfiList,
  inForceOf,
  lapseCures,
  listForms,
  noteChange,
  readClassificationContent,
  readFormContent,
  revokeForm,
  type StoredForm,
  type TaxForm,
  taxFormTable,
  watchForm,
} from '#slices/tax';
import { onEachStore } from '../../storage/eachStore.ts';
import { CERTIFICATE, lacking, lined, OF_PERSON, W8BEN, W8BENE, W9 } from './formKit.ts';
import { ASK, BORN_IN_US, openTaxDesk, type TaxDesk, TENANT } from './taxDesk.ts';

const DAY_MS = 24 * 3_600_000;
const TIMES = { leaseMs: 60_000, renewMs: 20_000 };

onEachStore((makeHarness) => {
  let desk: TaxDesk;
  beforeAll(async () => {
    desk = await openTaxDesk(makeHarness);
  });
  afterAll(() => desk.close());

  const today = () => dayOf(desk.clock.now());
  const place = (formId: string) => ({ formId, tenantId: TENANT });
  const find = ({ record }: StoredForm) => findForm(desk.ports, record);
  const refused = (code: string) => expect.objectContaining({ code });
  /** Signed a week ago, in a revision of its day. */
  const signed = (form: FormInput, subjectRef: string, more: object = {}) => ({
    ...form,
    received_at: today(),
    signed_at: daysAfter(today(), -7),
    subject_ref: subjectRef,
    ...more,
  });
  const added = (form: FormInput, subjectRef: string, more: object = {}) =>
    addForm(desk.ports, { ...ASK, form: signed(form, subjectRef, more) });
  const classified = (subjectRef: string, subject: object = BORN_IN_US.subject) =>
    classifySubject(desk.ports, {
      ...ASK,
      inputs: { ...BORN_IN_US, subject } as typeof BORN_IN_US,
      subjectRef,
    });
  const inForce = async (subjectRef: string): Promise<Classified['content']> => {
    const record = await inForceOf(desk.ports, { subjectRef, tenantId: TENANT });
    if (record === undefined) throw new Error(`${subjectRef} was not classified`);
    return readClassificationContent(desk.ports, record);
  };

  async function hold(formId: string, holder = 'one') {
    const leased = await desk.tables.claim(taxFormTable, { holder, key: place(formId) });
    return leased && new Hold(desk, taxFormTable, leased, { times: TIMES });
  }
  /** As a worker does with all that is due. */
  async function sweep(holder = 'one'): Promise<number> {
    const due = await desk.tables.page(taxFormTable, dueForms(desk.clock.now(), 100));
    let done = 0;
    for (const { formId } of due.records) {
      const held = await hold(formId, holder);
      if (held === undefined) continue;
      await watchForm(desk.ports, held).finally(() => held.end());
      done += 1;
    }
    return done;
  }
  const told = async (formId: string) =>
    (await desk.entries('tcr.form.ending'))
      .filter(({ target }) => target === `tax-form:${formId}`)
      .map(({ days }) => days);

  test('a form that lacks nothing takes the place of the former, and the holder follows', async () => {
    await classified('ann', { birth_country: 'FR', kind: 'individual' });
    const w9 = await added(W9, 'ann');
    expect(w9.record).toMatchObject({ status: 'valid', version: 1 });
    expect((await inForce('ann')).result.fatca.status).toBe('US_SPECIFIED');
    const w8 = await added(W8BEN, 'ann');
    expect(w8.record).toMatchObject({ supersedes: w9.record.formId, status: 'valid' });
    expect(w8.content.findings).toMatchObject([]);
    expect(await find(w9)).toMatchObject({ status: 'superseded', version: 2 });
    const { inputs, result } = await inForce('ann');
    expect(result.fatca.status).toBe('NON_US');
    expect(inputs.forms).toMatchObject([{ form_id: w8.record.formId, state: 'standing' }]);
    const [entry] = (await desk.entries('tcr.form.received')).slice(-1);
    expect(entry).toMatchObject({ form_digest: formDigest(w8.record), status: 'valid' });
    const again = await added(W9, 'ann');
    expect(again.content.findings).toMatchObject([{ code: 'foreign-status-contradicts' }]);
  });

  test('one that lacks something is kept beside it, and counts for nothing', async () => {
    await classified('bob', { birth_country: 'FR', kind: 'individual' });
    const whole = await added(W9, 'bob');
    const partly = await added(lacking(W8BEN, 'citizenship'), 'bob');
    expect(partly.record.status).toBe('incomplete');
    expect(partly.record.dueAt).toBeUndefined();
    expect(await find(whole)).toMatchObject({ status: 'valid' });
    expect((await inForce('bob')).result.fatca.status).toBe('US_SPECIFIED');
    await expect(
      revokeForm(desk.ports, { ...ASK, formId: partly.record.formId, reason: 'never mind' }),
    ).rejects.toEqual(refused('state-conflict'));
  });

  test('a form before any classification is found by the first one', async () => {
    await added(CERTIFICATE, 'carla');
    const { content } = await classified('carla', { birth_country: 'FR', kind: 'individual' });
    expect(content.result.crs.status).toBe('NOT_REPORTABLE');
    // Both at once: whoever is later sees the other.
    await Promise.all([classified('dora', { kind: 'individual' }), added(W9, 'dora')]);
    expect((await inForce('dora')).result.fatca.status).toBe('US_SPECIFIED');
  });

  test('two forms at once: one stands, and none is lost', async () => {
    await classified('emil', { kind: 'individual' });
    await Promise.all([1, 2, 3].map(() => added(W8BEN, 'emil')));
    const { records } = await listForms(desk.ports, {
      limit: 10,
      subjectRef: 'emil',
      tenantId: TENANT,
    });
    const statuses = records.map(({ status }) => status).toSorted();
    expect(statuses).toEqual(['superseded', 'superseded', 'valid']);
    const valid = records.find(({ status }) => status === 'valid');
    expect((await inForce('emil')).inputs.forms).toMatchObject([{ form_id: valid?.formId }]);
  });

  test('a change of circumstances: awaited for ninety days, then decided by indicia', async () => {
    await classified('fritz');
    await added(CERTIFICATE, 'fritz');
    const { record } = await added(W8BEN, 'fritz');
    const noticedOn = daysAfter(today(), -2);
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
    expect(await inForce('fritz')).toMatchObject({
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
    const { inputs, result } = await inForce('fritz');
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
    const next = await added(W8BEN, 'fritz');
    expect(next.record.supersedes).toBe(record.formId);
    expect((await inForce('fritz')).inputs.forms).toMatchObject([
      { state: 'standing' },
      { form_id: next.record.formId, state: 'standing' },
    ]);
  });

  test('a form that is revoked counts no more at once; its reason is sealed', async () => {
    await classified('greta', { birth_country: 'FR', kind: 'individual' });
    const { record } = await added(W9, 'greta');
    const reason = 'Signed by somebody who was asked to';
    await revokeForm(desk.ports, { ...ASK, formId: record.formId, reason });
    expect((await inForce('greta')).result.fatca.status).toBe('NON_US');
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
    await expect(findForm(desk.ports, place('none'))).rejects.toEqual(refused('tax-form-unknown'));
  });

  test('the certificate of who controls an entity goes into the entity', async () => {
    const company = { documented: true, kind: 'entity', organised_in: 'FR', residences: ['FR'] };
    await classified('company', company);
    expect((await inForce('company')).result.crs.status).toBe('PASSIVE');
    const { record } = await added(OF_PERSON, 'hanna');
    expect((await inForce('company')).result.crs).toMatchObject({
      persons: ['hanna'],
      reportable_jurisdictions: ['DE'],
    });
    await revokeForm(desk.ports, { ...ASK, formId: record.formId, reason: 'Left the company' });
    expect((await inForce('company')).result.crs.persons).toEqual([]);
  });

  test('a GIIN is looked up in the list that is there', async () => {
    const giin = '98Q96B.00000.LE.250';
    const bank = lined(W8BENE, { chapter_4_status: 'MODEL1', giin, parts: [] });
    expect((await added(bank, 'bank')).content.findings).toMatchObject([
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
    await importFfiList(desk.ports, { ...ASK, chunks: chunks(), listedOn: daysAfter(today(), -1) });
    const { content, record } = await added(bank, 'bank');
    expect(content).toMatchObject({
      findings: [{ code: 'giin-not-listed', severity: 'cure' }],
      giin_check: { state: 'not_listed' },
    });
    expect(record).toMatchObject({ cureDue: daysAfter(today(), 90), status: 'valid' });
    expect(record.validUntil).toBeUndefined();
  });

  test('a form ends: three notices, once each, with two workers and a clock that jumps', async () => {
    await classified('ida', { birth_country: 'FR', kind: 'individual' });
    const first = await added(W8BEN, 'ida');
    const { formId, validUntil = '' } = first.record;
    await sweep();
    expect(await told(formId)).toEqual([]);
    const until = (day: string) =>
      desk.clock.advance(Date.parse(`${day}T00:00:01Z`) - desk.clock.now());
    for (const [days, expected] of [
      [90, [90]],
      [60, [90]],
      [30, [90, 30]],
      [0, [90, 30, 0]],
    ] as const) {
      until(daysAfter(validUntil, -days));
      await Promise.all([sweep('one'), sweep('two')]);
      await sweep('one');
      expect(await told(formId)).toEqual(expected);
      expect(await find(first)).toMatchObject({ status: 'expiring', toldDays: expected.at(-1) });
    }
    expect((await inForce('ida')).inputs.forms).toMatchObject([{ state: 'standing' }]);
    until(daysAfter(validUntil, 1));
    await Promise.all([sweep('one'), sweep('two')]);
    expect(await find(first)).toMatchObject({ status: 'expired' });
    expect((await inForce('ida')).inputs.forms).toMatchObject([{ state: 'over' }]);
    const expired = await desk.entries('tcr.form.expired');
    expect(expired.filter(({ target }) => target === `tax-form:${formId}`)).toHaveLength(1);
    const bus = await desk.told('tcr.form.ending');
    const mine = bus.filter(({ payload }) => payload.form_id === formId);
    expect(mine.map(({ payload }) => payload.days_left)).toEqual([90, 30, 0]);
    // Another one, of which every step was missed: it is over, and people are told once.
    const second = await added(W8BEN, 'ida');
    desk.clock.advance(5 * 366 * DAY_MS);
    await Promise.all([sweep('one'), sweep('two')]);
    expect(await find(second)).toMatchObject({ status: 'expired', toldDays: 0 });
    const late = (await desk.told('tcr.form.ending')).filter(
      ({ payload }) => payload.form_id === second.record.formId,
    );
    expect(late.map(({ payload }) => payload.days_left)).toEqual([0]);
  });

  test('a worker that dies in a step has done all of it or nothing', async () => {
    await classified('jana', { birth_country: 'FR', kind: 'individual' });
    const { record } = await added(W8BEN, 'jana');
    desk.clock.advance(5 * 366 * DAY_MS);
    const dying = (when: 'after' | 'before') => ({
      ...desk.ports,
      commit: async (...of: Parameters<typeof desk.ports.commit>) => {
        if (when === 'after') await desk.ports.commit(...of);
        throw new Error('killed');
      },
    });
    for (const when of ['before', 'after'] as const) {
      const held = await hold(record.formId, when);
      if (held === undefined) throw new Error('the form is free');
      await expect(watchForm(dying(when), held)).rejects.toThrow('killed');
      await held.end();
      const status = when === 'before' ? 'valid' : 'expired';
      expect(await findForm(desk.ports, record)).toMatchObject({ status });
      expect((await inForce('jana')).inputs.forms).toMatchObject([
        { state: when === 'before' ? 'standing' : 'over' },
      ]);
      const all = await desk.tables.held(taxFormTable, { limit: 50 });
      const dead = all.find(({ record: { formId } }) => formId === record.formId);
      if (dead === undefined) throw new Error('nobody holds the form');
      const taken = await desk.tables.takeOver(taxFormTable, {
        holder: 'other',
        key: place(record.formId),
        seen: dead.lease,
      });
      if (taken === undefined) throw new Error('the form is free');
      const next = new Hold(desk, taxFormTable, taken, { times: TIMES });
      // What died before its commit is left for the next round here; what died after, is done.
      if (when === 'before') await next.giveBack({ isTried: false });
      else await watchForm(desk.ports, next).finally(() => next.end());
    }
    const bus = await desk.told('tcr.form.ending');
    expect(bus.filter(({ payload }) => payload.form_id === record.formId)).toHaveLength(1);
    const expired = await desk.entries('tcr.form.expired');
    expect(expired.filter(({ target }) => target === `tax-form:${record.formId}`)).toHaveLength(1);
  });

  test('lists: by holder, kind, state, and those that end first', async () => {
    const ids: string[] = [];
    for (const ref of ['k1', 'k2', 'k3', 'k4', 'k5']) {
      ids.push((await added(W8BEN, ref)).record.formId);
    }
    await added(W9, 'k1');
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
    expect(await walk({ expiringBefore: today() })).toEqual([]);
    expect((await walk({ subjectRef: 'k1' })).map(({ type }) => type)).toEqual(['W-9', 'W-8BEN']);
    expect(await walk({ status: 'superseded', subjectRef: 'k1' })).toMatchObject([
      { formId: ids[0] },
    ]);
    expect(
      (await walk({ status: 'valid', type: 'W-9' })).map(({ subjectRef }) => subjectRef),
    ).toContain('k1');
  });

  test('a holder is erased with all that was signed', async () => {
    const { record } = await added(W8BEN, 'lena');
    const erasure = erasureOfHolder(desk.ports, 'forms');
    const holder = { subjectRef: 'lena', tenantId: TENANT };
    const terms = { asOf: desk.clock.now(), now: desk.clock.now(), retentionYears: 10 };
    expect(await erasure.plan(holder, terms)).toMatchObject([{ action: 'keep', rows: 1 }]);
    const none = { ...terms, retentionYears: 0 };
    expect(await erasure.plan(holder, none)).toEqual([
      { action: 'delete', rows: 1, why: 'no_duty' },
    ]);
    const order = {
      actor: 'system:privacy',
      pseudonym: 'psn_x',
      reason: 'asked',
      ...none,
    } as const;
    await erasure.erase(holder, order);
    await erasure.erase(holder, order);
    expect(await erasure.plan(holder, none)).toEqual([]);
    const rested = await findForm(desk.ports, record);
    expect(rested).toMatchObject({ status: 'superseded' });
    await expect(readFormContent(desk.ports, rested)).rejects.toEqual(refused('blob-damaged'));
    // The same reference signs again, as somebody new.
    expect((await added(W9, 'lena')).record).not.toHaveProperty('supersedes');
    expect(await desk.ports.signedForms.check(TENANT)).toEqual([]);
  });

  test('a form that was altered past the service decides nothing, and is named', async () => {
    await classified('mona', { birth_country: 'FR', kind: 'individual' });
    const { record } = await added(W8BEN, 'mona');
    expect(await desk.alter('tax_form', record.contentHash, 'f'.repeat(64))).toBe(1);
    const altered = refused('state-altered');
    await expect(findForm(desk.ports, record)).rejects.toEqual(altered);
    await expect(classified('mona', { kind: 'individual' })).rejects.toEqual(altered);
    await expect(added(W9, 'mona')).rejects.toEqual(altered);
    desk.clock.advance(5 * 366 * DAY_MS);
    const held = await hold(record.formId);
    if (held === undefined) throw new Error('the form is free');
    await expect(watchForm(desk.ports, held)).rejects.toEqual(altered);
    await held.giveBack({ isTried: false });
    expect(await desk.ports.signedForms.check(TENANT)).toEqual([
      expect.stringContaining(record.formId),
    ]);
  });
});

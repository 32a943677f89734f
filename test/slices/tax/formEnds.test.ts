/** Forms of holders as they end: by their day, with their holder, or altered; on both stores. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { entry } from '#core/audit';
import { dataKeyTable } from '#core/blobs';
import { chainOf } from '#core/kernel';
import {
  daysAfter,
  erasureOfHolder,
  findForm,
  holderKey,
  PERSONS_MAX,
  readFormContent,
  watchForm,
} from '#slices/tax';
import { onEachStore } from '../../storage/eachStore.ts';
import { type FormDesk, openFormDesk } from './formDesk.ts';
import { OF_PERSON, W8BEN, W9 } from './formKit.ts';
import { TENANT } from './taxDesk.ts';

const DAY_MS = 24 * 3_600_000;

onEachStore((makeHarness) => {
  let desk: FormDesk;
  beforeAll(async () => {
    desk = await openFormDesk(makeHarness);
  });
  afterAll(() => desk.close());
  const refused = (code: string) => expect.objectContaining({ code });
  const told = async (formId: string) =>
    (await desk.entries('tcr.form.ending'))
      .filter(({ target }) => target === `tax-form:${formId}`)
      .map(({ days }) => days);

  test('a form ends: each notice once, with two workers and a clock that jumps', async () => {
    await desk.classified('ida', { birth_country: 'FR', kind: 'individual' });
    const first = await desk.added(W8BEN, 'ida');
    const { formId, validUntil = '' } = first.record;
    await desk.sweep();
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
      await Promise.all([desk.sweep('one'), desk.sweep('two')]);
      await desk.sweep('one');
      expect(await told(formId)).toEqual(expected);
      expect(await desk.find(first)).toMatchObject({
        status: 'expiring',
        toldDays: expected.at(-1),
      });
    }
    expect((await desk.inForce('ida')).inputs.forms).toMatchObject([{ state: 'standing' }]);
    until(daysAfter(validUntil, 1));
    await Promise.all([desk.sweep('one'), desk.sweep('two')]);
    expect(await desk.find(first)).toMatchObject({ status: 'expired' });
    expect((await desk.inForce('ida')).inputs.forms).toMatchObject([{ state: 'over' }]);
    const expired = await desk.entries('tcr.form.expired');
    expect(expired.filter(({ target }) => target === `tax-form:${formId}`)).toHaveLength(1);
    const bus = await desk.told('tcr.form.ending');
    const mine = bus.filter(({ payload }) => payload.form_id === formId);
    expect(mine.map(({ payload }) => payload.days_left)).toEqual([90, 30, 0]);
    // Another one, of which every step was missed: it is over, and people are told once.
    const second = await desk.added(W8BEN, 'ida');
    desk.clock.advance(5 * 366 * DAY_MS);
    await Promise.all([desk.sweep('one'), desk.sweep('two')]);
    expect(await desk.find(second)).toMatchObject({ status: 'expired', toldDays: 0 });
    const late = (await desk.told('tcr.form.ending')).filter(
      ({ payload }) => payload.form_id === second.record.formId,
    );
    expect(late.map(({ payload }) => payload.days_left)).toEqual([0]);
  });

  test('a worker that dies in a step has done all of it or nothing', async () => {
    await desk.classified('jana', { birth_country: 'FR', kind: 'individual' });
    const { record } = await desk.added(W8BEN, 'jana');
    desk.clock.advance(5 * 366 * DAY_MS);
    const dying = (when: 'after' | 'before') => ({
      ...desk.ports,
      commit: async (...of: Parameters<typeof desk.ports.commit>) => {
        if (when === 'after') await desk.ports.commit(...of);
        throw new Error('killed');
      },
    });
    for (const when of ['before', 'after'] as const) {
      const held = await desk.hold(record.formId, when);
      if (held === undefined) throw new Error('the form is free');
      await expect(watchForm(dying(when), held)).rejects.toThrow('killed');
      await held.end();
      const status = when === 'before' ? 'valid' : 'expired';
      expect(await findForm(desk.ports, record)).toMatchObject({ status });
      expect((await desk.inForce('jana')).inputs.forms).toMatchObject([
        { state: when === 'before' ? 'standing' : 'over' },
      ]);
      const next = await desk.takenOver(record.formId);
      // What died before its commit is left for the next round here; what died after, is done.
      if (when === 'before') await next.giveBack({ isTried: false });
      else await watchForm(desk.ports, next).finally(() => next.end());
    }
    const bus = await desk.told('tcr.form.ending');
    expect(bus.filter(({ payload }) => payload.form_id === record.formId)).toHaveLength(1);
    const expired = await desk.entries('tcr.form.expired');
    expect(expired.filter(({ target }) => target === `tax-form:${record.formId}`)).toHaveLength(1);
  });

  test('a holder is erased with all that was signed', async () => {
    const { record } = await desk.added(W8BEN, 'lena');
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
    expect((await desk.added(W9, 'lena')).record).not.toHaveProperty('supersedes');
    expect(await desk.ports.signedForms.check(TENANT)).toEqual([]);
  });

  test('who comes again after an erasure is classified and signs as somebody new', async () => {
    await desk.classified('odile', { birth_country: 'FR', kind: 'individual' });
    const holder = { subjectRef: 'odile', tenantId: TENANT };
    const now = desk.clock.now();
    await erasureOfHolder(desk.ports).erase(holder, {
      actor: 'system:privacy',
      asOf: now,
      now,
      pseudonym: 'psn_y',
      reason: 'asked',
      retentionYears: 0,
    });
    const first = await desk.added(W8BEN, 'odile');
    const second = await desk.added(W9, 'odile');
    expect(second.record.supersedes).toBe(first.record.formId);
    const { content, record } = await desk.classified('odile', { kind: 'individual' });
    expect(record).not.toHaveProperty('supersedes');
    expect(content.result.fatca.status).toBe('US_SPECIFIED');
    expect(await desk.ports.signed.check(TENANT)).toEqual([]);
  });

  test('an entity has no more certificates of persons than a classification reads', async () => {
    const form = { ...OF_PERSON, entity_ref: 'crowd' };
    for (let at = 0; at < PERSONS_MAX; at++) await desk.added(form, `one-${at}`);
    await expect(desk.added(form, 'one-more')).rejects.toMatchObject({
      code: 'form-fields-invalid',
      violations: [{ pointer: '/entity_ref' }],
    });
    expect((await desk.added(form, 'one-0')).record).toHaveProperty('supersedes');
  });

  test('a form whose key was taken away past the service is missed', async () => {
    await desk.classified('nora', { birth_country: 'FR', kind: 'individual' });
    const company = { documented: true, kind: 'entity', organised_in: 'FR', residences: ['FR'] };
    await desk.classified('company', company);
    const { record } = await desk.added(OF_PERSON, 'nora');
    const key = await desk.ports.dataKeys.find(holderKey(record));
    await desk.ports.commit(chainOf(TENANT), {
      bus: [],
      changes: [dataKeyTable.remove({ keyId: holderKey(record).keyId }, key?.version ?? 0)],
      events: [entry(desk.ports, { action: 'tcr.form.viewed', actor: 'key:1', target: 'other' })],
    });
    await expect(desk.classified('company', company)).rejects.toEqual(refused('blob-damaged'));
  });

  test('a form that was altered past the service decides nothing, and is named', async () => {
    await desk.classified('mona', { birth_country: 'FR', kind: 'individual' });
    const { record } = await desk.added(W8BEN, 'mona');
    expect(await desk.alter('tax_form', record.contentHash, 'f'.repeat(64))).toBe(1);
    const altered = refused('state-altered');
    await expect(findForm(desk.ports, record)).rejects.toEqual(altered);
    await expect(desk.classified('mona', { kind: 'individual' })).rejects.toEqual(altered);
    await expect(desk.added(W9, 'mona')).rejects.toEqual(altered);
    const now = desk.clock.now();
    const order = { actor: 'system:privacy', pseudonym: 'psn_z', reason: 'asked' } as const;
    const erased = erasureOfHolder(desk.ports, 'forms').erase(
      { subjectRef: 'mona', tenantId: TENANT },
      { ...order, asOf: now, now, retentionYears: 0 },
    );
    await expect(erased).rejects.toEqual(altered);
    desk.clock.advance(5 * 366 * DAY_MS);
    const held = await desk.hold(record.formId);
    if (held === undefined) throw new Error('the form is free');
    await expect(watchForm(desk.ports, held)).rejects.toEqual(altered);
    await held.giveBack({ isTried: false });
    expect(await desk.ports.signedForms.check(TENANT)).toEqual([
      expect.stringContaining(record.formId),
    ]);
  });
});

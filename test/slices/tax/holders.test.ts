/** Holders as entries tell of them: keys, forms that are gone, who returned; on both stores. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { entry } from '#core/audit';
import { type DataKeyRecord, dataKeyTable } from '#core/blobs';
import { chainOf, type TableChange } from '#core/kernel';
import { addForm, erasureOfHolder, holderKey, taxFormTable } from '#slices/tax';
import { holdings } from '../../../src/slices/tax/edge/holdings.ts';
import { onEachStore } from '../../storage/eachStore.ts';
import { type FormDesk, openFormDesk } from './formDesk.ts';
import { W8BEN } from './formKit.ts';
import { ASK, TENANT } from './taxDesk.ts';

const FRENCH = { birth_country: 'FR', kind: 'individual' };
const of = (subjectRef: string) => ({ subjectRef, tenantId: TENANT });

onEachStore((makeHarness) => {
  let desk: FormDesk;
  beforeAll(async () => {
    desk = await openFormDesk(makeHarness);
  });
  afterAll(() => desk.close());

  /** Past the service: no entry tells of it. */
  const write = (change: TableChange) =>
    desk.ports.commit(chainOf(TENANT), {
      bus: [],
      changes: [change],
      events: [
        entry(desk.ports, {
          action: 'tcr.form.viewed',
          actor: 'person:x',
          target: 'tax-form:x',
        }),
      ],
    });
  const keyOf = async (subjectRef: string): Promise<DataKeyRecord> => {
    const { keyId } = holderKey(of(subjectRef));
    const found = await desk.tables.find(dataKeyTable, { keyId });
    if (found === undefined) throw new Error('there is no key');
    return found;
  };
  const erase = (subjectRef: string) => {
    const now = desk.clock.now();
    return erasureOfHolder(desk.ports).erase(of(subjectRef), {
      actor: 'system:privacy',
      asOf: now,
      now,
      pseudonym: 'psn_y',
      reason: 'asked',
      retentionYears: 0,
    });
  };
  const filesOf = async (subjectRef: string) => {
    const files: { readonly content: object; readonly name: string }[] = [];
    for (const { files: list } of holdings({ once: () => desk.ports } as never)) {
      for await (const file of list(of(subjectRef))) files.push(file as never);
    }
    return files;
  };

  test('who has returned is given what can be read, and told what was erased', async () => {
    const former = await desk.classified('anna', FRENCH);
    const formerForm = await desk.added(W8BEN, 'anna');
    await erase('anna');
    expect(await filesOf('anna')).toEqual([]);
    const { record } = await desk.classified('anna', FRENCH);
    const form = await desk.added(W8BEN, 'anna');
    const files = new Map((await filesOf('anna')).map(({ content, name }) => [name, content]));
    expect(files.get(`tax/${former.record.classificationId}.json`)).toEqual({
      created_at: expect.any(String),
      is_erased: true,
      status: 'superseded',
    });
    expect(files.get(`tax/forms/${formerForm.record.formId}.json`)).toMatchObject({
      is_erased: true,
      type: 'W-8BEN',
    });
    expect(files.get(`tax/${record.classificationId}.json`)).toMatchObject({
      inputs: { subject: FRENCH },
    });
    expect(files.get(`tax/forms/${form.record.formId}.json`)).toHaveProperty('fields');
    expect(await desk.ports.signedHolders.check(TENANT)).toEqual([]);
  });

  test('a key that was put back, or is gone without an erasure, is named', async () => {
    await desk.classified('bert', FRENCH);
    await desk.added(W8BEN, 'cleo');
    const back = await keyOf('bert');
    await erase('bert');
    const { keyId, version } = await keyOf('cleo');
    expect(await desk.ports.signedHolders.check(TENANT)).toEqual([]);
    await write(dataKeyTable.insert(back));
    await write(dataKeyTable.remove({ keyId }, version));
    expect((await desk.ports.signedHolders.check(TENANT)).toSorted()).toEqual([
      expect.stringContaining('its data key is there, which the entry seq'),
      expect.stringContaining('its data key is gone, and no entry tells of its erasure'),
    ]);
  });

  test('a duty runs from the end of the relation, and not from when a form was taken', async () => {
    await desk.classified('fred', FRENCH);
    const taken = new Date(desk.clock.now()).getUTCFullYear();
    desk.clock.advance(6 * 366 * 24 * 3_600_000);
    const now = desk.clock.now();
    const plan = erasureOfHolder(desk.ports).plan(of('fred'), {
      asOf: now,
      now,
      retentionYears: 5,
    });
    const [row] = await plan;
    expect(row).toMatchObject({ action: 'keep', why: 'legal_duty' });
    expect(new Date(row?.until ?? 0).getUTCFullYear()).toBe(taken + 6 + 5);
  });

  test('nobody is classified without a form whose record was taken away', async () => {
    await desk.classified('dora', FRENCH);
    const { record } = await desk.added(W8BEN, 'dora');
    const { formId, tenantId, version } = record;
    await write(taxFormTable.remove({ formId, tenantId }, version));
    await expect(desk.classified('dora', FRENCH)).rejects.toMatchObject({ code: 'state-altered' });
  });

  test('a form that came at once with the first classification is seen by a worker', async () => {
    const form = { ...W8BEN, received_at: desk.today(), subject_ref: 'emil' };
    // The key is there already, or one of the two would be refused.
    const { signed_at: _, ...unsigned } = form;
    const { record } = await addForm(desk.ports, { ...ASK, form: unsigned });
    expect(record.status).toBe('incomplete');
    let commits = 0;
    const dying = {
      ...desk.ports,
      commit: async (...args: Parameters<typeof desk.ports.commit>) => {
        if (++commits > 1) throw new Error('killed');
        await desk.classified('emil', FRENCH);
        await desk.ports.commit(...args);
      },
    };
    const signed = { ...form, signed_at: desk.today() };
    await expect(addForm(dying, { ...ASK, form: signed })).rejects.toThrow('killed');
    expect((await desk.inForce('emil')).inputs.forms ?? []).toEqual([]);
    desk.clock.advance(61_000);
    await desk.sweep();
    const { forms } = (await desk.inForce('emil')).inputs;
    expect(forms).toMatchObject([{ state: 'standing', type: 'W-8BEN' }]);
  });
});

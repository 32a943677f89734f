/** What people wrote of an alert goes with its person; what was decided, and by whom, stays. */
import { expect, test } from 'vitest';
import { chainOf } from '#core/kernel';
import type { ErasureOrder } from '#core/privacy';
import type { EpochMs } from '#platform/clock';
import {
  type Alert,
  alertNoteTable,
  alertTable,
  assignAlert,
  checkAlerts,
  checkNotes,
  closeAlert,
  erasureOfTexts,
  LISTED_PARTY_RULE,
  noteAlert,
  notesOf,
  reviewAlert,
} from '#slices/alerts';
import { subjectKeyOfRef } from '#slices/screening';
import { caller, draftOf, idOf, openDesk, START, TENANT } from './desk.ts';

const WORD = 'Zwirbelkanarie';
const SUBJECT = { subjectRef: 'client-1', tenantId: TENANT };
const YEAR_MS = 366 * 24 * 3_600_000;

const paying =
  (...refs: readonly string[]) =>
  async () => ({ isWhole: true, keys: new Set(refs.map((ref) => subjectKeyOfRef(TENANT, ref))) });

async function written() {
  const desk = openDesk();
  const draft = draftOf(1, { typology: 'MATCH_PEP' });
  await desk.raise(draft);
  const place = { alertId: idOf(draft), principal: caller('anna'), tenantId: TENANT };
  await noteAlert(desk.ports, { ...place, text: `the brother of ${WORD} called` });
  const find = async () => (await desk.house.tables.find(alertTable, place)) as Alert;
  const order: ErasureOrder = {
    actor: 'system:erasure',
    asOf: (START + YEAR_MS) as EpochMs,
    now: (START + YEAR_MS) as EpochMs,
    pseudonym: '',
    reason: 'privacy request 1',
    retentionYears: 0,
  };
  const erasure = erasureOfTexts({
    ...desk.ports,
    about: {
      about: async function* () {
        yield await find();
      },
    },
    audit: desk.house.audit,
    customersOfPayments: paying(),
  });
  return { desk, erasure, find, order, place };
}

async function closed() {
  const of = await written();
  const { desk, place } = of;
  await assignAlert(desk.ports, place);
  await reviewAlert(desk.ports, place);
  await closeAlert(desk.ports, {
    ...place,
    comment: `${WORD} is somebody else`,
    reasonCode: 'dob_differs',
    status: 'closed_false_positive',
  });
  return of;
}

test('comments and notes go, and what is left is what was signed', async () => {
  const { desk, erasure, find, order, place } = await closed();
  const before = await find();
  expect(await erasure.custody?.(SUBJECT, order)).toEqual({ alertIds: [place.alertId] });
  expect(await erasure.plan(SUBJECT, order)).toEqual([
    { action: 'delete', isUntold: true, rows: 1, why: 'no_duty' },
  ]);
  await erasure.erase(SUBJECT, order);
  const after = await find();
  expect(after).toMatchObject({ status: before.status });
  expect(JSON.stringify(after)).not.toContain(WORD);
  const [note] = await notesOf(desk.ports, place);
  expect(note).toMatchObject({ by: 'person:anna' });
  expect(note?.text).toBeUndefined();
  const { events } = desk.house.audit.chain(chainOf(TENANT));
  expect(events.some(({ body, open = '' }) => `${body}${open}`.includes(WORD))).toBe(false);
  expect((await checkAlerts(desk.house, TENANT)).refusals).toEqual([]);
  expect(await checkNotes(desk.house, TENANT)).toEqual([]);
  expect(await erasure.plan(SUBJECT, order)).toEqual([]);
  await erasure.erase(SUBJECT, order);
  expect((await find()).version).toBe(after.version);
});

test('they stay while a law wants them, and while somebody works on the alert', async () => {
  const { erasure, find, order } = await closed();
  const lasting = { ...order, retentionYears: 10 };
  expect(await erasure.plan(SUBJECT, lasting)).toMatchObject([
    { action: 'keep', isUntold: true, rows: 1, why: 'legal_duty' },
  ]);
  await erasure.erase(SUBJECT, lasting);
  expect(JSON.stringify(await find())).toContain(WORD);
  const open = await written();
  await open.erasure.erase(SUBJECT, order);
  const [note] = await notesOf(open.desk.ports, open.place);
  expect(note?.text).toContain(WORD);
});

test('the vault knows which they were', async () => {
  const { desk, find, order, place } = await closed();
  const nobody = erasureOfTexts({
    ...desk.ports,
    about: { about: async function* () {} },
    audit: desk.house.audit,
    customersOfPayments: paying(),
  });
  await nobody.erase(SUBJECT, { ...order, custody: { alertIds: [place.alertId] } });
  expect(JSON.stringify(await find())).not.toContain(WORD);
});

test('a note has no words of its own in its row, and none that somebody takes away', async () => {
  const { desk, place } = await written();
  const ask = { equal: { tenantId: TENANT }, index: 'key', limit: 1 };
  const { records } = await desk.house.tables.page(alertNoteTable, ask);
  expect(JSON.stringify(records)).not.toContain(WORD);
  const { events } = desk.house.audit.chain(chainOf(TENANT));
  const noted = events.find(({ action }) => action === 'aml.alert.noted');
  await desk.house.audit.eraseOpen(chainOf(TENANT), noted?.seq ?? 0);
  // Past the service: no entry has erased it.
  await expect(notesOf(desk.ports, place)).rejects.toMatchObject({ code: 'alert-altered' });
});

test('of an alert about several customers, what names another alone stays', async () => {
  const desk = openDesk();
  const draft = draftOf(1, { ruleId: LISTED_PARTY_RULE, typology: 'MATCH_PEP' });
  await desk.raise(draft);
  const place = { alertId: idOf(draft), principal: caller('anna'), tenantId: TENANT };
  for (const text of [
    `The beneficiary (client-2) sent an invoice.`,
    `client-2 is the brother of client-1`,
    `${WORD} called, nobody knows of whom`,
  ]) {
    await noteAlert(desk.ports, { ...place, text });
  }
  await assignAlert(desk.ports, place);
  await reviewAlert(desk.ports, place);
  await closeAlert(desk.ports, {
    ...place,
    comment: 'client-2: born ten years later than the listed one',
    reasonCode: 'dob_differs',
    status: 'closed_false_positive',
  });
  const find = async () => (await desk.house.tables.find(alertTable, place)) as Alert;
  const erasure = erasureOfTexts({
    ...desk.ports,
    about: {
      about: async function* () {
        yield await find();
      },
    },
    audit: desk.house.audit,
    customersOfPayments: paying('client-1', 'client-2'),
  });
  const order: ErasureOrder = {
    actor: 'system:erasure',
    asOf: (START + YEAR_MS) as EpochMs,
    now: (START + YEAR_MS) as EpochMs,
    pseudonym: '',
    reason: 'privacy request 1',
    retentionYears: 0,
  };
  await erasure.erase(SUBJECT, order);
  const texts = (await notesOf(desk.ports, place)).map(({ text }) => text);
  expect(texts.filter((text) => text !== undefined)).toEqual([
    'The beneficiary (client-2) sent an invoice.',
  ]);
  expect((await find()).outcome?.comment).toContain('client-2');
  expect(await erasure.plan(SUBJECT, order)).toEqual([]);
  expect((await checkAlerts(desk.house, TENANT)).refusals).toEqual([]);
  // Once the other is erased too, his go.
  await erasure.erase({ subjectRef: 'client-2', tenantId: TENANT }, order);
  expect((await find()).outcome?.comment).toBe('');
});

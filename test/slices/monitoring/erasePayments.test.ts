/**
 * A customer who is erased is gone from the log of payments once no law wants them: in rows, bodies
 * and screenings of listed parties, while the log is what was signed and others are in it.
 */
import { expect, test } from 'vitest';
import { Erasures, entry } from '#core/audit';
import { dataKeyTable, openFile } from '#core/blobs';
import { chainOf } from '#core/kernel';
import { dutyEnd, type ErasureOrder } from '#core/privacy';
import type { EpochMs } from '#platform/clock';
import { alertIdOf, alertTable } from '#slices/alerts';
import {
  erasePlacesAgain,
  erasureOfPayments,
  ingestKeyId,
  PaymentCustomers,
  type Transaction,
  transactionLogTable,
  transactionMatchTable,
  transactionMessageTable,
} from '#slices/monitoring';
import { subjectKeyOfRef } from '#slices/screening';
import { RAW_LABEL } from '../../../src/slices/monitoring/takeTransactions.ts';
import { openLedger, TENANT, transactionOf } from './ledger.ts';
import { listOf } from './listedParties.ts';

const WORD = 'Zwirbelkanarie';
const CANARY = { subjectRef: 'C-1', tenantId: TENANT };
const TAKEN_AT = Date.UTC(2026, 2, 6) as EpochMs;

const own = (n: number, changes: object = {}): Transaction =>
  transactionOf(n, { creditor: { name: 'Bert' }, debtor: { name: `Anna ${WORD}` }, ...changes });

const orderOf = (changes: Partial<ErasureOrder> = {}): ErasureOrder => ({
  actor: 'system:erasure',
  asOf: (TAKEN_AT + 1) as EpochMs,
  now: (TAKEN_AT + 2) as EpochMs,
  pseudonym: `psn_${'0'.repeat(26)}`,
  reason: 'privacy request 1',
  retentionYears: 0,
  ...changes,
});

function house(ledger = openLedger()) {
  const ports = { ...ledger.ports, audit: ledger.house.audit };
  const erasure = erasureOfPayments(ports);
  return {
    custody: () => erasure.custody?.(CANARY, { asOf: orderOf().asOf }),
    erase: (order = orderOf()) => erasure.erase(CANARY, order),
    ledger,
    plan: (order = orderOf()) => erasure.plan(CANARY, order),
    ports,
    said: async (txId: string) => (await ledger.find(txId)).transaction,
    take: (some: readonly Transaction[], at = TAKEN_AT) => ledger.take(some, { at }),
  };
}

test('his payments go with their keys, the log stays, and so do those of others', async () => {
  const { erase, ledger, plan, said, take } = house();
  await take([own(1, { customer_id: 'C-1' }), own(2), own(3, { account_id: 'A-9' })]);
  await take([own(4, { account_id: 'A-2', customer_id: 'C-2' })]);
  expect(await plan()).toEqual([{ action: 'delete', rows: 2, why: 'no_duty' }]);
  const [message] = await messagesOf(ledger, 'T-1');
  expect(await rawOf(ledger, message)).toContain(WORD);
  await erase();
  expect(await said('T-1')).toBeUndefined();
  // It names nobody, and its account is his alone.
  expect(await said('T-2')).toBeUndefined();
  expect(await said('T-3')).toMatchObject({ account_id: 'A-9' });
  expect(await said('T-4')).toMatchObject({ customer_id: 'C-2' });
  await expect(rawOf(ledger, message)).rejects.toMatchObject({ code: 'blob-damaged' });
  expect(await plan()).toEqual([]);
  expect(await ledger.check()).toEqual({ count: 4, refusals: [] });
});

test('an account that payments give to two customers is nobody’s alone', async () => {
  const { erase, said, take } = house();
  await take([own(1, { customer_id: 'C-1' }), own(2), own(3, { customer_id: 'C-2' })]);
  await erase();
  expect(await Promise.all(['T-1', 'T-2', 'T-3'].map(said))).toEqual([
    undefined,
    expect.anything(),
    expect.anything(),
  ]);
});

test('each stays for as long as a law wants it, and what came after the approval', async () => {
  const { erase, plan, said, take } = house();
  const later = (TAKEN_AT + 86_400_000) as EpochMs;
  await take([own(1, { customer_id: 'C-1' })]);
  await take([own(2, { customer_id: 'C-1' })], later);
  await take([own(3, { customer_id: 'C-1' })], (later + 2) as EpochMs);
  const asOf = (later + 1) as EpochMs;
  const order = orderOf({ asOf, now: later, retentionYears: 10 });
  const [until, last] = [dutyEnd(TAKEN_AT, order), dutyEnd(later, order)];
  expect(await plan(order)).toEqual([{ action: 'keep', rows: 2, until: last, why: 'legal_duty' }]);
  await erase(order);
  expect(await said('T-1')).toBeDefined();
  await erase({ ...order, now: until });
  expect(await said('T-1')).toBeUndefined();
  expect(await said('T-2')).toBeDefined();
  await erase({ ...order, now: last });
  expect(await said('T-2')).toBeUndefined();
  expect(await said('T-3')).toBeDefined();
});

test('the vault knows which they were once nothing else does', async () => {
  const { custody, erase, said, take } = house();
  await take([own(1, { customer_id: 'C-1' })], (TAKEN_AT - 1) as EpochMs);
  await take([own(2)]);
  const held = await custody();
  expect(held).toEqual({ runs: [[1, 2]] });
  const order = { ...orderOf({ retentionYears: 10 }), ...(held && { custody: held }) };
  // The first is gone a moment before: nothing names the customer of the account any more.
  await erase({ ...order, now: dutyEnd((TAKEN_AT - 1) as EpochMs, order) });
  expect(await said('T-2')).toBeDefined();
  await erase({ ...order, now: dutyEnd(TAKEN_AT, order) });
  expect(await said('T-2')).toBeUndefined();
});

test('a payment whose time somebody has put back is not erased before its own', async () => {
  const { erase, ledger, said, take } = house();
  await take([own(1, { customer_id: 'C-1' })]);
  ledger.alter(transactionLogTable, { tseq: 1 }, { receivedAt: 0 as EpochMs });
  await expect(erase(orderOf({ retentionYears: 10 }))).rejects.toMatchObject({
    code: 'evidence-altered',
  });
  await expect(said('T-1')).rejects.toMatchObject({ code: 'evidence-altered' });
});

test('the name of a listed party goes with the last payment that has it', async () => {
  const { screening } = listOf('Listed');
  const at = house(openLedger(screening));
  const paid = { creditor: { name: 'Listed' }, debtor: { name: 'Anna' } };
  await at.take([own(1, { customer_id: 'C-1', ...paid })]);
  await at.take([own(2, { account_id: 'A-2', customer_id: 'C-2', ...paid })]);
  const event = () => at.ledger.house.audit.chain(TENANT as never).events.find(isScreening);
  const isScreening = ({ type }: { readonly type: string }) => type === 'screening';
  await at.erase();
  expect(event()?.open).toBeDefined();
  const other = erasureOfPayments(at.ports);
  await other.erase({ subjectRef: 'C-2', tenantId: TENANT }, orderOf());
  expect(event()?.open).toBeUndefined();
});

test('whether a listed party is found elsewhere is asked of many payments together', async () => {
  const { screening } = listOf('Listed');
  const at = house(openLedger(screening));
  const paid = { creditor: { name: 'Listed' }, debtor: { name: 'Anna' } };
  const others = Array.from({ length: 60 }, (_, n) =>
    own(n + 2, { account_id: 'A-2', customer_id: 'C-2', ...paid }),
  );
  await at.take([own(1, { customer_id: 'C-1', ...paid }), ...others]);
  await erasureOfPayments(at.ports).erase({ subjectRef: 'C-2', tenantId: TENANT }, orderOf());
  let asked = 0;
  const tables: typeof at.ports.tables = {
    ...at.ports.tables,
    findMany: (...ask) => {
      asked++;
      return at.ports.tables.findMany(...ask);
    },
  };
  await erasureOfPayments({ ...at.ports, tables }).erase(CANARY, orderOf());
  expect(asked).toBeLessThan(20);
});

test('a payment that names nobody stays while an alert of its listed party is open', async () => {
  const { screening } = listOf('Listed');
  const { custody, erase, ledger, plan, said, take } = house(openLedger(screening, [alertTable]));
  const paid = { creditor: { name: 'Listed' }, debtor: { name: 'Anna' } };
  await take([own(1, { customer_id: 'C-1' }), own(2, paid)]);
  const { row } = await ledger.find('T-2');
  const screeningId = row.parties?.find((one) => one.screeningId)?.screeningId ?? '';
  const alertId = alertIdOf(TENANT, { kind: 'screening', screeningId });
  const alert = { alertId, createdAt: TAKEN_AT, status: 'open', tenantId: TENANT, version: 1 };
  await ledger.house.commit(chainOf(TENANT), {
    bus: [],
    changes: [alertTable.insert(alert as never)],
    events: [entry(ledger.ports, { action: 'aml.alert.created', actor: 'key:1', target: alertId })],
  });
  const order = { ...orderOf(), custody: (await custody()) ?? {} };
  // Who is answered by the plan does not learn of it.
  expect(await plan()).toEqual([{ action: 'delete', rows: 2, why: 'no_duty' }]);
  await erase(order);
  expect(await said('T-1')).toBeUndefined();
  expect(await said('T-2')).toBeDefined();
  expect(await plan(order)).toMatchObject([{ action: 'keep', isUntold: true, rows: 1 }]);
  ledger.alter(alertTable, { alertId }, { status: 'closed_false_positive' });
  await erase(order);
  expect(await said('T-2')).toBeUndefined();
  expect(await plan(order)).toEqual([]);
});

test('what a newer export names is erased on record again, once', async () => {
  const { erase, ledger, ports, said, take } = house();
  await take([own(1, { customer_id: 'C-1' }), own(2, { customer_id: 'C-2' })]);
  const { row } = await ledger.find('T-1');
  const erasures = new Erasures(ledger.house);
  const ask = {
    actor: 'cli:test' as const,
    erasedIn: `ingest:${row.ingestId}`,
    ordinals: [row.place],
    reason: 'erased before',
    tenantId: TENANT,
  };
  const again = () => erasePlacesAgain({ ...ports, erasures }, ask);
  expect([await again(), await again()]).toEqual([true, false]);
  expect(await said('T-1')).toBeUndefined();
  expect(await said('T-2')).toBeDefined();
  await erase();
  expect(await erasePlacesAgain({ ...ports, erasures }, { ...ask, erasedIn: 'x' })).toBe(false);
});

test('a key that an old copy brings back opens nothing that was erased', async () => {
  const { erase, ledger, said, take } = house();
  await take([own(1, { customer_id: 'C-1' })]);
  const { row } = await ledger.find('T-1');
  const keyId = ingestKeyId(row.ingestId);
  const [former] = await ledger.ports.tables.findMany(dataKeyTable, [{ keyId }]);
  await erase();
  ledger.alter(dataKeyTable, { keyId }, { ...former });
  expect(await said('T-1')).toBeUndefined();
  expect((await ledger.check()).refusals).toEqual([
    'transaction 1: it was erased, and its key is there',
  ]);
});

test('customers of a listed party are all known, however many, and each is read once', async () => {
  const { screening } = listOf('Listed');
  const { ledger, ports } = house(openLedger(screening));
  const paid = { creditor: { name: 'Listed' }, debtor: { name: 'Anna' } };
  const many = (from: number) =>
    Array.from({ length: 120 }, (_, at) =>
      own(from + at, { account_id: `A-${from + at}`, customer_id: `C-${from + at}`, ...paid }),
    );
  await ledger.take(many(1));
  const [match] = (
    await ledger.house.tables.page(transactionMatchTable, {
      equal: { tenantId: TENANT },
      index: 'key',
      limit: 1,
    })
  ).records;
  const of = { screeningId: match?.screeningId ?? '', tenantId: TENANT };
  const customers = new PaymentCustomers(ports as never);
  const first = await customers.of(of);
  expect([first.isWhole, first.keys.size]).toEqual([true, 120]);
  await ledger.take(many(121));
  // One that somebody changes names nobody, and frees nobody else.
  ledger.alter(transactionMatchTable, { tseq: 130 }, { txId: 'T-1' });
  const { isWhole, keys } = await customers.of(of);
  expect([isWhole, keys.size]).toEqual([false, 239]);
  expect(keys.has(subjectKeyOfRef(TENANT, 'C-240'))).toBe(true);
  expect(keys.has(subjectKeyOfRef(TENANT, 'C-130'))).toBe(false);
  expect((await ledger.check()).refusals).toEqual([
    'transaction 130: the alert of its listed party does not name it',
  ]);
});

async function messagesOf(ledger: ReturnType<typeof openLedger>, txId: string) {
  const { row } = await ledger.find(txId);
  const place = { ingestId: row.ingestId, tenantId: TENANT };
  return ledger.ports.tables.findMany(transactionMessageTable, [place]);
}

async function rawOf(
  { ports }: ReturnType<typeof openLedger>,
  message: { readonly blob: string; readonly ingestId: string } | undefined,
): Promise<string> {
  const keyId = ingestKeyId(message?.ingestId ?? '');
  const key = await ports.dataKeys.find({ keyId, tenantId: TENANT });
  const sealed = { blob: message?.blob ?? '', keyId, keyVersion: key?.version ?? 0 };
  const stored = { address: sealed.blob, bytes: 0, sealed };
  const under = key && { label: RAW_LABEL, secret: key.secret };
  let text = '';
  for await (const piece of (await openFile(ports.blobs, stored, under)) ?? []) text += piece;
  return text;
}

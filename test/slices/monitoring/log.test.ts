/** The log: dense numbers, duplicates, revisions, reversals, several writers, altered rows. */
import { describe, expect, test } from 'vitest';
import { dataKeyTable } from '#core/blobs';
import type { EpochMs } from '#platform/clock';
import {
  decideTaking,
  ingestKeyId,
  SEGMENT_MAX,
  type Transaction,
  transactionLogTable,
  transactionMessageTable,
  transactionStateTable,
} from '#slices/monitoring';
import { OTHER_TENANT, openLedger, TENANT, transactionOf } from './ledger.ts';

const some = (count: number, from = 1) =>
  Array.from({ length: count }, (_, at) => transactionOf(from + at));

describe('transactions are taken', () => {
  test('with dense numbers and one entry for a segment', async () => {
    const ledger = openLedger();
    const first = await ledger.take(some(3));
    const second = await ledger.take(some(2, 4));
    expect(first).toMatchObject({ accepted: 3, duplicates: 0, tseqs: [1, 3] });
    expect(second).toMatchObject({ accepted: 2, tseqs: [4, 5] });
    expect(ledger.house.events.map(({ action }) => action)).toEqual([
      'aml.transactions.recorded',
      'aml.transactions.recorded',
    ]);
    expect(ledger.house.bus.map(({ payload }) => payload)).toMatchObject([
      { count: 3, tseq_from: 1, tseq_to: 3 },
      { count: 2, tseq_from: 4, tseq_to: 5 },
    ]);
    expect(await ledger.check()).toEqual({ count: 5, refusals: [] });
  });

  test('in several segments where there are more, and sent again are known', async () => {
    const ledger = openLedger();
    const body = some(SEGMENT_MAX * 2 + 1);
    expect(await ledger.take(body)).toMatchObject({ accepted: body.length, tseqs: [1, 901] });
    expect(ledger.house.events).toHaveLength(3);
    expect(await ledger.take(body)).toMatchObject({ accepted: 0, duplicates: body.length });
    expect(await ledger.check()).toEqual({ count: 901, refusals: [] });
    const { shown, next } = await ledger.list(2);
    expect(shown.map(({ row }) => row.tseq)).toEqual([901, 900]);
    expect((await ledger.list(2, next)).shown.map(({ row }) => row.tseq)).toEqual([899, 898]);
  });

  test('once, however often and by whomever they are sent at the same time', async () => {
    const ledger = openLedger();
    ledger.house.overtake(() => ledger.take(some(2)));
    const late = await ledger.take(some(3));
    expect(late).toMatchObject({ accepted: 1, duplicates: 2, tseqs: [3, 3] });
    expect(await ledger.check()).toEqual({ count: 3, refusals: [] });
  });

  test('for a tenant alone', async () => {
    const ledger = openLedger();
    await ledger.take(some(1));
    await ledger.take(some(1), { tenantId: OTHER_TENANT });
    await expect(ledger.find('T-2', OTHER_TENANT)).rejects.toMatchObject({
      code: 'transaction-unknown',
    });
    expect((await ledger.list(10, undefined, OTHER_TENANT)).shown).toHaveLength(1);
  });

  test('and the body is kept, sealed', async () => {
    const ledger = openLedger();
    const { ingestId } = await ledger.take(some(1));
    const message = await ledger.house.tables.find(transactionMessageTable, {
      ingestId,
      tenantId: TENANT,
    });
    const blob = Buffer.from(ledger.blobs.get(message?.blob ?? '') ?? []);
    expect(blob.length).toBeGreaterThan(0);
    expect(blob.includes('Velmorani')).toBe(false);
    const everything = JSON.stringify([ledger.house.events, ledger.house.bus]);
    expect(everything).not.toContain('Velmorani');
  });
});

describe('a time that has not come', () => {
  const MINUTE = 60_000;
  const NOW = Date.parse('2026-03-05T10:00:00Z') as EpochMs;
  const refusalsOf = (transaction: Transaction, receivedAt = NOW) => {
    const one = { contentDigest: 'x', index: 3, parties: [], transaction };
    return decideTaking([one], new Map(), { format: 'json_service', receivedAt }).refusals;
  };

  test.each([
    ['2026-03-05T10:05:00.000Z', true],
    ['2026-03-05T10:05:00.001Z', false],
    ['2027-03-05T10:00:00.000Z', false],
  ])('%s is taken: %s', (occurred_at, isTaken) => {
    const refusal = { code: 'occurred-at-in-future', index: 3, pointer: '/occurred_at' };
    const refusals = refusalsOf(transactionOf(1, { occurred_at }));
    expect(refusals).toEqual(isTaken ? [] : [expect.objectContaining(refusal)]);
  });

  test('a day is taken from its beginning on, though it stands at its noon', () => {
    const transaction: Transaction = {
      ...transactionOf(1),
      occurred_at: '2026-03-05T12:00:00.000Z',
      precision: 'day',
    };
    expect(refusalsOf(transaction, (NOW - 10 * 60 * MINUTE) as EpochMs)).toEqual([]);
    expect(refusalsOf(transaction, (NOW - 12 * 60 * MINUTE) as EpochMs)).toHaveLength(1);
  });
});

describe('an id that is known', () => {
  test('with other content is refused, unless it is the next revision', async () => {
    const ledger = openLedger();
    await ledger.take(some(1));
    const changed = (revision?: number) =>
      transactionOf(1, { amount: '11', ...(revision !== undefined && { revision }) });
    await expect(ledger.take([changed()])).rejects.toMatchObject({
      code: 'ingest-rejected',
      violations: [{ code: 'tx-conflict', pointer: '/transactions/0/tx_id' }],
    });
    await expect(ledger.take([changed(2)])).rejects.toMatchObject({ code: 'ingest-rejected' });
    expect(await ledger.take([changed(1)])).toMatchObject({ accepted: 1, tseqs: [2, 2] });
    expect(await ledger.find('T-1')).toMatchObject({
      row: { isFirst: false, revision: 1, tseq: 2 },
      transaction: { amount: '11.00' },
    });
    // Both revisions are kept.
    expect((await ledger.list()).shown.map(({ transaction }) => transaction?.amount)).toEqual([
      '11.00',
      '10.00',
    ]);
    expect(await ledger.check()).toEqual({ count: 2, refusals: [] });
  });

  test('twice in one body counts once', async () => {
    const ledger = openLedger();
    const twice = [transactionOf(1), transactionOf(1), transactionOf(1, { amount: '12' })];
    const outcome = await ledger.take(twice);
    expect(outcome).toMatchObject({
      accepted: 1,
      duplicates: 1,
      refusals: [{ code: 'tx-conflict', index: 2 }],
    });
  });

  test('in the other format of messages is the same payment: linked, and not counted', async () => {
    const ledger = openLedger();
    await ledger.take([transactionOf(1)], { format: 'swift_mt103' });
    const other = transactionOf(1, { purpose: 'GDDS' });
    const again = await ledger.take([other], { format: 'iso20022_pacs008' });
    expect(again).toMatchObject({ accepted: 0, duplicates: 1 });
    expect((await ledger.find('T-1')).state?.alsoIn).toEqual([
      { format: 'iso20022_pacs008', ingestId: again.ingestId },
    ]);
    expect(await ledger.check()).toEqual({ count: 1, refusals: [] });
  });

  test('may be reversed by a transaction of its own', async () => {
    const ledger = openLedger();
    const reversal = transactionOf(2, { reverses: 'T-1', status: 'reversed' });
    await expect(ledger.take([reversal])).rejects.toMatchObject({
      violations: [{ code: 'reverses-unknown' }],
    });
    await ledger.take([transactionOf(1), reversal]);
    expect((await ledger.find('T-1')).state).toMatchObject({ reversedBy: 2, tseq: 1 });
  });
});

describe('what becomes of evidence when somebody', () => {
  test('changes a row: neither it nor its segment is shown, and the check names it', async () => {
    const ledger = openLedger();
    await ledger.take(some(3));
    ledger.alter(transactionLogTable, { tseq: 2 }, { revision: 7 });
    await expect(ledger.find('T-1')).rejects.toMatchObject({ code: 'evidence-altered' });
    expect((await ledger.check()).refusals).toHaveLength(2);
  });

  test('changes a state: the check names it', async () => {
    const ledger = openLedger();
    await ledger.take(some(3));
    ledger.alter(transactionStateTable, { txId: 'T-2' }, { contentDigest: 'x' });
    expect((await ledger.check()).refusals).toEqual([
      'state of transaction 2: it is not what the log has',
    ]);
  });

  test('destroys a key: what it says is gone, and its evidence stays', async () => {
    const ledger = openLedger();
    await ledger.take(some(3));
    const { row: first } = await ledger.find('T-1');
    const key = await ledger.ports.dataKeys.find({
      keyId: ingestKeyId(first.ingestId),
      tenantId: TENANT,
    });
    if (key === undefined) throw new Error('no key');
    const { record } = ledger.ports.dataKeys.without(key, [{ depth: 20, index: first.place }]);
    // Past the service: no entry says so.
    ledger.alter(dataKeyTable, { keyId: record.keyId }, record);
    await expect(ledger.find('T-1')).rejects.toMatchObject({ code: 'evidence-altered' });
    expect((await ledger.find('T-2')).transaction).toBeDefined();
    const gone = 'transaction 1: its key is gone, and no entry has erased it';
    expect((await ledger.check()).refusals).toEqual([gone]);
    await ledger.tellErased(first);
    expect((await ledger.find('T-1')).transaction).toBeUndefined();
    expect((await ledger.find('T-2')).transaction).toBeDefined();
    expect(await ledger.check()).toEqual({ count: 3, refusals: [] });
  });
});

/** Invented transactions: the same for the same seed, in order, readable, with every typology. */
import { describe, expect, test } from 'vitest';
import {
  generateTransactions,
  jsonTransactions,
  listedPayments,
  PLANTED,
} from '#slices/monitoring';
import { CONTEXT } from './messages.ts';

const ASK = { accounts: 40, planted: 2, seed: 7, transactions: 400, until: '2026-11-25' } as const;

describe('invented transactions', () => {
  test('are the same for the same seed, and others for another', () => {
    const text = (seed: number) => JSON.stringify([...generateTransactions({ ...ASK, seed })]);
    expect(text(7)).toBe(text(7));
    expect(text(8)).not.toBe(text(7));
  });

  test('come in order of time, and the reader takes them all', () => {
    const all = [...generateTransactions(ASK)];
    const times = all.map(({ transaction }) => String(transaction.occurred_at));
    expect(times).toEqual([...times].sort());
    const transactions = all.map(({ transaction }) => transaction);
    const read = jsonTransactions(Buffer.from(JSON.stringify({ transactions })), CONTEXT);
    expect(read.refusals).toEqual([]);
    expect(read.transactions).toHaveLength(all.length);
    const ids = new Set(read.transactions.map(({ transaction }) => transaction.tx_id));
    expect(ids.size).toBe(all.length);
  });

  test('have each typology as often as it was asked for', () => {
    const labels = new Set([...generateTransactions(ASK)].flatMap(({ label }) => label ?? []));
    expect([...labels].sort()).toEqual(
      PLANTED.flatMap((rule) => [`${rule}/0`, `${rule}/1`]).sort(),
    );
  });
});

test('payments that meet the list that ships are of the day before, and are taken', () => {
  const transactions = listedPayments({ account: 'A-1', prefix: 'D', until: '2026-11-25' });
  const read = jsonTransactions(Buffer.from(JSON.stringify({ transactions })), CONTEXT);
  expect(read.refusals).toEqual([]);
  expect(read.transactions.map(({ transaction }) => transaction.occurred_at)).toEqual([
    '2026-11-24T21:00:00.000Z',
    '2026-11-24T22:00:00.000Z',
    '2026-11-24T23:00:00.000Z',
  ]);
});

/** The canonical record: every member, every refusal by pointer and code, one form of an amount. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { settleTransaction } from '../../../src/slices/monitoring/settleTransaction.ts';
import { CONTEXT } from './messages.ts';

const DRAFT = {
  account_id: 'A-1',
  amount: '10',
  currency: 'EUR',
  direction: 'debit',
  occurred_at: '2026-03-05T10:00:00Z',
  tx_id: 'T-1',
};
const settle = (changes: object, zone = 'UTC') =>
  settleTransaction({ ...DRAFT, ...changes }, { ...CONTEXT, zone });
const faultsOf = (changes: object) => {
  const settled = settle(changes);
  if (!('violations' in settled)) throw new Error('it was taken');
  return settled.violations.map(({ code, pointer }) => `${pointer} ${code}`);
};
const recordOf = (changes: object, zone?: string) => {
  const settled = settle(changes, zone);
  if (!('transaction' in settled)) throw new Error(JSON.stringify(settled.violations));
  return settled.transaction;
};

describe('amounts', () => {
  test.each([
    ['10', 'EUR', '10.00'],
    ['10.5', 'EUR', '10.50'],
    ['0010.500', 'EUR', '10.50'],
    ['10', 'JPY', '10'],
    ['10.00', 'JPY', '10'],
    ['1.234', 'KWD', '1.234'],
    ['1', 'CLF', '1.0000'],
    ['999999999999999.99', 'EUR', '999999999999999.99'],
  ])('%s %s is %s', (amount, currency, expected) => {
    expect(recordOf({ amount, currency }).amount).toBe(expected);
  });

  test.each([
    ['10.005', 'EUR', '/amount precision'],
    ['1.5', 'JPY', '/amount precision'],
    ['10', 'ZZZ', '/currency currency'],
    ['10', 'eur', '/currency format'],
    ['1,5', 'EUR', '/amount format'],
    ['-1', 'EUR', '/amount format'],
    ['1e3', 'EUR', '/amount format'],
    ['1 000', 'EUR', '/amount format'],
  ])('%s %s is refused', (amount, currency, expected) => {
    expect(faultsOf({ amount, currency })).toEqual([expected]);
  });

  test('an instructed amount may be of a currency that is gone', () => {
    const one = recordOf({ instructed: { amount: '1', currency: 'DEM' } });
    expect(one).toMatchObject({
      instructed: { amount: '1', currency: 'DEM' },
      quality: ['currency-unknown'],
    });
  });
});

describe('times', () => {
  test.each([
    ['2026-03-05T10:00:00Z', 'UTC', '2026-03-05T10:00:00.000Z', 'ms'],
    ['2026-03-05T10:00:00.1234567+02:00', 'UTC', '2026-03-05T08:00:00.123Z', 'ms'],
    ['2026-03-05', 'UTC', '2026-03-05T12:00:00.000Z', 'day'],
    ['2026-03-05', 'Africa/Tunis', '2026-03-05T11:00:00.000Z', 'day'],
    ['2026-01-15T12:00:00', 'Europe/Paris', '2026-01-15T11:00:00.000Z', 'ms'],
    // The hour that clocks show twice is the earlier one; the one that they leave out follows.
    ['2026-10-25T02:30:00', 'Europe/Paris', '2026-10-25T00:30:00.000Z', 'ms'],
    ['2026-03-29T02:30:00', 'Europe/Paris', '2026-03-29T01:30:00.000Z', 'ms'],
    ['2024-02-29T23:59:59Z', 'UTC', '2024-02-29T23:59:59.000Z', 'ms'],
  ])('%s in %s', (occurred_at, zone, expected, precision) => {
    expect(recordOf({ occurred_at }, zone)).toMatchObject({ occurred_at: expected, precision });
  });

  test.each([
    '2026-02-30',
    '2026-03-05T24:00:00Z',
    '2026-03-05T10:60:00Z',
    '2026-03-05 10:00',
    '5/3/26',
  ])('%s is none', (occurred_at) => {
    expect(faultsOf({ occurred_at })).toEqual(['/occurred_at format']);
  });
});

describe('members', () => {
  test('every fault is told, by pointer and code', () => {
    expect(
      faultsOf({
        account_id: undefined,
        creditor: { dob: '1971', name: 5, nickname: 'x' },
        debtor_agent: { bic: 'nobic' },
        direction: 'in',
        intermediaries: [{}, {}, {}, {}],
        references: { 'A B': 'x' },
        revision: -1,
        tx_id: ' ',
      }).sort(),
    ).toEqual([
      '/account_id type',
      '/creditor/dob format',
      '/creditor/name type',
      '/creditor/nickname unknown-member',
      '/debtor_agent/bic format',
      '/direction format',
      '/intermediaries range',
      '/references/A B unknown-member',
      '/revision range',
      '/tx_id missing',
    ]);
  });

  test('a reversal names what it reverses, and only a reversal does', () => {
    expect(faultsOf({ status: 'reversed' })).toEqual(['/reverses reversal']);
    expect(faultsOf({ reverses: 'T-0' })).toEqual(['/reverses reversal']);
    expect(faultsOf({ reverses: 'T-1', status: 'reversed' })).toEqual(['/reverses reversal']);
    expect(recordOf({ reverses: 'T-0', status: 'reversed' }).reverses).toBe('T-0');
  });

  test('what is taken is taken again, and is the same', () => {
    fc.assert(
      fc.property(
        fc.record({
          amount: fc.nat(1_000_000).map((units) => (units / 100).toFixed(2)),
          creditor: fc.record({ name: fc.stringMatching(/^[A-Za-zéا-ي]{1,40}$/) }),
          remittance: fc.array(fc.stringMatching(/^[ -~]{0,20}[!-~]$/), { maxLength: 3 }),
        }),
        (changes) => {
          const { precision, ...once } = recordOf(changes);
          expect(recordOf(once)).toEqual({ ...once, precision });
        },
      ),
    );
  });
});

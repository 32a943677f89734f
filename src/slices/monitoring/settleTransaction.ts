/**
 * The last step of every format: the draft is checked against the canonical shape, its amount
 * written in the digits of its currency and its time in UTC. So a record means the same whichever
 * format brought it, and one payment has one form.
 */
import type { Violation } from '#core/kernel';
import { violationsOf } from './checkShape.ts';
import { readInstant } from './instants.ts';
import { readAmount } from './money.ts';
import { TRANSACTION_SHAPE } from './shapes.ts';
import type { Money, ReadingContext, Transaction } from './transaction.ts';

/** A transaction, or everything that is wrong with it. */
export type Settled =
  | { readonly transaction: Transaction }
  | { readonly violations: readonly Violation[] };

const AMOUNT_FAULTS = {
  currency: 'expected a currency of ISO 4217 that is in use',
  format: 'expected a decimal string',
  precision: 'expected no more fraction digits than the currency has',
} as const;

/** The draft is a value of the process's own, or of a stranger: nothing of it is trusted. */
export function settleTransaction(draft: unknown, context: ReadingContext): Settled {
  const violations = [...violationsOf(draft, TRANSACTION_SHAPE)];
  if (violations.length > 0) return { violations };
  const given = draft as Transaction;
  const quality = new Set(given.quality);
  const amount = moneyOf(given, '', violations);
  const instructed =
    given.instructed && moneyOf(given.instructed, '/instructed', violations, quality);
  const items = given.charges?.items?.map((item, at) =>
    moneyOf(item, `/charges/items/${at}`, violations, quality),
  );
  checkReversal(given, violations);
  if (violations.length > 0) return { violations };
  const occurred = readInstant(given.occurred_at, context.zone);
  if (occurred?.hasOffset === false) quality.add('no-offset');
  const booked = given.booked_at && readInstant(given.booked_at, context.zone)?.at;
  const { quality: _, ...rest } = given;
  return {
    transaction: {
      ...rest,
      amount: amount.amount,
      occurred_at: occurred?.at ?? given.occurred_at,
      precision: occurred?.precision ?? 'ms',
      ...(booked && { booked_at: booked }),
      ...(instructed && { instructed }),
      ...(items && { charges: { ...given.charges, items } }),
      ...(quality.size > 0 && { quality: [...quality].sort() }),
    },
  };
}

/**
 * An amount beside the transaction's own may be of a currency that is no longer in use: it is kept
 * as it came, and said so.
 */
function moneyOf(
  { amount, currency }: Money,
  pointer: string,
  violations: Violation[],
  quality?: Set<string>,
): Money {
  const read = readAmount(amount, currency);
  if ('amount' in read) return { amount: read.amount, currency };
  if (quality !== undefined && read.code === 'currency') {
    quality.add('currency-unknown');
    return { amount, currency };
  }
  const at = read.code === 'currency' ? 'currency' : 'amount';
  const detail = AMOUNT_FAULTS[read.code];
  violations.push({ code: read.code, detail, pointer: `${pointer}/${at}` });
  return { amount, currency };
}

function checkReversal({ reverses, status, tx_id }: Transaction, violations: Violation[]): void {
  const isReversal = status === 'reversed';
  if (isReversal === (reverses !== undefined) && reverses !== tx_id) return;
  const detail =
    reverses === tx_id
      ? 'expected the tx_id of another transaction'
      : 'expected status `reversed` and `reverses`, both or neither';
  violations.push({ code: 'reversal', detail, pointer: '/reverses' });
}

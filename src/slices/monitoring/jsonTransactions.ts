/** The canonical model as JSON: one transaction, or up to a thousand in `transactions`. */
import { DomainError } from '#core/kernel';
import { parseStrictJson, StrictJsonError } from '#platform/strictJson';
import { settleTransaction } from './settleTransaction.ts';
import type { ReadingContext, ReadTransactions, Refusal } from './transaction.ts';

/** Bytes of one body. */
export const JSON_BYTES_MAX = 1024 ** 2;
/** Transactions of one body. */
export const JSON_TRANSACTIONS_MAX = 1_000;
const DEPTH_MAX = 8;

/** Throws `json-malformed` or `body-invalid`. */
export function jsonTransactions(bytes: Uint8Array, context: ReadingContext): ReadTransactions {
  const transactions: ReadTransactions['transactions'][number][] = [];
  const refusals: Refusal[] = [];
  for (const [index, draft] of draftsOf(parsed(bytes)).entries()) {
    const settled = settleTransaction(draft, context);
    if ('transaction' in settled) transactions.push({ index, transaction: settled.transaction });
    else refusals.push(...settled.violations.map((violation) => ({ index, ...violation })));
  }
  return { refusals, transactions };
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return parseStrictJson(bytes, { depthMax: DEPTH_MAX });
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error;
    throw new DomainError('json-malformed', { detail: error.message });
  }
}

function draftsOf(body: unknown): readonly unknown[] {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw invalid('', 'type', 'expected an object');
  }
  if (!('transactions' in body)) return [body];
  const { transactions, ...others } = body;
  const [other] = Object.keys(others);
  if (other !== undefined) {
    throw invalid('', 'unknown-member', 'expected `transactions` alone');
  }
  if (!Array.isArray(transactions)) throw invalid('/transactions', 'type', 'expected an array');
  if (transactions.length === 0 || transactions.length > JSON_TRANSACTIONS_MAX) {
    const detail = `expected 1 to ${JSON_TRANSACTIONS_MAX} transactions`;
    throw invalid('/transactions', 'range', detail);
  }
  return transactions;
}

function invalid(pointer: string, code: string, detail: string): DomainError {
  return new DomainError('body-invalid', { detail, violations: [{ code, detail, pointer }] });
}

/** What monitoring answers slices to its left. */
import { DomainError } from '#core/kernel';
import type { CustomersOfPayments, ListedPartyPayments } from '#slices/alerts';
import { findTransaction, matchesOf } from '#slices/monitoring';
import type { SliceProcess } from '../../processes.ts';

/** The payments of a listed party, which its alert is about. */
export function listedPartyPayments({ storage: { tables } }: SliceProcess): ListedPartyPayments {
  return async (of) => {
    const { count, named } = await matchesOf({ tables }, of);
    const accountId = named[0]?.accountId;
    return {
      count,
      txIds: named.map(({ txId }) => txId),
      ...(accountId !== undefined && { accountId }),
    };
  };
}

/** Whose payments those are, as the log says; one that was erased is nobody's. */
export function customersOfPayments(process: SliceProcess): CustomersOfPayments {
  const { dataKeys, keyRing, storage } = process;
  const { audit, tables } = storage;
  return async ({ screeningId, tenantId }) => {
    const { count, named } = await matchesOf({ tables }, { screeningId, tenantId });
    if (count > named.length) return undefined;
    const customers = new Set<string>();
    for (const txId of new Set(named.map((one) => one.txId))) {
      const place = { tenantId, txId };
      const shown = await findTransaction({ audit, dataKeys, keyRing, tables }, place).catch(
        asGone,
      );
      const customer = shown?.transaction?.customer_id;
      if (customer !== undefined) customers.add(customer);
    }
    return [...customers];
  };
}

function asGone(error: unknown): undefined {
  if (error instanceof DomainError && error.code === 'transaction-unknown') return undefined;
  throw error;
}

/** What monitoring answers slices to its left. */
import type { CustomersOfPayments, ListedPartyPayments } from '#slices/alerts';
import type { EraseParts } from '#slices/audit';
import {
  erasePlacesAgain,
  matchesOf,
  opened,
  openLogOf,
  PaymentCustomers,
  transactionLogTable,
} from '#slices/monitoring';
import type { SliceProcess } from '../../processes.ts';
import { erasePortsOf } from './erasePorts.ts';

/** The payments of a listed party, which its alert is about. */
export function listedPartyPayments(process: SliceProcess): ListedPartyPayments {
  const log = openLogOf(process);
  return async (of) => {
    const { count, named } = await matchesOf(log, of);
    const [first] = named;
    const row = first && (await log.tables.find(transactionLogTable, first));
    const [shown] = row === undefined ? [] : await opened(log, [row]);
    const accountId = shown?.transaction?.account_id;
    return {
      count,
      txIds: named.map(({ txId }) => txId),
      ...(accountId !== undefined && { accountId }),
    };
  };
}

/** Whose payments those are, as the log says; one that was erased is nobody's. */
export function customersOfPayments(process: SliceProcess): CustomersOfPayments {
  const customers = process.once(openCustomers);
  return (of) => customers.of(of);
}

const openCustomers = (process: SliceProcess): PaymentCustomers =>
  new PaymentCustomers(openLogOf(process));

/** What a newer export says was erased of bodies of payments. */
export const eraseLogParts =
  (process: SliceProcess): EraseParts =>
  (of) =>
    erasePlacesAgain({ ...erasePortsOf(process), erasures: openLogOf(process).erasures }, of);

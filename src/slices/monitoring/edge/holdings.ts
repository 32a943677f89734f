/**
 * What monitoring holds of a person: his payments in the log, and the facts that the tenant sent
 * about him.
 */
import { everyRecord } from '#core/kernel';
import type { HeldFile, Holding } from '#core/privacy';
import { toTimestamp } from '#platform/clock';
import {
  customerFactTable,
  erasureOfPayments,
  numbersOf,
  type ReadableRow,
  rowsOfNumbers,
  transactionLogTable,
} from '#slices/monitoring';
import type { SliceProcess } from '../../processes.ts';
import { erasePortsOf } from './erasePorts.ts';

export const holdings = (process: SliceProcess): readonly Holding[] => [
  paymentsHolding(process),
  factsHolding(process),
];

/** Payments of one document of the archive. */
const PAYMENTS_A_FILE = 1_000;

function paymentsHolding(process: SliceProcess): Holding {
  const ports = erasePortsOf(process);
  return {
    erasure: erasureOfPayments(ports),
    async *files({ subjectRef: customerId, tenantId }): AsyncGenerator<HeldFile> {
      if (customerId === undefined) return;
      const numbers = await numbersOf(ports, { asOf: ports.clock.now(), customerId, tenantId });
      for (let from = 0; from < numbers.length; from += PAYMENTS_A_FILE) {
        const some = numbers.slice(from, from + PAYMENTS_A_FILE);
        const payments = (await rowsOfNumbers(ports, tenantId, some)).map(shownToCustomer);
        yield { content: { payments }, name: `payments/${from / PAYMENTS_A_FILE + 1}.json` };
      }
    },
    store: transactionLogTable.name,
  };
}

/**
 * His own side alone: who paid him or was paid, and what was written with it, is of another person.
 * Neither is what screening or rules made of it (customers.md 5.2).
 */
function shownToCustomer({ row, transaction }: ReadableRow): object {
  const { creditor, debtor, direction } = transaction;
  const self = direction === 'credit' ? creditor : debtor;
  return {
    account_id: transaction.account_id,
    amount: transaction.amount,
    channel: transaction.channel ?? null,
    currency: transaction.currency,
    direction,
    occurred_at: transaction.occurred_at,
    received_at: toTimestamp(row.receivedAt),
    self: self ?? null,
    tx_id: row.txId,
  };
}

const factsHolding = ({ storage: { tables } }: SliceProcess): Holding => ({
  erasure: {
    // A block of facts has one signed root: none can be taken out without all of them.
    erase: async () => undefined,
    async plan({ subjectRef, tenantId }, { asOf }) {
      if (subjectRef === undefined) return [];
      let rows = 0;
      const ask = { equal: { customerId: subjectRef, tenantId }, index: 'byCustomer' };
      for await (const { recordedAt } of everyRecord(tables, customerFactTable, ask)) {
        if (recordedAt <= asOf) rows++;
      }
      return rows === 0 ? [] : [{ action: 'keep', rows, why: 'evidence' }];
    },
  },
  async *files({ subjectRef, tenantId }) {
    if (subjectRef === undefined) return;
    const ask = { equal: { customerId: subjectRef, tenantId }, index: 'byCustomer' };
    const facts: object[] = [];
    for await (const fact of everyRecord(tables, customerFactTable, ask)) {
      facts.push({
        expected_turnover: fact.expectedTurnover ?? null,
        opened_at: fact.openedAt ?? null,
        residence: fact.residence ?? null,
        risk_tier: fact.riskTier ?? null,
        valid_from: toTimestamp(fact.validFrom),
      });
    }
    if (facts.length > 0) yield { content: { facts }, name: 'facts.json' };
  },
  store: customerFactTable.name,
});

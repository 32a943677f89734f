/** Reads of the log: one transaction by its id, or the latest ones, compared with the chain. */
import { type DataKeys, seedAt } from '#core/blobs';
import { DomainError, type Tables, type TenantId } from '#core/kernel';
import { depthOf, openTransaction } from './sealTransaction.ts';
import { requireAsSigned, type SegmentPorts } from './segmentEvidence.ts';
import {
  type LoggedTransaction,
  type TransactionState,
  transactionLogTable,
  transactionStateTable,
} from './tables.ts';
import { ingestKeyId } from './takeTransactions.ts';
import type { Transaction } from './transaction.ts';

/** What the log is read with. */
export interface LogPorts extends SegmentPorts {
  readonly tables: Pick<Tables, 'find' | 'page'>;
  readonly dataKeys: Pick<DataKeys, 'find'>;
}

/** A transaction of the log; without `transaction` it was erased. */
export interface ShownTransaction {
  readonly row: LoggedTransaction;
  /** Version of its body's data key; 0: there is none. */
  readonly keyVersion: number;
  readonly state?: TransactionState;
  readonly transaction?: Transaction;
}

/** The latest revision. Throws `transaction-unknown`, or `evidence-altered`. */
export async function findTransaction(
  ports: LogPorts,
  { tenantId, txId }: { readonly tenantId: TenantId; readonly txId: string },
): Promise<ShownTransaction> {
  const state = await ports.tables.find(transactionStateTable, { tenantId, txId });
  if (state === undefined) throw new DomainError('transaction-unknown');
  const row = await ports.tables.find(transactionLogTable, { tenantId, tseq: state.tseq });
  if (row === undefined || row.txId !== txId) {
    throw new DomainError('evidence-altered', { detail: `transaction ${state.tseq}: it is gone` });
  }
  await requireAsSigned(ports, row);
  return { keyVersion: 0, state, ...(await opened(ports, [row]))[0], row };
}

/** The latest first; of each the state that it had when it was taken. */
export async function listTransactions(
  ports: LogPorts,
  ask: { readonly tenantId: TenantId; readonly before?: number; readonly limit: number },
): Promise<{ readonly shown: readonly ShownTransaction[]; readonly next?: number }> {
  const { before, limit, tenantId } = ask;
  const { records } = await ports.tables.page(transactionLogTable, {
    direction: 'descending',
    equal: { tenantId },
    index: 'key',
    limit: limit + 1,
    ...(before !== undefined && { to: before }),
  });
  const rows = records.slice(0, limit);
  const segments = new Map(rows.map((row) => [row.segment[0], row]));
  for (const row of segments.values()) await requireAsSigned(ports, row);
  const next = records.length > limit ? rows.at(-1)?.tseq : undefined;
  return { shown: await opened(ports, rows), ...(next !== undefined && { next }) };
}

/** What rows say, where it was not erased. */
export async function opened(
  { dataKeys }: Pick<LogPorts, 'dataKeys'>,
  rows: readonly LoggedTransaction[],
): Promise<readonly ShownTransaction[]> {
  const keys = new Map<string, Awaited<ReturnType<DataKeys['find']>>>();
  for (const { ingestId, tenantId } of rows) {
    if (keys.has(ingestId)) continue;
    keys.set(ingestId, await dataKeys.find({ keyId: ingestKeyId(ingestId), tenantId }));
  }
  return rows.map((row) => {
    const { seeds = [], version: keyVersion = 0 } = keys.get(row.ingestId) ?? {};
    const leaf = seedAt(seeds, { depth: depthOf(row.format), index: row.place });
    const shown = { keyVersion, row };
    return leaf === undefined ? shown : { ...shown, transaction: openTransaction(row, leaf) };
  });
}

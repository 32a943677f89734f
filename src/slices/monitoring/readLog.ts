/**
 * Reads of the log: one transaction by its id, or the latest ones, compared with the chain. What
 * was erased is so by an entry: a key that is gone without one is told of as altered, and one that
 * an old copy has brought back opens nothing.
 */
import type { Erasures } from '#core/audit';
import { type DataKeys, seedAt } from '#core/blobs';
import { chainOf, DomainError, type Tables, type TenantId } from '#core/kernel';
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
  readonly dataKeys: Pick<DataKeys, 'find' | 'open'>;
  readonly erasures: Pick<Erasures, 'partsOfEach'>;
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

/** By which name entries tell of the parts of an ingest: its places. */
export const ingestTarget = (ingestId: string): string => `ingest:${ingestId}`;
/** The ingest of such a name. */
export const ingestIn = (target: string): string | undefined => /^ingest:(.+)$/.exec(target)?.[1];

/**
 * What rows of one tenant say, where it was not erased. Throws `evidence-altered` where a key is
 * gone and no entry tells of it.
 */
export async function opened(
  { dataKeys, erasures }: Pick<LogPorts, 'dataKeys' | 'erasures'>,
  rows: readonly LoggedTransaction[],
): Promise<readonly ShownTransaction[]> {
  const [first] = rows;
  if (first === undefined) return [];
  const { tenantId } = first;
  const keys = new Map<string, Awaited<ReturnType<DataKeys['find']>>>();
  for (const { ingestId } of rows) {
    if (keys.has(ingestId)) continue;
    keys.set(ingestId, await dataKeys.find({ keyId: ingestKeyId(ingestId), tenantId }));
  }
  const ingests = [...keys.keys()].map(ingestTarget);
  const erased = await erasures.partsOfEach(chainOf(tenantId), ingests);
  return rows.map((row) => {
    const { seeds = [], version: keyVersion = 0 } = keys.get(row.ingestId) ?? {};
    if (erased.get(ingestTarget(row.ingestId))?.has(row.place)) return { keyVersion, row };
    const leaf = seedAt(seeds, { depth: depthOf(row.format), index: row.place });
    if (leaf === undefined) {
      const detail = `transaction ${row.tseq}: its key is gone, and no entry has erased it`;
      throw new DomainError('evidence-altered', { detail });
    }
    return { keyVersion, row, transaction: openTransaction(row, leaf) };
  });
}

/**
 * The payments of one customer in the log, found by opening it: whose a payment is stands in what
 * is sealed. His are those that name him as the customer, and those that name nobody, of accounts
 * that payments give to him alone. A payment of another customer is that one's record, whomever it
 * was paid to.
 */
import { type DataKey, type DataKeys, dataKeyTable, seedAt } from '#core/blobs';
import { DomainError, type Tables, type TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { depthOf, openTransaction } from './sealTransaction.ts';
import { type LoggedTransaction, transactionLogTable } from './tables.ts';
import { ingestKeyId } from './takeTransactions.ts';
import type { Transaction } from './transaction.ts';

/** What they are found with. */
export interface PaymentPorts {
  readonly dataKeys: Pick<DataKeys, 'open'>;
  readonly tables: Pick<Tables, 'findMany' | 'page'>;
}

/** A row that can be read, and what it says. */
export interface ReadableRow {
  readonly row: LoggedTransaction;
  readonly transaction: Transaction;
}

/** Numbers of a log in order, as first and last of each run: what a vault keeps of them. */
export type NumberRuns = readonly (readonly [first: number, last: number])[];

const PAGE = 1_000;
const KEYS_AT_ONCE = 500;

/** Whose payments, and up to when they came. */
interface Asked {
  readonly tenantId: TenantId;
  readonly customerId: string;
  readonly asOf: EpochMs;
}

/** Numbers of the customer's payments; those that cannot be read are nobody's. */
export async function numbersOf(ports: PaymentPorts, ask: Asked): Promise<readonly number[]> {
  const accounts = new Set<string>();
  const named: number[] = [];
  for await (const { row, transaction } of readable(ports, ask)) {
    if (transaction.customer_id !== ask.customerId) continue;
    named.push(row.tseq);
    accounts.add(transaction.account_id);
  }
  if (accounts.size === 0) return named;
  const unnamed: { readonly account: string; readonly tseq: number }[] = [];
  const shared = new Set<string>();
  for await (const { row, transaction } of readable(ports, ask)) {
    const { account_id: account, customer_id } = transaction;
    if (!accounts.has(account)) continue;
    if (customer_id === undefined) unnamed.push({ account, tseq: row.tseq });
    else if (customer_id !== ask.customerId) shared.add(account);
  }
  const own = unnamed.filter(({ account }) => !shared.has(account)).map(({ tseq }) => tseq);
  return [...named, ...own].sort((one, other) => one - other);
}

/** Every row of the log that can be read, up to a time. */
export async function* readable(
  ports: PaymentPorts,
  { asOf, tenantId }: Pick<Asked, 'asOf' | 'tenantId'>,
): AsyncGenerator<ReadableRow> {
  for (let from = 1; ; ) {
    const { records } = await ports.tables.page(transactionLogTable, {
      equal: { tenantId },
      from,
      index: 'key',
      limit: PAGE,
    });
    yield* (await readRows(ports, records)).filter(({ row }) => row.receivedAt <= asOf);
    const last = records.at(-1);
    if (last === undefined || records.length < PAGE) return;
    from = last.tseq + 1;
  }
}

/** Rows of these numbers that can be read, in their order. */
export async function rowsOfNumbers(
  ports: PaymentPorts,
  tenantId: TenantId,
  numbers: readonly number[],
): Promise<readonly ReadableRow[]> {
  const found: ReadableRow[] = [];
  for (let from = 0; from < numbers.length; from += PAGE) {
    const keys = numbers.slice(from, from + PAGE).map((tseq) => ({ tenantId, tseq }));
    found.push(...(await readRows(ports, await ports.tables.findMany(transactionLogTable, keys))));
  }
  return found;
}

/** Each opened by its own leaf: it says what was sealed, or it is left out. */
async function readRows(
  ports: PaymentPorts,
  rows: readonly LoggedTransaction[],
): Promise<readonly ReadableRow[]> {
  const keys = await keysOf(ports, rows);
  return rows.flatMap((row) => {
    const leaf = leafOf(keys, row);
    const transaction = leaf && unlessAltered(() => openTransaction(row, leaf));
    return transaction === undefined ? [] : [{ row, transaction }];
  });
}

/** The key under which a row lies; undefined where it is gone. */
export function leafOf(
  keys: ReadonlyMap<string, DataKey>,
  { format, ingestId, place }: LoggedTransaction,
): Buffer | undefined {
  const seeds = keys.get(ingestId)?.seeds ?? [];
  return seedAt(seeds, { depth: depthOf(format), index: place });
}

/** Keys of the bodies of rows, by ingest; without those that are gone, or cannot be opened. */
export async function keysOf(
  {
    dataKeys,
    tables,
  }: { readonly tables: Pick<Tables, 'findMany'> } & Pick<PaymentPorts, 'dataKeys'>,
  rows: readonly LoggedTransaction[],
): Promise<ReadonlyMap<string, DataKey>> {
  const ids = [...new Set(rows.map(({ ingestId }) => ingestId))];
  const keys = new Map<string, DataKey>();
  for (let from = 0; from < ids.length; from += KEYS_AT_ONCE) {
    const some = ids.slice(from, from + KEYS_AT_ONCE);
    const named = some.map((ingestId) => ({ keyId: ingestKeyId(ingestId) }));
    const found = await tables.findMany(dataKeyTable, named);
    const byId = new Map(found.map((record) => [record.keyId, record]));
    for (const ingestId of some) {
      const record = byId.get(ingestKeyId(ingestId));
      const key = record && unlessAltered(() => dataKeys.open(record));
      if (key !== undefined) keys.set(ingestId, key);
    }
  }
  return keys;
}

/** What was altered past the service is named by `doctor`, and says nothing of anybody. */
function unlessAltered<Read>(read: () => Read): Read | undefined {
  try {
    return read();
  } catch (error) {
    const isAltered = error instanceof DomainError && ALTERED.has(error.code);
    if (isAltered) return undefined;
    throw error;
  }
}

const ALTERED: ReadonlySet<string> = new Set(['blob-damaged', 'evidence-altered']);

/** Numbers in order as runs. */
export function runsOf(numbers: readonly number[]): NumberRuns {
  const runs: [number, number][] = [];
  for (const number of numbers) {
    const last = runs.at(-1);
    if (last !== undefined && last[1] + 1 === number) last[1] = number;
    else runs.push([number, number]);
  }
  return runs;
}

/** The numbers of runs. */
export const numbersIn = (runs: NumberRuns): readonly number[] =>
  runs.flatMap(([first, last]) =>
    Array.from({ length: last - first + 1 }, (_, offset) => first + offset),
  );

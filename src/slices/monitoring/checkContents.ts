/**
 * What stands beside the rows of the log, compared with it and with the chain: a key is gone where
 * an entry has erased its transaction and nowhere else, and the alert of a listed party names each
 * payment in which it was found, and no other.
 */
import type { Erasures } from '#core/audit';
import type { DataKeys } from '#core/blobs';
import { chainOf, everyRecord, type Tables, type TenantId } from '#core/kernel';
import { keysOf, leafOf } from './paymentsOfPerson.ts';
import { ingestTarget } from './readLog.ts';
import { type CheckPorts, checkRows } from './segmentEvidence.ts';
import {
  type LoggedTransaction,
  type TransactionMatch,
  transactionLogTable,
  transactionMatchTable,
} from './tables.ts';

/** What they are compared with. */
export interface ContentPorts {
  readonly dataKeys: Pick<DataKeys, 'open'>;
  readonly erasures: Pick<Erasures, 'partsOfEach'>;
  readonly tables: Pick<Tables, 'findMany' | 'page'>;
}

const PAGE = 1_000;

/** What is wrong with the log of a tenant, in words; how many transactions the chain tells of. */
export async function checkLog(
  ports: ContentPorts & CheckPorts,
  tenantId: TenantId,
): Promise<{ readonly count: number; readonly refusals: readonly string[] }> {
  const { count, refusals } = await checkRows(ports, tenantId);
  return { count, refusals: [...refusals, ...(await checkContents(ports, tenantId, count))] };
}

/** What is wrong with keys and matches of the first `count` transactions, in words. */
async function checkContents(
  ports: ContentPorts,
  tenantId: TenantId,
  count: number,
): Promise<readonly string[]> {
  const refusals: string[] = [];
  let matches = 0;
  for (let from = 1; from <= count; from += PAGE) {
    const { records } = await ports.tables.page(transactionLogTable, {
      equal: { tenantId },
      from,
      index: 'key',
      limit: PAGE,
      to: from + PAGE,
    });
    refusals.push(...(await oddKeys(ports, tenantId, records)));
    const named = records.flatMap(matchesIn);
    matches += named.length;
    refusals.push(...(await missing(ports, named)));
  }
  let stored = 0;
  const ask = { equal: { tenantId }, index: 'key' };
  for await (const _ of everyRecord(ports.tables, transactionMatchTable, ask)) stored++;
  const invented = stored - matches;
  return invented > 0 ? [...refusals, `${invented} matches are of no transaction`] : refusals;
}

async function oddKeys(
  ports: ContentPorts,
  tenantId: TenantId,
  rows: readonly LoggedTransaction[],
): Promise<readonly string[]> {
  const keys = await keysOf(ports, rows);
  const ingests = rows.map(({ ingestId }) => ingestTarget(ingestId));
  const erased = await ports.erasures.partsOfEach(chainOf(tenantId), ingests);
  return rows.flatMap((row) => {
    const isErased = erased.get(ingestTarget(row.ingestId))?.has(row.place) === true;
    const hasKey = leafOf(keys, row) !== undefined;
    if (isErased !== hasKey) return [];
    return isErased
      ? [`transaction ${row.tseq}: it was erased, and its key is there`]
      : [`transaction ${row.tseq}: its key is gone, and no entry has erased it`];
  });
}

/** What a row says that matches have of it. */
const matchesIn = ({ parties = [], tenantId, tseq, txId }: LoggedTransaction) =>
  [...new Set(parties.flatMap(({ screeningId }) => screeningId ?? []))].map((screeningId) => ({
    screeningId,
    tenantId,
    tseq,
    txId,
  }));

async function missing(
  { tables }: Pick<ContentPorts, 'tables'>,
  named: ReturnType<typeof matchesIn>,
): Promise<readonly string[]> {
  if (named.length === 0) return [];
  const keys = named.map(({ txId: _, ...key }) => key);
  const found = await tables.findMany(transactionMatchTable, keys);
  const nameOf = ({ screeningId, tseq, txId }: TransactionMatch): string =>
    [screeningId, tseq, txId].join('/');
  const known = new Set(found.map(nameOf));
  return named
    .filter((one) => !known.has(nameOf(one)))
    .map(({ tseq }) => `transaction ${tseq}: the alert of its listed party does not name it`);
}

/**
 * The log is compared with the chain (decision 3.1b): each segment has a signed entry with the root
 * over its rows. A row that was changed, invented or taken away past the service is found when its
 * segment is read, and all of them by `doctor` and `audit verify --state`.
 */
import {
  type AuditStore,
  entryPages,
  findEntryNear,
  type JsonRecord,
  type KeyRing,
  storedMembers,
  verifiedEvent,
} from '#core/audit';
import { chainOf, DomainError, type PageCursor, type Tables, type TenantId } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import { leafHash, merkleRoot } from '#platform/merkleTree';
import {
  type LoggedTransaction,
  type TransactionState,
  transactionLogHeadTable,
  transactionLogTable,
  transactionStateTable,
} from './tables.ts';

/** What the chain is read with. */
export interface SegmentPorts {
  readonly audit: Pick<AuditStore, 'findBySeq' | 'head' | 'readEvents'>;
  readonly keyRing: KeyRing;
  readonly tables: Pick<Tables, 'page'>;
}

const ACTION = 'aml.transactions.recorded';
/** Rows of one page: a segment has fewer. */
const PAGE = 1_000;

/** The leaf of a row: what was taken, by whatever it is known, and bound to what it says. */
export const logLeaf = (row: LoggedTransaction): Buffer =>
  leafHash(
    canonicalJson({
      commitment: row.commitment,
      content_digest: row.contentDigest,
      format: row.format,
      is_first: row.isFirst,
      ingest_id: row.ingestId,
      place: row.place,
      received_at: row.receivedAt,
      revision: row.revision,
      tseq: row.tseq,
      tx_id: row.txId,
      ...(row.parties === undefined ? { version: 1 } : { parties: row.parties, version: 2 }),
      ...(row.text !== undefined && { text: { ...row.text }, version: 3 }),
    }),
  );

/** Throws `evidence-altered` where the segment of this row is not what was signed. */
export async function requireAsSigned(ports: SegmentPorts, row: LoggedTransaction): Promise<void> {
  const entry = await signedSegment(ports, row);
  const fault = await faultIn(ports, row, entry);
  if (fault !== undefined) throw altered(row, fault);
}

/** The members of a segment's entry, for rows that are all there. Throws as requireAsSigned. */
export async function signedRows(
  ports: SegmentPorts,
  rows: readonly [LoggedTransaction, ...LoggedTransaction[]],
): Promise<JsonRecord> {
  const [row] = rows;
  const entry = await signedSegment(ports, row);
  const fault = faultOf(rows, row.segment, entry);
  if (fault !== undefined) throw altered(row, fault);
  return entry;
}

const altered = ({ tseq }: LoggedTransaction, fault: string): DomainError =>
  new DomainError('evidence-altered', { detail: `transaction ${tseq}: ${fault}` });

async function signedSegment(ports: SegmentPorts, row: LoggedTransaction): Promise<JsonRecord> {
  const chainId = chainOf(row.tenantId);
  const [first, last] = row.segment;
  const event = await findEntryNear(ports.audit, chainId, {
    action: ACTION,
    isIt: (one) => {
      const { tseq_from, tseq_to } = storedMembers(one);
      return tseq_from === first && tseq_to === last;
    },
    near: row.receivedAt,
  });
  const entry = event && verifiedEvent(event, { chainId, keyRing: ports.keyRing });
  if (entry === undefined) throw altered(row, 'it has no signed entry');
  return entry;
}

async function faultIn(
  ports: SegmentPorts,
  { segment: [first, last], tenantId }: Pick<LoggedTransaction, 'segment' | 'tenantId'>,
  entry: JsonRecord,
): Promise<string | undefined> {
  const { records } = await ports.tables.page(transactionLogTable, {
    equal: { tenantId },
    from: first,
    index: 'key',
    limit: PAGE,
    to: last + 1,
  });
  return faultOf(records, [first, last], entry);
}

function faultOf(
  rows: readonly LoggedTransaction[],
  [first, last]: LoggedTransaction['segment'],
  entry: JsonRecord,
): string | undefined {
  if (rows.length !== last - first + 1) return 'rows of its segment are gone';
  const root = merkleRoot(rows.map(logLeaf)).toString('hex');
  return root === entry.leaves_root ? undefined : 'its segment is not what was signed';
}

/** What the whole log is checked with. */
export interface CheckPorts extends SegmentPorts {
  readonly tables: Pick<Tables, 'find' | 'findMany' | 'page'>;
}

/**
 * What is wrong with rows, states and head of a tenant's log, in words; how many transactions the
 * chain tells of. States and the head follow from the log, and the log is compared with the chain.
 */
export async function checkRows(
  ports: CheckPorts,
  tenantId: TenantId,
): Promise<{ readonly count: number; readonly refusals: readonly string[] }> {
  const { count, refusals } = await checkSegments(ports, tenantId);
  const head = await ports.tables.find(transactionLogHeadTable, { log: 'transactions', tenantId });
  const numbering = (head?.tseq ?? 0) === count ? [] : ['the next number is not that of the log'];
  const ask = { equal: { tenantId }, index: 'key', limit: PAGE } as const;
  const odd: string[] = [];
  let after: PageCursor | undefined;
  let states = 0;
  do {
    const page = await ports.tables.page(transactionStateTable, {
      ...ask,
      ...(after && { after }),
    });
    odd.push(...(await oddStates(ports, tenantId, page.records)));
    states += page.records.length;
    after = page.next;
  } while (after !== undefined);
  const known = await countOfIds(ports, tenantId, count);
  const gone = known === states ? [] : [`${known - states} transactions have no state`];
  return { count, refusals: [...refusals, ...numbering, ...odd, ...gone] };
}

async function oddStates(
  { tables }: CheckPorts,
  tenantId: TenantId,
  states: readonly TransactionState[],
): Promise<string[]> {
  const keys = states.map(({ tseq }) => ({ tenantId, tseq }));
  const found = keys.length === 0 ? [] : await tables.findMany(transactionLogTable, keys);
  const rows = new Map(found.map((row) => [row.tseq, row]));
  return states.flatMap(({ contentDigest, format, revision, tseq, txId }) => {
    const row = rows.get(tseq);
    const isLast =
      row?.txId === txId &&
      row.revision === revision &&
      row.format === format &&
      row.contentDigest === contentDigest;
    return isLast ? [] : [`state of transaction ${tseq}: it is not what the log has`];
  });
}

/** Ids that the log tells of: first revisions are of new ids, later ones are not. */
async function countOfIds(
  { tables }: CheckPorts,
  tenantId: TenantId,
  count: number,
): Promise<number> {
  let ids = 0;
  for (let from = 1; from <= count; from += PAGE) {
    const equal = { tenantId };
    const { records } = await tables.page(transactionLogTable, {
      equal,
      from,
      index: 'key',
      limit: PAGE,
      to: from + PAGE,
    });
    ids += records.filter(({ isFirst }) => isFirst).length;
  }
  return ids;
}

/** The segments alone. */
async function checkSegments(
  ports: SegmentPorts,
  tenantId: TenantId,
): Promise<{ readonly count: number; readonly refusals: readonly string[] }> {
  const chainId = chainOf(tenantId);
  const refusals: string[] = [];
  let next = 1;
  for await (const page of entryPages(ports.audit, { action: ACTION, chainId, fromSeq: 1 })) {
    for (const event of page) {
      const entry = verifiedEvent(event, { chainId, keyRing: ports.keyRing });
      if (entry === undefined) {
        refusals.push(`entry seq ${event.seq}: it is not what was signed`);
        continue;
      }
      const segment = [Number(entry.tseq_from), Number(entry.tseq_to)] as const;
      if (segment[0] !== next) refusals.push(`transactions ${next} on: no entry tells of them`);
      const fault = await faultIn(ports, { segment, tenantId }, entry);
      if (fault !== undefined) refusals.push(`transactions ${segment.join(' to ')}: ${fault}`);
      next = segment[1] + 1;
    }
  }
  const { records } = await ports.tables.page(transactionLogTable, {
    equal: { tenantId },
    from: next,
    index: 'key',
    limit: 1,
  });
  if (records.length > 0) refusals.push(`transactions ${next} on: no entry tells of them`);
  return { count: next - 1, refusals };
}

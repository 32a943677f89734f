/** Transactions that a screening's alert is about. */
import { DomainError, type Tables, type TenantId } from '#core/kernel';
import { type TransactionMatch, transactionLogTable, transactionMatchTable } from './tables.ts';

/** Ids that an alert names. */
export const TRIGGERING_MAX = 100;
/** Transactions that are counted. A party that is paid daily has more of them every day. */
const COUNTED_MAX = 1_000;

/** Transactions in which a party was found on a list. */
export interface ScreeningMatches {
  /** The first hundred, in their order. */
  readonly named: readonly TransactionMatch[];
  /** How many there are; a thousand and more are a thousand. */
  readonly count: number;
}

/**
 * Those of a screening. Each that is named is compared with its row of the log, which the roots of
 * segments hold. Throws `evidence-altered` where a row says otherwise, or is gone.
 */
export async function matchesOf(
  { tables }: { readonly tables: Pick<Tables, 'findMany' | 'page'> },
  { screeningId, tenantId }: { readonly tenantId: TenantId; readonly screeningId: string },
): Promise<ScreeningMatches> {
  const { records } = await tables.page(transactionMatchTable, {
    equal: { screeningId, tenantId },
    index: 'key',
    limit: COUNTED_MAX,
  });
  const named = records.slice(0, TRIGGERING_MAX);
  const keys = named.map(({ tseq }) => ({ tenantId, tseq }));
  const rows = await tables.findMany(transactionLogTable, keys);
  const byNumber = new Map(rows.map((row) => [row.tseq, row]));
  for (const { tseq, txId } of named) {
    const { parties = [], ...row } = byNumber.get(tseq) ?? {};
    const isOfIt = parties.some((party) => party.screeningId === screeningId);
    if (isOfIt && 'txId' in row && row.txId === txId) continue;
    const detail = `screening ${screeningId}: transaction ${tseq} is not one of it`;
    throw new DomainError('evidence-altered', { detail });
  }
  return { count: records.length, named };
}

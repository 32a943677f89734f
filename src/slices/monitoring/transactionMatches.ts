/** Transactions that a screening's alert is about. */
import type { Tables, TenantId } from '#core/kernel';
import { type TransactionMatch, transactionMatchTable } from './tables.ts';

/** Ids that an alert names. */
export const TRIGGERING_MAX = 100;

/** The first of them, in their order. */
export async function matchesOf(
  { tables }: { readonly tables: Pick<Tables, 'page'> },
  { screeningId, tenantId }: { readonly tenantId: TenantId; readonly screeningId: string },
): Promise<readonly TransactionMatch[]> {
  const { records } = await tables.page(transactionMatchTable, {
    equal: { screeningId, tenantId },
    index: 'key',
    limit: TRIGGERING_MAX,
  });
  return records;
}

/** What monitoring answers slices to its left. */
import type { ListedPartyPayments } from '#slices/alerts';
import { matchesOf } from '#slices/monitoring';
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

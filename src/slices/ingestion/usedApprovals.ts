/**
 * Approvals that were used, as the entries of the changes tell it. A row says the same, and keeps
 * two requests at once apart; but whoever can write the database could take it away, and the same
 * signature would make its change again within its five minutes.
 */
import {
  type AuditStore,
  entryPages,
  type SealedEvent,
  seqSince,
  storedMembers,
} from '#core/audit';
import { APPROVAL_MS_MAX, type Approval, consumedApprovalTable } from '#core/identity';
import { DomainError, everyRecord, PLATFORM_CHAIN, type Tables } from '#core/kernel';
import type { EpochMs } from '#platform/clock';

/** Entries that each stand for an approval, in the chain of the platform. */
const ACTIONS = ['SANCTIONS_SCHEDULE_CHANGED', 'SANCTIONS_SHRINK_APPROVED'] as const;
/** Rows are kept for longer, so none of an entry this old has been removed by age. */
const ROWS_KEPT_MS = 20 * 3_600_000;

type UsedAudit = Pick<AuditStore, 'findBySeq' | 'head' | 'readEvents'>;

/** Throws `dual-control-replayed` where a change was made by this approval before. */
export async function requireUnused(
  audit: UsedAudit,
  { digest }: Pick<Approval, 'digest'>,
  now: EpochMs,
): Promise<void> {
  // A signed time may lie before or ahead of now.
  const since = (now - 2 * APPROVAL_MS_MAX) as EpochMs;
  for await (const event of approvedSince(audit, since)) {
    if (storedMembers(event).approval_digest !== digest) continue;
    throw new DomainError('dual-control-replayed');
  }
}

/** What is missing of the rows of approvals that were used lately, in words. */
export async function goneApprovals(
  { audit, tables }: { readonly audit: UsedAudit; readonly tables: Pick<Tables, 'page'> },
  now: EpochMs,
): Promise<readonly string[]> {
  const kept = new Set<string>();
  for await (const { digest } of everyRecord(tables, consumedApprovalTable, { index: 'key' })) {
    kept.add(digest);
  }
  const gone: string[] = [];
  for await (const event of approvedSince(audit, (now - ROWS_KEPT_MS) as EpochMs)) {
    const { approval_digest: digest, target } = storedMembers(event);
    // Entries of a former release do not name it.
    if (digest === undefined || kept.has(String(digest))) continue;
    gone.push(`approval of ${target}: that it was used is gone, seq ${event.seq}`);
  }
  return gone;
}

async function* approvedSince(audit: UsedAudit, since: EpochMs): AsyncGenerator<SealedEvent> {
  const chainId = PLATFORM_CHAIN;
  const fromSeq = await seqSince(audit, chainId, since);
  for (const action of ACTIONS) {
    for await (const page of entryPages(audit, { action, chainId, fromSeq })) yield* page;
  }
}

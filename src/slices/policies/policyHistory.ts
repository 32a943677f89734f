/** The policies of a tenant as they are listed: what is in force, the draft, what was before. */
import type { TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { lapse, openDraft, publishedPolicy } from './policyRecord.ts';
import type { PolicyReadPorts } from './ports.ts';
import { type PolicyRecord, policyTable } from './tables.ts';

/** A page of what was before, the newest version first. */
export interface PolicyHistory {
  readonly active: PolicyRecord | undefined;
  readonly drafts: readonly PolicyRecord[];
  readonly history: readonly PolicyRecord[];
  /** Version behind which the next page begins. */
  readonly next: number | undefined;
}

/** Versions after `below`, downwards; a page may have fewer than `limit`, without open ones. */
export async function readPolicies(
  { tables }: Pick<PolicyReadPorts, 'tables'>,
  tenantId: TenantId,
  page: { readonly below?: number; readonly limit: number; readonly now: EpochMs },
): Promise<PolicyHistory> {
  const { below, limit, now } = page;
  const [active, draft, found] = await Promise.all([
    publishedPolicy({ tables }, tenantId),
    openDraft({ tables }, tenantId),
    tables.page(policyTable, {
      direction: 'descending',
      equal: { tenantId },
      index: 'key',
      isWhole: true,
      limit,
      ...(below !== undefined && { after: [tenantId, below] }),
    }),
  ]);
  const isOver = ({ status }: PolicyRecord) => status === 'ARCHIVED' || status === 'DISCARDED';
  return {
    active,
    drafts: draft === undefined ? [] : [lapse(draft, now)],
    history: found.records.filter(isOver),
    next: found.next === undefined ? undefined : found.records.at(-1)?.policyVersion,
  };
}

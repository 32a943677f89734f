/** Policies as a list, latest first; that which ships stands at its end. */
import type { TenantId } from '#core/kernel';
import { SHIPPED_ID } from './inForce.ts';
import { shippedPolicy } from './policyRecord.ts';
import type { RiskReadPorts } from './ports.ts';
import { type RiskPolicy, riskPolicyTable } from './tables.ts';
import type { PolicyStatus } from './words.ts';

/** Which; an absent member matches all. */
export interface ListRiskPolicies {
  readonly tenantId: TenantId;
  readonly status?: PolicyStatus;
  /** Continues behind this one. */
  readonly after?: string;
  readonly limit: number;
}

/** One page; `next` is absent on the last one. */
export interface RiskPoliciesPage {
  readonly policies: readonly RiskPolicy[];
  readonly next?: string;
}

/** Rows as they are stored; whoever opens one gets it as it was signed. */
export async function listRiskPolicies(
  ports: Pick<RiskReadPorts, 'signed' | 'tables'>,
  { after, limit, status, tenantId }: ListRiskPolicies,
): Promise<RiskPoliciesPage> {
  if (after === SHIPPED_ID) return { policies: [] };
  const { records } = await ports.tables.page(riskPolicyTable, {
    direction: 'descending',
    equal: { tenantId, ...(status !== undefined && { status }) },
    index: status === undefined ? 'key' : 'byStatus',
    limit: limit + 1,
    ...(after !== undefined && { after: [tenantId, after] }),
  });
  const shipped = await shippedPolicy(ports, tenantId);
  const isWanted = status === undefined || status === shipped.status;
  const found = records.length > limit || !isWanted ? records : [...records, shipped];
  const policies = found.slice(0, limit);
  const last = policies.at(-1);
  return { policies, ...(found.length > limit && last && { next: last.policyId }) };
}

/** A policy as it is found, named and changed. */
import { DomainError, type TableChange, type TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { SHIPPED_ID, SHIPPED_VERSION } from './inForce.ts';
import { SHIPPED, SHIPPED_HASH } from './policyContent.ts';
import type { RiskReadPorts } from './ports.ts';
import { type PolicyApproval, type RiskPolicy, riskPolicyTable } from './tables.ts';

/** Where a policy is, for a caller of this tenant. */
export interface RiskPolicyPlace {
  readonly tenantId: TenantId;
  readonly policyId: string;
}

/**
 * As it was signed. Throws `policy-unknown`, for another tenant's as for one that does not exist.
 */
export async function requirePolicy(
  ports: Pick<RiskReadPorts, 'signed'>,
  { policyId, tenantId }: RiskPolicyPlace,
): Promise<RiskPolicy> {
  const found =
    policyId === SHIPPED_ID
      ? await shippedPolicy(ports, tenantId)
      : await ports.signed.findPolicy({ policyId, tenantId });
  if (found !== undefined) return found;
  throw new DomainError('policy-unknown', { detail: 'the tenant has no such risk policy' });
}

/** The policy that ships, as if it were stored: in force until another one is. */
export async function shippedPolicy(
  { signed }: Pick<RiskReadPorts, 'signed'>,
  tenantId: TenantId,
): Promise<RiskPolicy> {
  const isReplaced = (await signed.inForce(tenantId)) !== undefined;
  return {
    basedOn: SHIPPED_ID,
    content: SHIPPED,
    contentHash: SHIPPED_HASH,
    createdAt: 0 as EpochMs,
    createdBy: 'system',
    name: 'The policy that ships',
    policyId: SHIPPED_ID,
    policyVersion: SHIPPED_VERSION,
    status: isReplaced ? 'archived' : 'published',
    ...(!isReplaced && { standing: 'in_force' as const }),
    tenantId,
    updatedAt: 0 as EpochMs,
    updatedBy: 'system',
    version: 1,
  };
}

/** Throws `policy-immutable` for what was published, `state-conflict` for what waits to be. */
export function requireEditable({ status }: RiskPolicy): void {
  if (status === 'published' || status === 'archived') {
    throw new DomainError('policy-immutable', { detail: `expected a draft, got ${status}` });
  }
  if (status !== 'PENDING_APPROVAL') return;
  const detail = 'it waits for approval: withdraw it, or have it rejected';
  throw new DomainError('state-conflict', { detail });
}

/** An approval as it stands in evidence; its comment is free text, and stands in the record. */
export const presentApproval = ({
  keyId,
  personId,
  role,
  signature,
  timestamp,
}: PolicyApproval) => ({
  key_id: keyId,
  person_id: personId,
  role,
  signature,
  timestamp,
});

/** Strong entity tag. */
export const policyEtag = ({ version }: Pick<RiskPolicy, 'version'>): string => `"${version}"`;

/** Throws `precondition-failed` where the caller means another revision. */
export function requireEtag(
  record: RiskPolicy,
  isExpected: ((etag: string) => boolean) | undefined,
): void {
  if (isExpected === undefined || isExpected(policyEtag(record))) return;
  throw new DomainError('precondition-failed');
}

/** Members of the next revision; `undefined` takes one away. */
export type PolicyChange = { readonly [Name in keyof RiskPolicy]?: RiskPolicy[Name] | undefined };

/** The record after a change. */
export function nextPolicy(record: RiskPolicy, change: PolicyChange): RiskPolicy {
  const members = Object.entries({ ...record, ...change, version: record.version + 1 });
  return Object.fromEntries(members.filter(([, value]) => value !== undefined)) as never;
}

/** Replaces the record by its next revision. */
export const putPolicy = (before: RiskPolicy, next: RiskPolicy): TableChange =>
  riskPolicyTable.put(next, before.version);

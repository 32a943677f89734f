/**
 * Work that goes over all tenants, of which one that fails stops no other: its chain may be unable
 * to sign, or a record of it altered. What ails the store ails all of them, and ends the run.
 */
import { DomainError, type TenantId } from '#core/kernel';

/** Does a tenant's part; undefined where it failed now, or has failed before in this run. */
export type PerTenant = <Value>(
  tenantId: TenantId,
  work: () => Promise<Value>,
) => Promise<Value | undefined>;

/** A run whose first failure ends it. */
export const allTogether: PerTenant = (_, work) => work();

const OF_ALL: ReadonlySet<string> = new Set(['store-unavailable', 'storage-full']);

/** For one run: a tenant that has failed is told of once, and left out of what is left of it. */
export function eachApart(onFailed: (tenantId: TenantId, error: unknown) => void): PerTenant {
  const failed = new Set<TenantId>();
  return async (tenantId, work) => {
    if (failed.has(tenantId)) return undefined;
    try {
      return await work();
    } catch (error) {
      if (error instanceof DomainError && OF_ALL.has(error.code)) throw error;
      failed.add(tenantId);
      onFailed(tenantId, error);
      return undefined;
    }
  };
}

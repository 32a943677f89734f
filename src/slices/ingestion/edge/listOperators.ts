/**
 * Who may change lists, which belong to no tenant. On premises the installation is one house: the
 * roles of every tenant's people count. Where many tenants share an installation, only those of
 * tenants that the administrator made operators (`tenant set ID lists.operator=true`).
 *
 * A sandbox has only the invented list fetched and changed, in every mode: the others are what live
 * tenants screen by, and a sandbox's key is handed round.
 */
import type { Principal, TenantDirectory } from '#core/identity';
import { DomainError, type SourceId } from '#core/kernel';
import type { DeploymentMode } from '#platform/config';
import { DEMO_SOURCE, operatesLists } from '#slices/ingestion';

export interface ListOperators {
  isOperator(principal: Principal): Promise<boolean>;
  /** Throws `role-insufficient`. */
  require(principal: Principal): Promise<void>;
}

export function createListOperators(options: {
  readonly mode: DeploymentMode;
  readonly tenants: Pick<TenantDirectory, 'settings'>;
}): ListOperators {
  const isOperator = ({ tenantId }: Principal): Promise<boolean> =>
    operatesLists(options, tenantId);
  return {
    isOperator,
    async require(principal) {
      if (await isOperator(principal)) return;
      const detail = 'lists are shared here: expected a tenant that operates them';
      throw new DomainError('role-insufficient', { detail });
    },
  };
}

/** Throws `role-insufficient` where a sandbox would have a list of all fetched, or changed. */
export function refuseSandbox({ environment }: Principal, sourceId: SourceId): void {
  if (environment !== 'sandbox' || sourceId === DEMO_SOURCE) return;
  const detail = `a sandbox fetches and changes only ${DEMO_SOURCE}: expected a live credential`;
  throw new DomainError('role-insufficient', { detail });
}

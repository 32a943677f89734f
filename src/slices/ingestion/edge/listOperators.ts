/**
 * Who may change lists, which belong to no tenant. On premises the installation is one house: the
 * roles of every tenant's people count. Where many tenants share an installation, only those of
 * tenants that the administrator made operators (`tenant set ID lists.operator=true`).
 */
import type { Principal, TenantDirectory } from '#core/identity';
import { DomainError } from '#core/kernel';
import type { DeploymentMode } from '#platform/config';
import { settings } from '../settings.ts';

export interface ListOperators {
  isOperator(principal: Principal): Promise<boolean>;
  /** Throws `role-insufficient`. */
  require(principal: Principal): Promise<void>;
}

export function createListOperators(options: {
  readonly mode: DeploymentMode;
  readonly tenants: Pick<TenantDirectory, 'settings'>;
}): ListOperators {
  const isOperator = async ({ tenantId }: Principal): Promise<boolean> => {
    if (options.mode !== 'managed') return true;
    return (await options.tenants.settings(tenantId)).of(settings).isOperator;
  };
  return {
    isOperator,
    async require(principal) {
      if (await isOperator(principal)) return;
      const detail = 'lists are shared here: expected a tenant that operates them';
      throw new DomainError('role-insufficient', { detail });
    },
  };
}

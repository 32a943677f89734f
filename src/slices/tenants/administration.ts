/** The administrator's functions over one installation; also what a first start is made with. */
import type { AuditLog } from '#core/audit';
import {
  type ApiKeyAdmin,
  createApiKeyAdmin,
  createPersonAdmin,
  createTenantAdmin,
  type IdentityStore,
  type PersonAdmin,
  type SettingsTable,
  type TenantAdmin,
} from '#core/identity';
import type { Clock } from '#platform/clock';
import type { Random } from '#platform/random';
import { firstPolicy, refusePolicySettings } from '#slices/policies';

export interface Administration {
  readonly tenants: TenantAdmin;
  readonly apiKeys: ApiKeyAdmin;
  readonly persons: PersonAdmin;
}

export function createAdministration(parts: {
  readonly audit: AuditLog;
  readonly clock: Clock;
  readonly random: Random;
  readonly settings: SettingsTable;
  readonly store: IdentityStore;
}): Administration {
  const { audit, clock, random, settings, store } = parts;
  const options = {
    clock,
    commit: (...[chainId, commit]: Parameters<AuditLog['commit']>) => audit.commit(chainId, commit),
    random,
    store,
  };
  const tenants = createTenantAdmin({
    ...options,
    beside: (tenant) => firstPolicy({ clock, random, settings }, tenant),
    settings,
  });
  return {
    apiKeys: createApiKeyAdmin(options),
    persons: createPersonAdmin(options),
    tenants: {
      ...tenants,
      setSettings: async (ask) => {
        refusePolicySettings(ask.changes);
        return tenants.setSettings(ask);
      },
    },
  };
}

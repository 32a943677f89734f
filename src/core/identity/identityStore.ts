/** Tenants, keys and persons as identity reads them, over tables of whichever store. */
import { allRecords, type Tables } from '#core/kernel';
import type { IdentityStore } from './ports.ts';
import { apiKeyTable, personTable, tenantTable } from './tables.ts';

/** The store over these tables. What is written is a change of a commit. */
export function identityStore(
  tables: Pick<Tables, 'find' | 'findUnique' | 'page' | 'touch'>,
): IdentityStore {
  return {
    findTenant: (id) => tables.find(tenantTable, { id }),
    listTenants: () => allRecords(tables, tenantTable, { index: 'key' }),
    findApiKeyByHash: (hash) => tables.findUnique(apiKeyTable, 'hash', { hash }),
    listApiKeys: (tenantId) =>
      allRecords(tables, apiKeyTable, { equal: { tenantId }, index: 'byTenant' }),
    touchApiKey: ({ id }, at) => tables.touch(apiKeyTable, { id }, at),
    findPerson: (tenantId, id) => tables.find(personTable, { id, tenantId }),
    listPersons: (tenantId) =>
      allRecords(tables, personTable, { equal: { tenantId }, index: 'key' }),
  };
}

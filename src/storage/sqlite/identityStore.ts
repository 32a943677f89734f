/**
 * Tenants, keys and persons: the reading side of IdentityStore, and the one write outside the
 * evidence, a key's last use. Writes with evidence come as changes of a group.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { ApiKey, IdentityChange, Person, Tenant } from '#core/identity';
import type { TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { parseDocument, wrote } from './rows.ts';

export function identityReader(database: DatabaseSync) {
  const tenant = database.prepare('SELECT document FROM tenant WHERE id = ?');
  const tenants = database.prepare('SELECT document FROM tenant ORDER BY id');
  const keyByHash = database.prepare('SELECT document, last_used_at FROM api_key WHERE hash = ?');
  const keys = database.prepare(
    'SELECT document, last_used_at FROM api_key WHERE tenant_id = ? ORDER BY id',
  );
  const person = database.prepare('SELECT document FROM person WHERE tenant_id = ? AND id = ?');
  const persons = database.prepare('SELECT document FROM person WHERE tenant_id = ? ORDER BY id');

  return {
    findTenant: (id: TenantId): Tenant | undefined => parseDocument(tenant.get(id)),
    listTenants: (): Tenant[] => tenants.all().map((row) => parseDocument<Tenant>(row)),
    findApiKeyByHash: (hash: string): ApiKey | undefined => {
      const row = keyByHash.get(hash);
      return row === undefined ? undefined : toApiKey(row);
    },
    listApiKeys: (tenantId: TenantId): ApiKey[] => keys.all(tenantId).map(toApiKey),
    findPerson: (tenantId: TenantId, id: string): Person | undefined =>
      parseDocument(person.get(tenantId, id)),
    listPersons: (tenantId: TenantId): Person[] =>
      persons.all(tenantId).map((row) => parseDocument<Person>(row)),
  };
}

export function identityWriter(database: DatabaseSync) {
  const touch = database.prepare(
    `UPDATE api_key SET last_used_at = ?3
     WHERE tenant_id = ?1 AND id = ?2 AND coalesce(last_used_at, 0) < ?3`,
  );
  return {
    touchApiKey(tenantId: TenantId, id: string, at: EpochMs): void {
      touch.run(tenantId, id, at);
    },
  };
}

/** The last use stands in its own column, so that it never competes with a change's version. */
function toApiKey(row: Record<string, unknown>): ApiKey {
  const apiKey = parseDocument<ApiKey>(row);
  const lastUsedAt = row.last_used_at;
  return lastUsedAt === null ? apiKey : { ...apiKey, lastUsedAt: lastUsedAt as EpochMs };
}

export function identityChanges(database: DatabaseSync): (change: IdentityChange) => boolean {
  const putTenant = tenantPut(database);
  const putKey = apiKeyPut(database);
  const putPerson = personPut(database);
  const consume = database.prepare(
    `INSERT INTO approval_consumed (tenant_id, digest, expires_at) VALUES (?, ?, ?)
     ON CONFLICT DO NOTHING`,
  );
  return (change) => {
    switch (change.kind) {
      case 'tenant.put':
        return putTenant(change.tenant, change.versionExpected);
      case 'apiKey.put':
        return putKey(change.apiKey, change.versionExpected);
      case 'person.put':
        return putPerson(change.person, change.versionExpected);
      case 'approval.consume':
        return wrote(consume, change.tenantId, change.digest, change.expiresAt);
    }
  };
}

function tenantPut(database: DatabaseSync) {
  const insert = database.prepare(
    'INSERT INTO tenant (id, version, document) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  );
  const update = database.prepare(
    'UPDATE tenant SET version = ?, document = ? WHERE id = ? AND version = ?',
  );
  return (tenant: Tenant, expected: number): boolean => {
    const { id, version } = tenant;
    const document = JSON.stringify(tenant);
    return expected === 0
      ? wrote(insert, id, version, document)
      : wrote(update, version, document, id, expected);
  };
}

function apiKeyPut(database: DatabaseSync) {
  const insert = database.prepare(
    `INSERT INTO api_key (tenant_id, id, hash, version, document) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
  );
  const update = database.prepare(
    `UPDATE OR IGNORE api_key SET hash = ?, version = ?, document = ?
     WHERE tenant_id = ? AND id = ? AND version = ?`,
  );
  return (apiKey: ApiKey, expected: number): boolean => {
    const { id, tenantId, hash, version } = apiKey;
    const document = JSON.stringify(apiKey);
    return expected === 0
      ? wrote(insert, tenantId, id, hash, version, document)
      : wrote(update, hash, version, document, tenantId, id, expected);
  };
}

function personPut(database: DatabaseSync) {
  const insert = database.prepare(
    `INSERT INTO person (tenant_id, id, version, document) VALUES (?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
  );
  const update = database.prepare(
    'UPDATE person SET version = ?, document = ? WHERE tenant_id = ? AND id = ? AND version = ?',
  );
  return (person: Person, expected: number): boolean => {
    const { id, tenantId, version } = person;
    const document = JSON.stringify(person);
    return expected === 0
      ? wrote(insert, tenantId, id, version, document)
      : wrote(update, version, document, tenantId, id, expected);
  };
}

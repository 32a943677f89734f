/** IdentityStore on MongoDB: the reading side, and a key's last use. Writes are in applyChange. */
import type { ApiKey, IdentityStore, Person, Tenant } from '#core/identity';
import type { EpochMs } from '#platform/clock';
import type { Collections, RecordDocument } from './collections.ts';

export function identityStore({ records }: Collections): IdentityStore {
  const { tenant, api_key: apiKey, person } = records;
  return {
    findTenant: async (id) => parse<Tenant>(await tenant.findOne({ _id: id })),
    async listTenants() {
      const found = await tenant.find().sort({ _id: 1 }).toArray();
      return found.map((record) => JSON.parse(record.document) as Tenant);
    },
    async findApiKeyByHash(hash) {
      const found = await apiKey.findOne({ hash });
      return found === null ? undefined : toApiKey(found);
    },
    async listApiKeys(tenantId) {
      return (await apiKey.find({ tenantId }).sort({ _id: 1 }).toArray()).map(toApiKey);
    },
    async touchApiKey(tenantId, id, at) {
      await apiKey.updateOne({ _id: id, tenantId }, { $max: { lastUsedAt: at } });
    },
    findPerson: async (tenantId, id) =>
      parse<Person>(await person.findOne({ _id: `${tenantId}/${id}`, tenantId })),
    async listPersons(tenantId) {
      const found = await person.find({ tenantId }).sort({ _id: 1 }).toArray();
      return found.map((record) => JSON.parse(record.document) as Person);
    },
  };
}

function parse<T>(record: RecordDocument | null): T | undefined {
  return record === null ? undefined : (JSON.parse(record.document) as T);
}

/** The last use stands in its own field, so that it never competes with a change's version. */
function toApiKey({ document, lastUsedAt }: RecordDocument): ApiKey {
  const apiKey = JSON.parse(document) as ApiKey;
  return lastUsedAt === undefined ? apiKey : { ...apiKey, lastUsedAt: lastUsedAt as EpochMs };
}

/** `key create`, `key list`, `key rotate`, `key revoke`: API keys. A key's text is shown once. */
import type { ApiKey, NewApiKey } from '#core/identity';
import { DomainError, type TenantId } from '#core/kernel';
import { type EpochMs, toTimestamp } from '#platform/clock';
import type { Administration } from '#slices/tenants';
import { EXIT, type Given, UsageError } from '../../../cli/command.ts';
import { table } from '../../../cli/output.ts';
import { TENANT } from '../../../cli/ownerOption.ts';
import type { SliceCommand } from '../../processes.ts';
import { administrationOf } from './administrationOf.ts';

const KEY_ID = { name: 'KEY_ID', help: 'from `key list`' };

export const keyCommands: readonly SliceCommand[] = [
  {
    words: 'key create',
    summary: 'Make an API key and print it, this once',
    options: [
      TENANT,
      {
        name: 'roles',
        value: 'A,B',
        required: true,
        help: 'comma-separated, e.g. agent_l1,auditor',
      },
      {
        name: 'scopes',
        value: 'A,B',
        help: 'only these of what the roles may, e.g. screening:write (default: all)',
      },
      { name: 'sandbox', help: "a key of the tenant's sandbox, which is made if it is not there" },
      { name: 'name', value: 'NAME', help: 'to tell keys apart (default: cli)' },
      { name: 'expires', value: 'TIME', help: 'RFC 3339, e.g. 2027-01-31T00:00:00Z' },
    ],
    example: 'key create --tenant 0190… --roles agent_l1,auditor --sandbox',
    async run({ actor, open, output }, given) {
      const expiresAt = readExpiry(given);
      const scopes = given.optional('scopes');
      const { tenants, apiKeys } = await administrationOf(await open());
      const asked = given.value('tenant') as TenantId;
      const tenantId = given.isSet('sandbox')
        ? (await tenants.sandboxOf({ actor, tenantId: asked })).id
        : asked;
      const made = await apiKeys.create({
        actor,
        name: given.optional('name') ?? 'cli',
        roles: namesOf(given.value('roles')),
        tenantId,
        ...(scopes !== undefined && { scopes: namesOf(scopes) }),
        ...(expiresAt !== undefined && { expiresAt }),
      });
      output.result(presentNewKey(made), made.secret.text);
      return EXIT.done;
    },
  },
  {
    words: 'key list',
    summary: "List a tenant's API keys, or everyone's; their texts are stored nowhere",
    options: [{ ...TENANT, required: false, help: 'only this tenant' }],
    example: 'key list --tenant 0190…',
    async run({ open, output }, given) {
      const { tenants, apiKeys } = await administrationOf(await open());
      const only = given.optional('tenant') as TenantId | undefined;
      const ids = only === undefined ? (await tenants.list()).map(({ id }) => id) : [only];
      const keys = (await Promise.all(ids.map((id) => apiKeys.list(id)))).flat();
      const rows = keys.map((key) => [
        key.id,
        key.tenantId,
        `${key.prefix}…`,
        key.roles.join(','),
        key.scopes?.join(',') ?? 'all',
        stateOf(key),
        key.lastUsedAt === undefined ? '–' : toTimestamp(key.lastUsedAt),
        key.name,
      ]);
      output.result(
        { keys: keys.map(presentKey) },
        table(['KEY', 'TENANT', 'PREFIX', 'ROLES', 'SCOPES', 'STATE', 'LAST USED', 'NAME'], rows),
      );
      return EXIT.done;
    },
  },
  {
    words: 'key rotate',
    summary: 'Make a successor with the same roles and scopes; the old key works for 24 hours more',
    positionals: [KEY_ID],
    example: 'key rotate 0190…',
    async run({ actor, open, output }, given) {
      const administration = await administrationOf(await open());
      const key = await findKey(administration, given);
      const made = await administration.apiKeys.rotate({ actor, ...key });
      output.result(presentNewKey(made), made.secret.text);
      return EXIT.done;
    },
  },
  {
    words: 'key revoke',
    summary: 'End an API key, everywhere within two seconds',
    positionals: [KEY_ID],
    example: 'key revoke 0190…',
    async run({ actor, open, output }, given) {
      const administration = await administrationOf(await open());
      const key = await findKey(administration, given);
      const revoked = await administration.apiKeys.revoke({ actor, ...key });
      output.result(presentKey(revoked), `${revoked.id} is revoked`);
      return EXIT.done;
    },
  },
];

const namesOf = (text: string): string[] => text.split(',').map((name) => name.trim());

/** An administrator knows the key's id; whose it is, the store knows. */
async function findKey(
  { apiKeys, tenants }: Administration,
  given: Given,
): Promise<{ id: string; tenantId: TenantId }> {
  const id = given.positionals[0];
  for (const tenant of await tenants.list()) {
    const keys = await apiKeys.list(tenant.id);
    const key = keys.find((one) => one.id === id);
    if (key !== undefined) return { id: key.id, tenantId: key.tenantId };
  }
  throw new DomainError('not-found', { detail: 'no such API key' });
}

function readExpiry(given: Given): EpochMs | undefined {
  const text = given.optional('expires');
  if (text === undefined) return undefined;
  const at = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(text)
    ? Date.parse(text)
    : Number.NaN;
  if (Number.isNaN(at)) throw new UsageError('--expires: expected RFC 3339 with a time zone');
  return at as EpochMs;
}

/** The stored state: the service's clock decides whether an expiry has passed. */
function stateOf(key: ApiKey): string {
  if (key.revokedAt !== undefined) return `revoked ${toTimestamp(key.revokedAt)}`;
  return key.expiresAt === undefined ? 'active' : `until ${toTimestamp(key.expiresAt)}`;
}

const presentNewKey = ({ apiKey, secret }: NewApiKey) => ({
  api_key: secret.text,
  ...presentKey(apiKey),
});

function presentKey(key: ApiKey) {
  return {
    key_id: key.id,
    tenant_id: key.tenantId,
    name: key.name,
    prefix: key.prefix,
    roles: key.roles,
    scopes: key.scopes ?? null,
    created_at: toTimestamp(key.createdAt),
    expires_at: key.expiresAt === undefined ? null : toTimestamp(key.expiresAt),
    revoked_at: key.revokedAt === undefined ? null : toTimestamp(key.revokedAt),
    last_used_at: key.lastUsedAt === undefined ? null : toTimestamp(key.lastUsedAt),
  };
}

/**
 * Tenants: their directory, as every request reads it (at most 2 s old), and their administration.
 */
import { createHash } from 'node:crypto';
import { type Actor, type Commit, type CommitEvidence, entry, type JsonObject } from '#core/audit';
import { chainOf, DomainError, isConflict, type TenantId } from '#core/kernel';
import type { Clock } from '#platform/clock';
import { type Random, uuidV7 } from '#platform/random';
import { createFreshCache, STALENESS_MS_MAX } from './freshCache.ts';
import { checkName } from './names.ts';
import type { IdentityStore, Tenant } from './ports.ts';
import { heldTenant, recordMembers } from './recordEvidence.ts';
import type { SettingValue } from './settingKinds.ts';
import { hostSettings } from './settings.ts';
import type { SettingsTable, TenantSettings } from './settingsTable.ts';
import { fromStore } from './storeFailure.ts';
import { tenantTable } from './tables.ts';

const CACHED_TENANTS_MAX = 10_000;
const HOST_MAP_KEY = 'hosts';

/** Tenants as requests use them; answers are at most STALENESS_MS_MAX old. */
export interface TenantDirectory {
  /** All of them, as the store has them now. Throws `store-unavailable`. */
  list(): Promise<readonly Tenant[]>;
  /** Absent is an answer, not an error. */
  find(id: TenantId): Promise<Tenant | undefined>;
  /** Settings in force now. Throws `credential-invalid` for a tenant that does not exist. */
  settings(id: TenantId): Promise<TenantSettings>;
  /** The tenant that has this branded host name; `host` in lower case, without port. */
  tenantOfHost(host: string): Promise<TenantId | undefined>;
}

/** A directory over the store, cached. A failure of the store is `store-unavailable`. */
export function createTenantDirectory(options: {
  readonly store: IdentityStore;
  readonly clock: Clock;
  readonly settings: SettingsTable;
}): TenantDirectory {
  const { store, clock, settings: table } = options;
  const tenants = createFreshCache({
    clock,
    ageMsMax: STALENESS_MS_MAX,
    entriesMax: CACHED_TENANTS_MAX,
    load: async (id) => {
      const tenant = await fromStore(store.findTenant(id as TenantId));
      if (tenant === undefined) return undefined;
      return { tenant, settings: table.resolve(tenant.settings) };
    },
  });
  const hosts = createFreshCache({
    clock,
    ageMsMax: STALENESS_MS_MAX,
    entriesMax: 1,
    load: async () => {
      const byHost = new Map<string, TenantId>();
      for (const { id, settings } of await fromStore(store.listTenants())) {
        for (const host of table.resolve(settings).of(hostSettings)) byHost.set(host, id);
      }
      return byHost;
    },
  });

  return {
    find: async (id) => (await tenants.get(id))?.tenant,
    list: () => fromStore(store.listTenants()),
    async settings(id) {
      const found = await tenants.get(id);
      if (found === undefined) throw new DomainError('credential-invalid');
      return found.settings;
    },
    tenantOfHost: async (host) => (await hosts.get(HOST_MAP_KEY)).get(host),
  };
}

/**
 * The tenant id of a live tenant's sandbox. It is computed from the live tenant's id: nothing has
 * to be remembered, and two administrators cannot make two sandboxes. UUID version 8 (RFC 9562).
 */
export function sandboxTenantId(live: TenantId): TenantId {
  const digest = createHash('sha256').update(`tenant-sandbox-v1\0${live}`).digest();
  digest.writeUInt8((digest.readUInt8(6) & 0x0f) | 0x80, 6);
  digest.writeUInt8((digest.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = digest.toString('hex', 0, 16);
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5') as TenantId;
}

/** Tenants as an administrator manages them. Every change leaves an audit entry. */
export interface TenantAdmin {
  create(ask: { name: string; kind: 'live' | 'sandbox'; actor: Actor }): Promise<Tenant>;
  /** The tenant itself if it is a sandbox; otherwise its sandbox, which the first call makes. */
  sandboxOf(ask: { tenantId: TenantId; actor: Actor }): Promise<Tenant>;
  /** Changes all keys in one step; null returns a key to its default. */
  setSettings(ask: {
    tenantId: TenantId;
    changes: Readonly<Record<string, SettingValue | null>>;
    actor: Actor;
  }): Promise<Tenant>;
  /**
   * Gives every tenant what this release gives (SettingGroup.release), with an entry in its chain;
   * returns how many had it not. A tenant that somebody else changes meanwhile is left to the next
   * call.
   */
  adoptRelease(ask: { actor: Actor }): Promise<number>;
  list(): Promise<readonly Tenant[]>;
}

type Verb = 'created' | 'settings_changed';

/** The administration of tenants over a store; changes go through `commit`. */
export function createTenantAdmin(options: {
  readonly store: IdentityStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly commit: CommitEvidence;
  readonly settings: SettingsTable;
  /** What a new tenant is made with beside its record, in the same commit. */
  readonly beside?: (tenant: Tenant) => Pick<Commit, 'changes' | 'events'>;
}): TenantAdmin {
  const { beside, store, clock, random, settings: table } = options;

  const change = (
    tenant: Tenant,
    settings: Tenant['settings'],
    { actor, keys }: { readonly actor: Actor; readonly keys: readonly string[] },
  ) => {
    const open = { after: pick(settings, keys), before: pick(tenant.settings, keys) };
    const next = { ...tenant, settings, version: tenant.version + 1 };
    return saveTenant(options, next, { actor, open, verb: 'settings_changed' });
  };

  const make = (id: TenantId, name: string, kind: Tenant['kind'], actor: Actor) => {
    const settings = table.ofNewTenant();
    const tenant: Tenant = { id, name, kind, settings, createdAt: clock.now(), version: 1 };
    const open = { kind, name };
    return saveTenant(options, tenant, { actor, open, verb: 'created', ...beside?.(tenant) });
  };

  return {
    create: async ({ name, kind, actor }) =>
      make(uuidV7(clock.now(), random) as TenantId, checkName(name), kind, actor),

    async sandboxOf({ tenantId, actor }) {
      const tenant = await tenantOf(store, tenantId);
      if (tenant.kind === 'sandbox') return tenant;
      const id = sandboxTenantId(tenantId);
      const made = await fromStore(store.findTenant(id));
      return made ?? make(id, `${tenant.name} (sandbox)`, 'sandbox', actor);
    },

    async setSettings({ tenantId, changes, actor }) {
      const tenant = await tenantOf(store, tenantId);
      const settings = table.change(tenant.settings, changes);
      await refuseTakenHosts(options, tenant, settings);
      return change(tenant, settings, { actor, keys: Object.keys(changes) });
    },

    adoptRelease: async ({ actor }) =>
      countAdopted(await fromStore(store.listTenants()), (tenant) => {
        const settings = table.adopt(tenant.settings);
        return settings && change(tenant, settings, { actor, keys: Object.keys(table.release) });
      }),

    list: () => fromStore(store.listTenants()),
  };
}

/** Commits a tenant with its entry, and with what comes beside it. */
async function saveTenant(
  {
    clock,
    commit,
    random,
  }: Pick<Parameters<typeof createTenantAdmin>[0], 'clock' | 'commit' | 'random'>,
  tenant: Tenant,
  of: {
    readonly actor: Actor;
    readonly open: JsonObject;
    readonly verb: Verb;
  } & Partial<Pick<Commit, 'changes' | 'events'>>,
): Promise<Tenant> {
  const { actor, changes = [], events = [], open, verb } = of;
  const event = entry(
    { clock, random },
    {
      action: `identity.tenant.${verb}`,
      actor,
      members: recordMembers(heldTenant(tenant)),
      target: `tenant:${tenant.id}`,
      open,
    },
  );
  const change = tenantTable.put(tenant, tenant.version - 1);
  await commit(chainOf(tenant.id), {
    bus: [],
    changes: [change, ...changes],
    events: [event, ...events],
  });
  return tenant;
}

async function tenantOf(store: IdentityStore, id: TenantId): Promise<Tenant> {
  const tenant = await fromStore(store.findTenant(id));
  if (tenant === undefined) throw new DomainError('not-found', { detail: 'no such tenant' });
  return tenant;
}

/** How many tenants are changed; one that somebody else changes meanwhile is not. */
async function countAdopted(
  tenants: readonly Tenant[],
  adopt: (tenant: Tenant) => Promise<Tenant> | undefined,
): Promise<number> {
  let adopted = 0;
  for (const tenant of tenants) {
    adopted += await Promise.resolve(adopt(tenant)).then((made) => (made ? 1 : 0), unlessConflict);
  }
  return adopted;
}

function unlessConflict(error: unknown): number {
  if (isConflict(error)) return 0;
  throw error;
}

/** Refuses a host name that another tenant has: it would resolve to either. */
async function refuseTakenHosts(
  { store, settings: table }: { readonly store: IdentityStore; readonly settings: SettingsTable },
  tenant: Tenant,
  settings: Tenant['settings'],
): Promise<void> {
  const hosts = table.resolve(settings).of(hostSettings);
  if (hosts.length === 0) return;
  for (const other of await fromStore(store.listTenants())) {
    if (other.id === tenant.id) continue;
    const theirs = table.resolve(other.settings).of(hostSettings);
    if (hosts.some((host) => theirs.includes(host))) {
      throw new DomainError('setting-invalid', { detail: 'hosts: one belongs to another tenant' });
    }
  }
}

function pick(settings: Tenant['settings'], keys: readonly string[]) {
  return Object.fromEntries(keys.map((key) => [key, settings[key] ?? null]));
}

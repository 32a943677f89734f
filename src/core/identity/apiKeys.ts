/**
 * API keys: authentication, and the administrator's create, rotate and revoke.
 *
 * A key is looked up by hash and compared once more in constant time, because the store's index is
 * not a comparison of secrets. The lookup is cached for at most 2 s, since every request needs it.
 * A rotated key keeps working for 24 h beside its successor: `expiresAt` of the old one moves.
 */
import { type Actor, type CommitEvidence, type Entry, entry } from '#core/audit';
import { chainOf, DomainError, type TenantId } from '#core/kernel';
import type { Clock, EpochMs } from '#platform/clock';
import { constantTimeEqual } from '#platform/crypto';
import { type Random, uuidV7 } from '#platform/random';
import { type ApiKeySecret, generateApiKey, readApiKey } from './apiKeyFormat.ts';
import { createFreshCache, STALENESS_MS_MAX } from './freshCache.ts';
import { checkName } from './names.ts';
import type { ApiKey, IdentityStore, Principal, Role } from './ports.ts';
import { heldApiKey, recordMembers } from './recordEvidence.ts';
import { KEY_ROLES, requireKeyRoles } from './roles.ts';
import { requireScopes, type Scope } from './scopes.ts';
import { fromStore } from './storeFailure.ts';
import { apiKeyTable } from './tables.ts';

/** How long a rotated key keeps working beside its successor, in milliseconds. */
export const ROTATION_OVERLAP_MS = 24 * 3_600_000;
const TOUCH_INTERVAL_MS = 60_000;
const CACHED_KEYS_MAX = 20_000;

interface ApiKeyDirectoryOptions {
  readonly store: IdentityStore;
  readonly clock: Clock;
  /** `lastUsedAt` could not be written. This deserves a line in the log, never a failed request. */
  onTouchFailed(error: unknown): void;
}

/** API keys as requests use them. */
export interface ApiKeyDirectory {
  /** The caller behind the text of a key. Throws `credential-invalid` or `credential-expired`. */
  authenticate(text: string): Promise<Principal>;
}

/**
 * A directory over the store; answers are at most STALENESS_MS_MAX old. `lastUsedAt` of a key is
 * saved about once a minute.
 */
export function createApiKeyDirectory(options: ApiKeyDirectoryOptions): ApiKeyDirectory {
  const { store, clock } = options;
  const keys = createFreshCache({
    clock,
    ageMsMax: STALENESS_MS_MAX,
    entriesMax: CACHED_KEYS_MAX,
    load: (hash) => fromStore(store.findApiKeyByHash(hash)),
  });
  const touchedAt = new Map<string, EpochMs>();

  const touch = (key: ApiKey, now: EpochMs): void => {
    const last = Math.max(touchedAt.get(key.id) ?? 0, key.lastUsedAt ?? 0);
    if (now - last < TOUCH_INTERVAL_MS) return;
    if (touchedAt.size >= CACHED_KEYS_MAX) touchedAt.clear();
    touchedAt.set(key.id, now);
    store.touchApiKey(key, now).catch(options.onTouchFailed);
  };

  return {
    async authenticate(text) {
      const presented = readApiKey(text);
      if (presented === undefined) throw new DomainError('credential-invalid');
      const key = await keys.get(presented.hash);
      if (key === undefined || !constantTimeEqual(key.hash, presented.hash)) {
        throw new DomainError('credential-invalid');
      }
      const now = clock.now();
      if (key.revokedAt !== undefined) throw new DomainError('credential-invalid');
      if (key.expiresAt !== undefined && key.expiresAt <= now) {
        throw new DomainError('credential-expired');
      }
      touch(key, now);
      return {
        tenantId: key.tenantId,
        kind: 'api-key',
        id: key.id,
        roles: key.roles.filter((role) => KEY_ROLES.includes(role)),
        ...(key.scopes !== undefined && { scopes: key.scopes }),
        mfa: false,
        environment: presented.environment,
        ...(key.expiresAt !== undefined && { expiresAt: key.expiresAt }),
      };
    },
  };
}

interface ApiKeyAdminOptions {
  readonly store: IdentityStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly commit: CommitEvidence;
}

/** A key just made: its secret text, shown once, and its record. */
export interface NewApiKey {
  readonly secret: ApiKeySecret;
  readonly apiKey: ApiKey;
}

/** API keys as an administrator manages them. Every change leaves an audit entry. */
export interface ApiKeyAdmin {
  /**
   * Makes a key of the tenant's environment: a sandbox tenant gets `cp_test_`. The text is shown
   * once. Throws `not-found` for an unknown tenant, `setting-invalid` for a wrong name, role, scope
   * or expiry.
   */
  create(ask: {
    tenantId: TenantId;
    roles: readonly string[];
    /** Absent: whatever the roles may. */
    scopes?: readonly string[];
    name: string;
    expiresAt?: EpochMs;
    actor: Actor;
  }): Promise<NewApiKey>;
  /**
   * Makes a successor with the same roles, scopes and name. The old key ends in 24 h, or earlier if
   * it would have. Throws `state-conflict` for a key that is revoked or expired.
   */
  rotate(ask: { tenantId: TenantId; id: string; actor: Actor }): Promise<NewApiKey>;
  /** Revokes everywhere within 2 s. Revoking twice is no error. */
  revoke(ask: { tenantId: TenantId; id: string; actor: Actor }): Promise<ApiKey>;
  list(tenantId: TenantId): Promise<readonly ApiKey[]>;
}

/** The administration of API keys over a store; changes go through `commit`. */
export function createApiKeyAdmin(options: ApiKeyAdminOptions): ApiKeyAdmin {
  const { store, clock, commit } = options;

  const find = async (tenantId: TenantId, id: string): Promise<ApiKey> => {
    const found = (await fromStore(store.listApiKeys(tenantId))).find((key) => key.id === id);
    if (found === undefined) throw new DomainError('not-found', { detail: 'no such API key' });
    return found;
  };

  return {
    async create(ask) {
      const tenant = await fromStore(store.findTenant(ask.tenantId));
      if (tenant === undefined) throw new DomainError('not-found', { detail: 'no such tenant' });
      if (ask.expiresAt !== undefined && ask.expiresAt <= clock.now()) {
        throw new DomainError('setting-invalid', {
          detail: 'expires_at: expected a later instant',
        });
      }
      const made = makeKey(options, tenant.kind, {
        tenantId: tenant.id,
        roles: requireKeyRoles(ask.roles),
        ...(ask.scopes !== undefined && { scopes: requireScopes(ask.scopes) }),
        name: checkName(ask.name),
        expiresAt: ask.expiresAt,
      });
      const created = entryOf('created', made.apiKey, { actor: ask.actor });
      await commit(chainOf(tenant.id), {
        bus: [],
        changes: [put(made.apiKey)],
        events: [entry(options, created)],
      });
      return made;
    },

    async rotate({ tenantId, id, actor }) {
      const old = await find(tenantId, id);
      const now = clock.now();
      if (old.revokedAt !== undefined || (old.expiresAt ?? Infinity) <= now) {
        throw new DomainError('state-conflict', { detail: 'the key is revoked or expired' });
      }
      const environment = old.prefix.startsWith('cp_live_') ? 'live' : 'sandbox';
      const made = makeKey(options, environment, { ...old, expiresAt: undefined });
      const endsAt = Math.min(now + ROTATION_OVERLAP_MS, old.expiresAt ?? Infinity) as EpochMs;
      const ending: ApiKey = { ...old, expiresAt: endsAt, version: old.version + 1 };
      const rotated = entryOf('rotated', ending, { actor, successor: made.apiKey });
      await commit(chainOf(tenantId), {
        bus: [],
        changes: [put(made.apiKey), put(ending)],
        events: [entry(options, rotated)],
      });
      return made;
    },

    async revoke({ tenantId, id, actor }) {
      const key = await find(tenantId, id);
      if (key.revokedAt !== undefined) return key;
      const revoked: ApiKey = { ...key, revokedAt: clock.now(), version: key.version + 1 };
      await commit(chainOf(tenantId), {
        bus: [],
        changes: [put(revoked)],
        events: [entry(options, entryOf('revoked', revoked, { actor }))],
      });
      return revoked;
    },

    list: (tenantId) => fromStore(store.listApiKeys(tenantId)),
  };
}

function makeKey(
  context: { readonly clock: Clock; readonly random: Random },
  environment: 'live' | 'sandbox',
  of: {
    readonly tenantId: TenantId;
    readonly roles: readonly Role[];
    readonly scopes?: readonly Scope[];
    readonly name: string;
    readonly expiresAt: EpochMs | undefined;
  },
): NewApiKey {
  const now = context.clock.now();
  const secret = generateApiKey(environment, context.random);
  const apiKey: ApiKey = {
    id: uuidV7(now, context.random),
    tenantId: of.tenantId,
    hash: secret.hash,
    prefix: secret.prefix,
    name: of.name,
    roles: of.roles,
    ...(of.scopes !== undefined && { scopes: of.scopes }),
    createdAt: now,
    ...(of.expiresAt === undefined ? {} : { expiresAt: of.expiresAt }),
    version: 1,
  };
  return { secret, apiKey };
}

/** The change that stores a key: version 1 inserts it. */
const put = (apiKey: ApiKey) => apiKeyTable.put(apiKey, apiKey.version - 1);

function entryOf(
  verb: 'created' | 'rotated' | 'revoked',
  key: ApiKey,
  { actor, successor }: { readonly actor: Actor; readonly successor?: ApiKey },
): Entry {
  const records = [key, ...(successor ? [successor] : [])].map(heldApiKey);
  return {
    action: `identity.api_key.${verb}`,
    actor,
    members: recordMembers(...records),
    target: `api_key:${key.id}`,
    open: {
      name: key.name,
      prefix: key.prefix,
      roles: key.roles,
      ...(key.scopes !== undefined && { scopes: key.scopes }),
      ...(successor && { successor: successor.id }),
    },
  };
}

/**
 * The identity ports in memory, and a clock that the test moves. The real stores have a suite of
 * their own.
 */
import { type Commit, type CommitEvidence, StaleChange } from '#core/audit';
import {
  type ApiKey,
  type IdentityChange,
  type IdentityStore,
  type Person,
  SettingsTable,
  type Tenant,
} from '#core/identity';
import { DomainError, type TenantId } from '#core/kernel';
import type { Clock, EpochMs } from '#platform/clock';
import { systemRandom } from '#platform/random';
import { SETTINGS } from '../../../src/app/sliceRows.ts';

export const settings = new SettingsTable(SETTINGS);
export const START = Date.UTC(2026, 0, 2, 3, 4, 5) as EpochMs;

export function movableClock() {
  let passedMs = 0;
  const clock: Clock = {
    monotonicMs: () => passedMs,
    now: () => (START + passedMs) as EpochMs,
  };
  return {
    clock,
    pass: (ms: number) => {
      passedMs += ms;
    },
  };
}

export function memoryIdentity() {
  const tenants = new Map<string, Tenant>();
  const apiKeys = new Map<string, ApiKey>();
  const persons = new Map<string, Person>();
  const consumed = new Set<string>();
  const commits: Commit[] = [];
  const calls: string[] = [];
  const state = { down: false };

  const answer = async <Value>(call: string, value: () => Value): Promise<Value> => {
    calls.push(call);
    if (state.down) throw new Error('store is down');
    return value();
  };
  const store: IdentityStore = {
    findTenant: (id) => answer('findTenant', () => tenants.get(id)),
    listTenants: () => answer('listTenants', () => [...tenants.values()]),
    findApiKeyByHash: (hash) =>
      answer('findApiKeyByHash', () => [...apiKeys.values()].find((key) => key.hash === hash)),
    listApiKeys: (tenantId) =>
      answer('listApiKeys', () => [...apiKeys.values()].filter((key) => key.tenantId === tenantId)),
    touchApiKey: (_tenantId, id, at) =>
      answer('touchApiKey', () => {
        const key = apiKeys.get(id);
        if (key !== undefined) apiKeys.set(id, { ...key, lastUsedAt: at });
      }),
    findPerson: (tenantId, id) =>
      answer('findPerson', () => {
        const person = persons.get(id);
        return person?.tenantId === tenantId ? person : undefined;
      }),
    listPersons: (tenantId) =>
      answer('listPersons', () => [...persons.values()].filter((one) => one.tenantId === tenantId)),
  };

  const put = <Item extends { readonly version: number }>(
    items: Map<string, Item>,
    item: Item & { readonly id: string },
    versionExpected: number,
  ): void => {
    const version = items.get(item.id)?.version ?? 0;
    if (version !== versionExpected) throw new StaleChange(0);
    items.set(item.id, item);
  };
  const apply = (change: IdentityChange): void => {
    if (change.kind === 'tenant.put') put(tenants, change.tenant, change.versionExpected);
    else if (change.kind === 'apiKey.put') put(apiKeys, change.apiKey, change.versionExpected);
    else if (change.kind === 'person.put') put(persons, change.person, change.versionExpected);
    else {
      const key = `${change.tenantId}:${change.digest}`;
      if (consumed.has(key)) throw new StaleChange(0);
      consumed.add(key);
    }
  };
  const commit: CommitEvidence = async (_chainId, made) => {
    for (const change of made.changes) apply(change as IdentityChange);
    commits.push(made);
  };
  return { apiKeys, calls, commit, commits, persons, state, store, tenants };
}

export function tenantOf(id: string, given: Partial<Tenant> = {}): Tenant {
  return {
    id: id as TenantId,
    name: 'Acme',
    kind: 'live',
    settings: {},
    createdAt: START,
    version: 1,
    ...given,
  };
}

export const LIVE_TENANT = tenantOf('018f0000-0000-7000-8000-000000000001');
export const OTHER_TENANT = tenantOf('018f0000-0000-7000-8000-000000000002');
export const random = systemRandom;

/** The code of the DomainError that the promise rejects with. */
export async function codeOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof DomainError) return error.code;
    throw error;
  }
  return 'none';
}

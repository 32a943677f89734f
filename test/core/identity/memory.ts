/** Identity in memory, and a clock that the test moves. */
import {
  apiKeyTable,
  consumedApprovalTable,
  identityStore,
  personTable,
  SettingsTable,
  type Tenant,
  tenantTable,
} from '#core/identity';
import { DomainError, type Tables, type TenantId } from '#core/kernel';
import type { Clock, EpochMs } from '#platform/clock';
import { systemRandom } from '#platform/random';
import { SETTINGS } from '../../../src/app/sliceRows.ts';
import { modelHouse } from '../../storage/modelHouse.ts';

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

/** Identity over a model of its tables. `state.down` takes the store away. */
export function memoryIdentity() {
  const house = modelHouse([apiKeyTable, consumedApprovalTable, personTable, tenantTable]);
  const calls: string[] = [];
  const state = { down: false };
  const tables = new Proxy(house.tables, {
    get:
      (target, name: keyof Tables) =>
      async (...args: readonly unknown[]) => {
        calls.push(name);
        if (state.down) throw new Error('store is down');
        return (target[name] as (...given: readonly unknown[]) => unknown)(...args);
      },
  });
  return { ...house, calls, state, store: identityStore(tables) };
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

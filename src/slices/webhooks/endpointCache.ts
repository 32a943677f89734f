/**
 * All endpoints in memory, read anew when the store's stamp says that one has changed: events and
 * attempts look at them far more often than people change them.
 */
import { allRecords, type Tables, type TenantId } from '#core/kernel';
import type { Clock } from '#platform/clock';
import type { KnownEndpoints } from './fanOut.ts';
import { endpointTable, type WebhookEndpoint } from './tables.ts';

/** Milliseconds between two looks at the stamp. */
const LOOK_MS = 250;
const STAMP = 'webhook_endpoints';

/** The endpoints of all tenants, at most LOOK_MS old. */
export interface EndpointCache extends KnownEndpoints {
  find(tenantId: TenantId, endpointId: string): Promise<WebhookEndpoint | undefined>;
}

type ByTenant = ReadonlyMap<TenantId, readonly WebhookEndpoint[]>;

export function createEndpointCache(ports: {
  readonly tables: Pick<Tables, 'page' | 'stamp'>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
}): EndpointCache {
  const { clock, tables } = ports;
  let known: ByTenant = new Map();
  let stamp = -1;
  let lookedMs = Number.NEGATIVE_INFINITY;
  let looking: Promise<ByTenant> | undefined;

  const look = async (): Promise<ByTenant> => {
    const atMs = clock.monotonicMs();
    const now = await tables.stamp(STAMP);
    if (now !== stamp) {
      known = byTenant(await allRecords(tables, endpointTable, { index: 'key' }));
      // As it was before the read: a change meanwhile is seen by the next look.
      stamp = now;
    }
    lookedMs = atMs;
    return known;
  };
  const current = (): Promise<ByTenant> | ByTenant => {
    if (clock.monotonicMs() - lookedMs < LOOK_MS) return known;
    looking ??= look().finally(() => {
      looking = undefined;
    });
    return looking;
  };

  return {
    async find(tenantId, endpointId) {
      const endpoints = (await current()).get(tenantId) ?? [];
      return endpoints.find((endpoint) => endpoint.endpointId === endpointId);
    },
    of: async (tenantId) => (await current()).get(tenantId) ?? [],
    tenants: async () => [...(await current()).keys()],
  };
}

function byTenant(endpoints: readonly WebhookEndpoint[]): ByTenant {
  const tenants = new Map<TenantId, WebhookEndpoint[]>();
  for (const endpoint of endpoints) {
    const others = tenants.get(endpoint.tenantId);
    if (others === undefined) tenants.set(endpoint.tenantId, [endpoint]);
    else others.push(endpoint);
  }
  return tenants;
}

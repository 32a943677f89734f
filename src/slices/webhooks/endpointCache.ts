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
/** Milliseconds by which the clocks of two hosts may differ. */
const CLOCKS_APART_MS = 250;
const STAMP = 'webhook_endpoints';

/** The endpoints of all tenants, at most LOOK_MS old. */
export interface EndpointCache extends KnownEndpoints {
  /** One that is not there, or is disabled, is so now: what waits for it ends by that. */
  find(tenantId: TenantId, endpointId: string): Promise<WebhookEndpoint | undefined>;
}

type ByTenant = ReadonlyMap<TenantId, readonly WebhookEndpoint[]>;

export function createEndpointCache(ports: {
  readonly tables: Pick<Tables, 'find' | 'page' | 'stamp'>;
  readonly clock: Pick<Clock, 'monotonicMs' | 'now'>;
}): EndpointCache {
  const { clock, tables } = ports;
  let known: ByTenant = new Map();
  let stamp = -1;
  let lookedMs = Number.NEGATIVE_INFINITY;
  let lookedAt = 0;
  let looking: Promise<ByTenant> | undefined;

  const look = async (): Promise<ByTenant> => {
    const atMs = clock.monotonicMs();
    const at = clock.now();
    const now = await tables.stamp(STAMP);
    if (now !== stamp) {
      known = byTenant(await allRecords(tables, endpointTable, { index: 'key' }));
      // As it was before the read: a change meanwhile is seen by the next look.
      stamp = now;
    }
    lookedMs = atMs;
    lookedAt = at;
    return known;
  };
  const afresh = (): Promise<ByTenant> => {
    looking ??= look().finally(() => {
      looking = undefined;
    });
    return looking;
  };
  const current = (since = 0): Promise<ByTenant> | ByTenant => {
    const isNewer = lookedAt > since + CLOCKS_APART_MS || since === 0;
    if (isNewer && clock.monotonicMs() - lookedMs < LOOK_MS) return known;
    // A look under way may have begun before what is asked about.
    return looking !== undefined && since > 0 ? looking.then(afresh, afresh) : afresh();
  };

  return {
    async find(tenantId, endpointId) {
      const endpoints = (await current()).get(tenantId) ?? [];
      const found = endpoints.find((endpoint) => endpoint.endpointId === endpointId);
      if (found !== undefined && found.disabledReason === undefined) return found;
      return tables.find(endpointTable, { endpointId, tenantId });
    },
    of: async (tenantId, since) => (await current(since)).get(tenantId) ?? [],
    tenants: async (since) => [...(await current(since)).keys()],
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

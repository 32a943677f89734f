/**
 * All endpoints in memory, read anew when the store's stamp says that one has changed: events and
 * attempts look at them far more often than people change them. Each is compared with its signed
 * entry before it is handed out; one that is not what was signed says so.
 */
import { allRecords, type Tables, type TenantId } from '#core/kernel';
import type { Clock } from '#platform/clock';
import type { KnownEndpoint, KnownEndpoints } from './fanOut.ts';
import type { FoundEndpoint, SignedEndpoints } from './signedEndpoints.ts';
import { endpointTable, type WebhookEndpoint } from './tables.ts';

/** Milliseconds between two looks at the stamp. */
const LOOK_MS = 250;
/** Milliseconds by which the clocks of two hosts may differ. */
const CLOCKS_APART_MS = 250;
/** Milliseconds before an endpoint that is not what was signed is compared anew. */
const ALTERED_MS = 5_000;
const STAMP = 'webhook_endpoints';

/** The endpoints of all tenants, at most LOOK_MS old. */
export interface EndpointCache extends KnownEndpoints {
  /** One that is not there, or is disabled, is so now: what waits for it ends by that. */
  find(
    tenantId: TenantId,
    endpointId: string,
  ): Promise<Pick<KnownEndpoint, 'isAltered'> & { endpoint: WebhookEndpoint | undefined }>;
}

type EndpointPlace = Pick<WebhookEndpoint, 'endpointId' | 'tenantId'>;
type ByTenant = ReadonlyMap<TenantId, readonly WebhookEndpoint[]>;

export interface EndpointCachePorts {
  readonly tables: Pick<Tables, 'find' | 'page' | 'stamp'>;
  readonly clock: Pick<Clock, 'monotonicMs' | 'now'>;
  readonly signed: Pick<SignedEndpoints, 'find' | 'judge'>;
  /** Says once in a while which endpoint is not what was signed, and why. */
  readonly onAltered?: (place: EndpointPlace, refusal: string) => void;
}

export function createEndpointCache(ports: EndpointCachePorts): EndpointCache {
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

  const judged = judging(ports);

  return {
    async find(tenantId, endpointId) {
      const endpoints = (await current()).get(tenantId) ?? [];
      const found = endpoints.find((endpoint) => endpoint.endpointId === endpointId);
      const isNow = found !== undefined && found.disabledReason === undefined;
      const { found: endpoint, refusal } = await judged(
        { endpointId, tenantId },
        isNow ? found : undefined,
      );
      return { endpoint, isAltered: refusal !== undefined };
    },
    async of(tenantId, since) {
      const endpoints = (await current(since)).get(tenantId) ?? [];
      const all = await Promise.all(endpoints.map((one) => judged(one, one)));
      return all.flatMap(({ found, refusal }) =>
        found === undefined ? [] : [{ endpoint: found, isAltered: refusal !== undefined }],
      );
    },
    tenants: async (since) => [...(await current(since)).keys()],
  };
}

/** Says of an endpoint what its entry says; one that is altered is not compared at each look. */
function judging({ clock, onAltered, signed }: EndpointCachePorts) {
  const altered = new Map<string, FoundEndpoint & { readonly untilMs: number }>();
  return async (
    place: EndpointPlace,
    known: WebhookEndpoint | undefined,
  ): Promise<FoundEndpoint> => {
    const { endpointId } = place;
    const told = altered.get(endpointId);
    if (told !== undefined && clock.monotonicMs() < told.untilMs) return told;
    altered.delete(endpointId);
    const found = await (known ? signed.judge(known) : signed.find(place));
    if (found.refusal === undefined) return found;
    altered.set(endpointId, { ...found, untilMs: clock.monotonicMs() + ALTERED_MS });
    onAltered?.(place, `webhook endpoint ${endpointId}: ${found.refusal}`);
    return found;
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

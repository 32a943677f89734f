/**
 * How many attempts may be under way: of an endpoint, of a tenant, of this worker. Tenants take
 * turns, and none takes more than half of what is free, so those whose endpoints hang leave room
 * for the others.
 */
import type { TenantId } from '#core/kernel';
import { IN_FLIGHT_ENDPOINT_MAX, IN_FLIGHT_TENANT_MAX, IN_FLIGHT_WORKER_MAX } from './limits.ts';

type Lane = readonly [tenantId: TenantId, endpointId: string];

/** Attempts under way, and whose turn it is. */
export class Slots {
  readonly #endpoints = new Map<string, number>();
  readonly #tenants = new Map<TenantId, number>();
  readonly #turns = new Map<TenantId, number>();
  #all = 0;
  #turn = 0;

  /** The tenants of these lanes, the one that was served least lately first. */
  inTurns(lanes: readonly Lane[]): readonly (readonly [TenantId, readonly string[]])[] {
    const byTenant = new Map<TenantId, string[]>();
    for (const [tenantId, endpointId] of lanes) {
      const others = byTenant.get(tenantId);
      if (others === undefined) byTenant.set(tenantId, [endpointId]);
      else others.push(endpointId);
    }
    for (const tenantId of this.#turns.keys()) {
      if (!byTenant.has(tenantId)) this.#turns.delete(tenantId);
    }
    const turnOf = (tenantId: TenantId) => this.#turns.get(tenantId) ?? 0;
    return [...byTenant].toSorted(([one], [other]) => turnOf(one) - turnOf(other));
  }

  /** How many rows each lane of a tenant may give now; the tenant has had its turn then. */
  shares(
    tenantId: TenantId,
    endpointIds: readonly string[],
  ): readonly (readonly [endpointId: string, count: number])[] {
    const free = Math.min(
      IN_FLIGHT_TENANT_MAX - (this.#tenants.get(tenantId) ?? 0),
      Math.ceil((IN_FLIGHT_WORKER_MAX - this.#all) / 2),
    );
    const room = endpointIds.map(
      (endpointId) =>
        [endpointId, IN_FLIGHT_ENDPOINT_MAX - (this.#endpoints.get(endpointId) ?? 0)] as const,
    );
    // The fullest wait longest: those that answer give their slots back sooner.
    const open = room.filter(([, count]) => count > 0).toSorted(([, a], [, b]) => b - a);
    if (free <= 0 || open.length === 0) return [];
    this.#turns.set(tenantId, ++this.#turn);
    let left = free;
    return open.map(([endpointId, count], place) => {
      const share = Math.min(count, Math.ceil(left / (open.length - place)));
      left -= share;
      return [endpointId, share] as const;
    });
  }

  begin(tenantId: TenantId, endpointId: string): void {
    this.#all++;
    this.#tenants.set(tenantId, (this.#tenants.get(tenantId) ?? 0) + 1);
    this.#endpoints.set(endpointId, (this.#endpoints.get(endpointId) ?? 0) + 1);
  }

  end(tenantId: TenantId, endpointId: string): void {
    this.#all--;
    drop(this.#tenants, tenantId);
    drop(this.#endpoints, endpointId);
  }

  /** A look is worth it before the next one: much of the tenant's room is free. */
  isHalfFree(tenantId: TenantId): boolean {
    return (this.#tenants.get(tenantId) ?? 0) <= IN_FLIGHT_TENANT_MAX / 2;
  }
}

function drop<Key>(counts: Map<Key, number>, key: Key): void {
  const left = (counts.get(key) ?? 0) - 1;
  if (left > 0) counts.set(key, left);
  else counts.delete(key);
}

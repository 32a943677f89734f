/** What policies ask of slices to the right: whether a tenant's policies may be changed now. */
import { port, type TenantId } from '#core/kernel';

/** Why nothing may be changed. */
export interface BrokenChain {
  /** The event that is not what was signed. */
  readonly seq: number;
  /** The alert whose acknowledgement lifts the lock. */
  readonly alertId?: string;
}

/**
 * Where the tenant's chain was found broken and nobody has lifted the lock since; undefined: what
 * decides may be changed. Asked at each change, and never answered from more than a second ago.
 */
export type EditingLock = (tenantId: TenantId) => Promise<BrokenChain | undefined>;
/** Unanswered: nobody checks chains, and nothing is locked. */
export const editingLock = port<EditingLock>(() => async () => undefined);

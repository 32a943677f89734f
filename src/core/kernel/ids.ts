/** Branded ids: a tenant's id and a screening's id cannot be swapped by mistake. */
declare const brand: unique symbol;
type Id<Name extends string> = string & { readonly [brand]: Name };

/** UUID of a tenant. A tenant's sandbox is a tenant of its own. */
export type TenantId = Id<'TenantId'>;
/**
 * Name of a hash chain: a tenant's id, or PLATFORM_CHAIN for all that belongs to no tenant (lists,
 * installation).
 */
export type ChainId = Id<'ChainId'>;
/** UUID (version 7) of an event of a chain. */
export type EventId = Id<'EventId'>;
/** UUID of a screening. */
export type ScreeningId = Id<'ScreeningId'>;
/** UUID of a batch. */
export type BatchId = Id<'BatchId'>;
/** `sanctions_source.source_id`, at most 32 characters: OFAC_SDN, DEMO, … */
export type SourceId = Id<'SourceId'>;

/** The chain of events that belong to no tenant. */
export const PLATFORM_CHAIN = 'platform' as ChainId;
/** The chain of a tenant's events. */
export const chainOf = (tenantId: TenantId): ChainId => tenantId as string as ChainId;

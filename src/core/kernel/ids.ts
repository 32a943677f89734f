/** Branded ids: a tenant's id and a screening's cannot be swapped by mistake. */
declare const brand: unique symbol;
type Id<Name extends string> = string & { readonly [brand]: Name };

/** UUID of a tenant. A tenant's sandbox is a tenant of its own. */
export type TenantId = Id<'TenantId'>;
/** A tenant's id, or PLATFORM_CHAIN for what belongs to no tenant (lists, installation). */
export type ChainId = Id<'ChainId'>;
export type EventId = Id<'EventId'>;
export type ScreeningId = Id<'ScreeningId'>;
/** UUID of a batch. */
export type BatchId = Id<'BatchId'>;
/** `sanctions_source.source_id`, at most 32 characters: OFAC_SDN, DEMO, … */
export type SourceId = Id<'SourceId'>;

export const PLATFORM_CHAIN = 'platform' as ChainId;
export const chainOf = (tenantId: TenantId): ChainId => tenantId as string as ChainId;

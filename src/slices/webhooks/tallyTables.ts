/**
 * What webhooks store of figures: sums by buckets, and how far they are counted. All of it is work:
 * it is made from entries of the chain, and can be made anew.
 */
import { type TenantId, table } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import type { PendingCounts } from './pending.ts';
import type { Tally } from './tally.ts';

/** How far the figures of a tenant are counted from its chain. */
export interface TallyPlace {
  readonly tenantId: TenantId;
  readonly of: 'deliveries';
  readonly version: number;
  /** Work: figures that are counted anew are another round. */
  readonly round: number;
  readonly throughSeq: number;
  /** Deliveries without an attempt, as they were last counted. */
  readonly pending: PendingCounts;
}

/** One record a tenant that ever had an endpoint; leased while its figures are counted. */
export const tallyPlaceTable = table<TallyPlace, 'tenantId' | 'of'>('webhook_tally_place', {
  key: ['tenantId', 'of'],
  chain: 'tenantId',
  leased: { lane: ['tenantId'] },
  work: ['pending', 'round', 'throughSeq'],
  personal: 'none',
});

/** The figures of the deliveries of a tenant that were created in one bucket. */
export interface BucketTally {
  readonly tenantId: TenantId;
  readonly round: number;
  readonly bucketMs: number;
  /** When the bucket begins. */
  readonly at: EpochMs;
  readonly until: EpochMs;
  readonly version: number;
  /** Work: the sums by endpoint, of all entries up to this one. */
  readonly endpoints: Readonly<Record<string, Tally>>;
  readonly throughSeq: number;
}

/**
 * Figures by buckets of each length. They are absolute, each with the entry up to which it counts,
 * so an entry that is met twice is counted once. Leased while they are added to.
 */
export const bucketTallyTable = table<BucketTally, 'tenantId' | 'round' | 'bucketMs' | 'at'>(
  'webhook_tally',
  {
    key: ['tenantId', 'round', 'bucketMs', 'at'],
    chain: 'tenantId',
    leased: { lane: ['tenantId'] },
    work: ['endpoints', 'throughSeq'],
    kept: { from: 'until', ms: 0 },
    personal: 'none',
  },
);

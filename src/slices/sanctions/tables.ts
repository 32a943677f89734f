/**
 * What sanctions store: how far chains are worked off and verified, which can be made anew, and
 * where one was found broken.
 */
import { type ChainId, type TenantId, table } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import type { UsageSums } from '#slices/screening';
import type { FaultReason } from './checkEvents.ts';
import type { ScreeningTally } from './screeningTally.ts';

/** How far the chain of a tenant is worked off. */
export interface RegisterProgress {
  readonly tenantId: TenantId;
  readonly of: 'register';
  readonly version: number;
  /** Work: all events up to this one are in the register and in the figures. */
  readonly throughSeq: number;
  /** Work: figures that are counted anew are another round. Absent: the first. */
  readonly round?: number;
}

/** One record a tenant; leased while its chain is worked off. */
export const registerProgressTable = table<RegisterProgress, 'tenantId' | 'of'>(
  'register_progress',
  {
    key: ['tenantId', 'of'],
    chain: 'tenantId',
    leased: { lane: ['tenantId'] },
    work: ['round', 'throughSeq'],
    personal: 'none',
  },
);

/** Figures of a tenant's screenings in one bucket of time. */
export interface ScreeningBucket {
  readonly tenantId: TenantId;
  readonly round: number;
  readonly bucketMs: number;
  /** When the bucket begins. */
  readonly at: EpochMs;
  readonly until: EpochMs;
  readonly version: number;
  /** Work: the sums of all events up to this one. */
  readonly sums: ScreeningTally;
  readonly throughSeq: number;
}

/** Sums are absolute, each with the event up to which it counts; leased while they are added to. */
export const screeningBucketTable = table<
  ScreeningBucket,
  'tenantId' | 'round' | 'bucketMs' | 'at'
>('screening_tally', {
  key: ['tenantId', 'round', 'bucketMs', 'at'],
  chain: 'tenantId',
  leased: { lane: ['tenantId'] },
  work: ['sums', 'throughSeq'],
  kept: { from: 'until', ms: 0 },
  personal: 'none',
});

/** How screenings of a tenant went in one gateway, in one bucket of time. */
export interface ScreeningUsageBucket {
  readonly tenantId: TenantId;
  /** The gateway's process. */
  readonly nodeId: string;
  readonly bucketMs: number;
  /** When the bucket begins. */
  readonly at: EpochMs;
  readonly until: EpochMs;
  readonly version: number;
  /** Work: absolute sums. */
  readonly sums?: UsageSums;
}

/** Each row is written by its gateway alone. */
export const screeningUsageTable = table<
  ScreeningUsageBucket,
  'tenantId' | 'nodeId' | 'bucketMs' | 'at'
>('screening_usage', {
  key: ['tenantId', 'nodeId', 'bucketMs', 'at'],
  chain: 'tenantId',
  indexes: { byTime: ['tenantId', 'bucketMs', 'at'] },
  work: ['sums'],
  kept: { from: 'until', ms: 0 },
  personal: 'none',
});

/** How far a chain is verified, from its first event to its head. */
export interface ChainWalk {
  readonly of: 'chains';
  /** A tenant's chain, or the platform's. */
  readonly chainId: ChainId;
  readonly version: number;
  /** Work: the present walk; 0 before it begins. */
  readonly throughSeq: number;
  readonly startedAt?: EpochMs;
  /** Work: faults that the present walk has met. */
  readonly faults?: number;
  /** Work: the last whole walk without a fault: up to which seq, and when it ended. */
  readonly verifiedSeq?: number;
  readonly verifiedAt?: EpochMs;
  /** Work: when the last whole walk ended, whatever it met. */
  readonly endedAt?: EpochMs;
}

/** One record a chain; leased while it is walked. */
export const chainWalkTable = table<ChainWalk, 'chainId' | 'of'>('evidence_walk', {
  key: ['of', 'chainId'],
  chain: 'platform',
  leased: { lane: ['of'] },
  work: ['endedAt', 'faults', 'startedAt', 'throughSeq', 'verifiedAt', 'verifiedSeq'],
  personal: 'none',
});

/** What becomes of a break: the evidence is whole again, or it is known that it never will be. */
export const RESOLUTIONS = ['restored', 'accepted'] as const;
/** One of RESOLUTIONS. */
export type Resolution = (typeof RESOLUTIONS)[number];

/** An event that is not what was signed. What it locks is decided by entries, not by this. */
export interface ChainBreak {
  readonly chainId: ChainId;
  readonly seq: number;
  readonly alertId: string;
  readonly reason: FaultReason;
  readonly foundAt: EpochMs;
  readonly resolution?: Resolution;
  readonly version: number;
}

/** One record a broken event, in the platform's chain: the broken one may be unusable. */
export const chainBreakTable = table<ChainBreak, 'chainId' | 'seq'>('evidence_break', {
  key: ['chainId', 'seq'],
  chain: 'platform',
  indexes: { byAlert: ['alertId'] },
  personal: 'none',
});

/** What a replay has come to. */
export const REPLAY_STATUSES = ['queued', 'identical', 'different', 'impossible'] as const;
/** One of REPLAY_STATUSES. */
export type ReplayStatus = (typeof REPLAY_STATUSES)[number];

/** Why a screening cannot be repeated. */
export const IMPOSSIBLE_REASONS = [
  'query-erased',
  'event-altered',
  'list-unavailable',
  'exclusions-unavailable',
  'reranker-unknown',
  'former-release',
  'failed',
] as const;
/** One of IMPOSSIBLE_REASONS. */
export type ImpossibleReason = (typeof IMPOSSIBLE_REASONS)[number];

/** Where original and repetition differ; values are cut to what helps to see why. */
export interface ReplayDifference {
  /** RFC 6901. */
  readonly pointer: string;
  readonly original: unknown;
  readonly replayed: unknown;
}

/** What was repeated, and with what it ended. */
export interface ReplayResult {
  readonly reason?: ImpossibleReason;
  readonly listDigests: readonly string[];
  readonly rerankerVersion: string | null;
  readonly policyVersion: number | null;
  readonly differences: readonly ReplayDifference[];
  readonly originalHash: string | null;
  readonly replayedHash: string | null;
  readonly runtime: { readonly node: string; readonly arch: string; readonly unicode: string };
  readonly startedAt: EpochMs;
  readonly finishedAt: EpochMs;
  /** The entry that says it. */
  readonly eventId: string;
}

/** A screening that is repeated from what its event pins. */
export interface ScreeningReplay {
  readonly tenantId: TenantId;
  readonly replayId: string;
  readonly screeningId: string;
  /** As entries name actors. */
  readonly requestedBy: string;
  readonly requestedAt: EpochMs;
  readonly status: ReplayStatus;
  readonly result?: ReplayResult;
  readonly version: number;
  /** Work: since when a worker is at it. */
  readonly startedAt?: EpochMs;
}

/** Replays of a tenant, leased in the order in which they were asked for. */
export const replayTable = table<ScreeningReplay, 'tenantId' | 'replayId'>('screening_replay', {
  key: ['tenantId', 'replayId'],
  chain: 'tenantId',
  derived: { isOpen: { field: 'status', in: ['queued'] } },
  indexes: { byScreening: ['tenantId', 'screeningId', 'requestedAt'] },
  leased: { lane: ['tenantId'], order: ['requestedAt'] },
  open: 'isOpen',
  work: ['startedAt'],
  personal: { requestedBy: { purpose: 'accountability: who had the screening repeated' } },
});

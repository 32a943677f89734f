/** Orders of many replays, as work that a worker does in steps. */
import { type PageCursor, type TenantId, table } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { DELIVERIES_KEPT_MS, type DeliveryStatus } from './tables.ts';

/** Why an order has ended before all of it was sent. */
export type ReplayFailure = 'endpoint-disabled' | 'endpoint-removed' | 'internal';

/** An order: whose deliveries, of which time, and how far it is. */
export interface ReplayJob {
  readonly tenantId: TenantId;
  readonly replayJobId: string;
  readonly endpointId: string;
  readonly from: EpochMs;
  readonly to: EpochMs;
  readonly status?: DeliveryStatus;
  readonly eventTypes?: readonly string[];
  /** Instead of what was tried: what has not arrived. */
  readonly isMissing: boolean;
  readonly requestedBy: string;
  readonly createdAt: EpochMs;
  readonly state: 'running' | 'completed' | 'failed';
  readonly endedAt?: EpochMs;
  readonly failure?: ReplayFailure;
  /** There was more than one order sends. */
  readonly isCut?: true;
  readonly version: number;
  /** Work: how many were sent on their way, of how many records, and where it goes on. */
  readonly count: number;
  readonly examined: number;
  readonly after?: PageCursor;
  /** Work: when the next step is due. */
  readonly dueAt?: EpochMs;
}

/** How often an event was sent again under a key of its own: each such key has its number. */
export interface ForcedReplays {
  readonly tenantId: TenantId;
  /** The first delivery of all of them. */
  readonly deliveryId: string;
  readonly forcedAt: EpochMs;
  /** The number of the last one. */
  readonly version: number;
}

/** One record a delivery that was ever replayed so, as long as its message may be. */
export const forcedReplayTable = table<ForcedReplays, 'tenantId' | 'deliveryId'>(
  'webhook_forced_replay',
  {
    key: ['tenantId', 'deliveryId'],
    chain: 'tenantId',
    kept: { from: 'forcedAt', ms: DELIVERIES_KEPT_MS },
    personal: 'none',
  },
);

/** Orders by tenant and id, which are in the order of time. */
export const replayTable = table<ReplayJob, 'tenantId' | 'replayJobId'>('webhook_replay', {
  key: ['tenantId', 'replayJobId'],
  chain: 'tenantId',
  derived: { isOpen: { field: 'state', in: ['running'] } },
  leased: { due: 'dueAt', lane: ['tenantId'] },
  open: 'isOpen',
  work: ['after', 'count', 'dueAt', 'examined'],
  kept: { from: 'createdAt', ms: DELIVERIES_KEPT_MS, unless: 'isOpen' },
  personal: { requestedBy: { purpose: 'accountability: who ordered the replay' } },
});

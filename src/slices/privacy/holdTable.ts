/** What stands against the erasure of a subject: an order of a court, a dispute. */
import { type TenantId, table } from '#core/kernel';
import type { EpochMs } from '#platform/clock';

/** How far a hold is. It holds from the moment it is asked for until two persons have lifted it. */
export const HOLD_STATES = ['asked', 'placed', 'extension_asked', 'lift_asked', 'lifted'] as const;
/** One of HOLD_STATES. */
export type HoldState = (typeof HOLD_STATES)[number];

/** The hold of one subject. */
export interface LegalHold {
  readonly tenantId: TenantId;
  /** The tenant's own id of the subject. */
  readonly subjectRef: string;
  readonly state: HoldState;
  readonly reason: string;
  /** It ends by itself then. */
  readonly until: EpochMs;
  readonly askedBy: string;
  readonly askedAt: EpochMs;
  /** The second person. */
  readonly placedBy?: string;
  /** A later end, as somebody asks for; it holds until then unless the second person declines. */
  readonly extension?: {
    readonly askedBy: string;
    readonly reason: string;
    readonly until: EpochMs;
  };
  /** Who asks that it be lifted, and why. */
  readonly liftAskedBy?: string;
  readonly liftReason?: string;
  /** The second person; who declined it, where it was never placed. */
  readonly liftedBy?: string;
  readonly changedAt: EpochMs;
  readonly version: number;
}

/** Holds by subject; a subject without a row has none. */
export const legalHoldTable = table<LegalHold, 'tenantId' | 'subjectRef'>('legal_hold', {
  key: ['tenantId', 'subjectRef'],
  chain: 'tenantId',
  owner: 'tenantId',
  personal: {
    askedBy: { purpose: 'accountability: who asked for the hold' },
    extension: { purpose: 'accountability: who asked that it last longer, and why; free text' },
    liftAskedBy: { purpose: 'accountability: who asked that it be lifted' },
    liftReason: { purpose: 'accountability: why it was lifted; free text' },
    liftedBy: { purpose: 'accountability: who lifted the hold' },
    placedBy: { purpose: 'accountability: who confirmed the hold' },
    reason: { purpose: 'legal duty: why a subject is not erased; free text' },
    subjectRef: { purpose: 'legal duty: which subject is not erased' },
  },
});

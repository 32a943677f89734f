/** What the slice stores: sessions, each of which is one link. */
import { type TenantId, table } from '#core/kernel';
import type { EpochMs } from '#platform/clock';

/** Where a session is used. */
export const SESSION_CHANNELS = ['web', 'mobile', 'branch'] as const;
/** One of SESSION_CHANNELS. */
export type SessionChannel = (typeof SESSION_CHANNELS)[number];

/** A session of a customer: the right to fill in one form for one case, for thirty minutes. */
export interface SessionRecord {
  readonly tenantId: TenantId;
  readonly sessionId: string;
  /** Counts the sessions of a case, from 1. */
  readonly ordinal: number;
  readonly caseId: string;
  readonly formId: string;
  /** The version that was active when the session was opened. */
  readonly versionId: string;
  /** `fr-TN` */
  readonly locale: string;
  readonly channel: SessionChannel;
  /** SHA-256 hex of the token, which is stored nowhere. */
  readonly tokenDigest: string;
  readonly createdAt: EpochMs;
  readonly createdBy: string;
  readonly expiresAt: EpochMs;
  /** Where the customer goes on afterwards. */
  readonly returnUrl?: string;
  /** The mail that the link is for. */
  readonly orderId?: string;
  /** When fresh links for the case were asked for, of the last day. */
  readonly askedAt: readonly EpochMs[];
  readonly state: 'open' | 'revoked';
  readonly version: number;
}

/** For how long sessions are kept behind their end. */
const KEPT_MS = 90 * 24 * 3_600_000;

/** Sessions by tenant and id. A case has one that is not revoked at the most. */
export const sessionTable = table<SessionRecord, 'tenantId' | 'sessionId'>('onboarding_link', {
  key: ['tenantId', 'sessionId'],
  chain: 'tenantId',
  owner: 'tenantId',
  derived: { isOpen: { field: 'state', in: ['open'] } },
  indexes: { byCase: ['tenantId', 'caseId', 'ordinal'] },
  kept: { from: 'expiresAt', ms: KEPT_MS },
  personal: { createdBy: { purpose: 'accountability: who made the link' } },
  unique: { open: ['tenantId', 'caseId', 'isOpen'] },
});

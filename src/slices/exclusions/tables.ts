/**
 * What the slice stores: exclusions, the numbered sets that they make up, and how often each was
 * applied. A set is what a batch pins: the same digest gives the same exclusions, whatever was
 * decided since.
 */
import type { AuditAction } from '#core/audit';
import { type TenantId, table } from '#core/kernel';
import type { EpochMs } from '#platform/clock';

/** Why something is no match, as a code. */
export const REASON_CODES = [
  'name_only',
  'dob_differs',
  'nationality_differs',
  'gender_differs',
  'entity_type_differs',
  'id_differs',
  'deceased',
  'other',
] as const;
/** One of REASON_CODES. */
export type ReasonCode = (typeof REASON_CODES)[number];

/** States of an exclusion; the last three are final. */
export const EXCLUSION_STATES = [
  'proposed',
  'active',
  'expired',
  'ended_on_change',
  'revoked',
] as const;
/** One of EXCLUSION_STATES. */
export type ExclusionState = (typeof EXCLUSION_STATES)[number];

/** Who was decided not to be which entry of a list, by whom, why, and until when. */
export interface ExclusionRecord {
  readonly tenantId: TenantId;
  readonly exclusionId: string;
  /** HMAC under the tenant's key: names, date of birth, nationality and kind of the subject. */
  readonly subjectKey: string;
  /** HMAC of all that tells the subject from others; with another one it holds no more. */
  readonly subjectDigest: string;
  /** The tenant's own reference of the subject, where one was given. */
  readonly subjectRef?: string;
  /** Where the hit was found: its event has the subject and the scores. */
  readonly screeningId: string;
  readonly source: string;
  readonly ftmId: string;
  readonly typology: string;
  /** directScore of the hit. */
  readonly score: number;
  /** SHA-256 of what identifies the entry (entityDigest.ts). */
  readonly entityDigest: string;
  readonly reasonCode: ReasonCode;
  readonly reason: string;
  /** As entries name actors. */
  readonly createdBy: string;
  readonly createdAt: EpochMs;
  readonly approvedBy?: string;
  readonly expiresAt: EpochMs;
  readonly state: ExclusionState;
  readonly endedAt?: EpochMs;
  readonly endedBy?: string;
  /** Number of the first set that has it, and of the first that has it no more. */
  readonly fromSet?: number;
  readonly untilSet?: number;
  /** Action of the entry that made this revision. */
  readonly action: AuditAction;
  readonly version: number;
}

/** Content digests of the versions of lists that exclusions were compared with, by source. */
export type CheckedVersions = Readonly<Record<string, readonly string[]>>;

/** All exclusions of a tenant that hold at once. Numbers are dense, from 1. */
export interface ExclusionSet {
  readonly tenantId: TenantId;
  readonly setNo: number;
  /** SHA-256 hex over its exclusions and `checked` (exclusionSets.ts). */
  readonly digest: string;
  readonly checked: CheckedVersions;
  readonly at: EpochMs;
}

/** How often an exclusion made a hit none. */
export interface ExclusionUse {
  readonly tenantId: TenantId;
  readonly exclusionId: string;
  readonly count: number;
  readonly lastAppliedAt?: EpochMs;
  /** The event that was counted last: one that comes twice is counted once. */
  readonly lastEvent?: string;
  readonly version: number;
}

/** Exclusions by tenant and id. They are kept for ever, as the evidence of why a hit was none. */
export const exclusionTable = table<ExclusionRecord, 'tenantId' | 'exclusionId'>('exclusion', {
  key: ['tenantId', 'exclusionId'],
  chain: 'tenantId',
  derived: { isOpen: { field: 'state', in: ['proposed', 'active'] } },
  indexes: {
    byEntity: ['tenantId', 'ftmId', 'createdAt'],
    byState: ['tenantId', 'state', 'createdAt'],
    bySubject: ['tenantId', 'subjectKey', 'createdAt'],
    due: ['isOpen', 'expiresAt'],
    newest: ['tenantId', 'createdAt'],
  },
  personal: {
    approvedBy: { purpose: 'accountability: who confirmed that it is somebody else' },
    createdBy: { purpose: 'accountability: who decided that it is somebody else' },
    endedBy: { purpose: 'accountability: who revoked it' },
    reason: { purpose: 'screening: why a listed party is somebody else; free text' },
    subjectKey: { purpose: 'screening: finds the exclusions of a subject; keyed' },
    subjectRef: { purpose: 'screening: the reference of a subject that was cleared' },
  },
});

/** Sets of a tenant's exclusions; kept for ever, since evidence names them. */
export const exclusionSetTable = table<ExclusionSet, 'tenantId' | 'setNo'>('exclusion_edition', {
  key: ['tenantId', 'setNo'],
  chain: 'tenantId',
  writes: 'appendOnly',
  indexes: { byDigest: ['tenantId', 'digest'] },
  personal: 'none',
});

/**
 * Counts by exclusion, saved beside commits: they decide nothing, and can be made anew from the
 * events.
 */
export const exclusionUseTable = table<ExclusionUse, 'tenantId' | 'exclusionId'>(
  'exclusion_tally',
  {
    key: ['tenantId', 'exclusionId'],
    chain: 'tenantId',
    work: ['count', 'lastAppliedAt', 'lastEvent'],
    personal: 'none',
  },
);

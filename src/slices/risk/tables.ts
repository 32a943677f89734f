/**
 * What the slice stores: policies from the draft to the archive, which contents are kept as blobs,
 * and where each client stands. An evaluation is its signed entry: it has no record beside.
 */

import type { Role } from '#core/identity';
import { type TenantId, table } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import type { RiskContent } from './policyContent.ts';
import type { Level, PolicyStatus } from './words.ts';

/** A report upon which a policy may be approved. */
export interface PolicyReport {
  readonly reportId: string;
  /** SHA-256 hex of its canonical text: the address of its blob. */
  readonly sha256: string;
  /** What it was made of; a draft that was edited since has another one. */
  readonly contentHash: string;
  readonly at: EpochMs;
}

/** That a policy is tried beside the one in force. */
export interface PolicyShadow {
  readonly shadowReportId: string;
  readonly since: EpochMs;
  /** Evaluations behind this place of the chain are counted. */
  readonly afterSeq: number;
}

/** What two persons are asked to approve. */
export interface PolicySubmission {
  readonly at: EpochMs;
  readonly by: string;
  readonly justification: string;
  readonly backtestSha256: string;
  readonly shadowSha256: string;
  /** RFC 3339 UTC, as it is signed; absent: at once. */
  readonly effectiveAt?: string;
  /** The last step of 48 hours of which approvers were reminded. */
  readonly remindedStep?: number;
  readonly escalatedAt?: EpochMs;
}

/** One person's approval, as it can be verified by anybody. */
export interface PolicyApproval {
  readonly personId: string;
  readonly role: Role;
  readonly keyId: string;
  readonly at: EpochMs;
  readonly comment: string;
  /** RFC 3339 UTC, as it was signed. */
  readonly timestamp: string;
  /** Base64. */
  readonly signature: string;
  /** The operator who handed it in at the command line, as entries name actors. */
  readonly handedInBy?: string;
}

/** A policy of a tenant. */
export interface RiskPolicy {
  readonly tenantId: TenantId;
  /** UUID version 7: the order of ids is that of time. */
  readonly policyId: string;
  readonly name: string;
  readonly status: PolicyStatus;
  /** Its number, given when it is published. */
  readonly policyVersion?: number;
  /** The policy whose content it began with. */
  readonly basedOn: string;
  readonly content: RiskContent;
  /** SHA-256 hex of the content. */
  readonly contentHash: string;
  /** As entries name actors. */
  readonly createdBy: string;
  readonly createdAt: EpochMs;
  /** The last editor: the author of what is signed. */
  readonly updatedBy: string;
  /** Others whose edits are in it, as entries name actors: none of them approves it. */
  readonly editors?: readonly string[];
  readonly updatedAt: EpochMs;
  /** Set while it is in shadow. */
  readonly shadow?: PolicyShadow;
  /** 1 to SHADOWS_MAX, with it: no two policies of a tenant have the same. */
  readonly shadowSlot?: number;
  readonly backtestReport?: PolicyReport;
  readonly shadowReport?: PolicyReport;
  /** Set while it waits for approval, and as it was approved. */
  readonly submission?: PolicySubmission;
  readonly approvals?: readonly PolicyApproval[];
  /** Set while it decides; another one may be published and wait for its day. */
  readonly standing?: 'in_force' | 'scheduled';
  readonly effectiveAt?: EpochMs;
  readonly publishedAt?: EpochMs;
  readonly archivedAt?: EpochMs;
  /** Revision; each has an entry in the chain. */
  readonly version: number;
}

/** Policies by tenant and id; kept for ever, since events name them. */
export const riskPolicyTable = table<RiskPolicy, 'tenantId' | 'policyId'>('risk_policy', {
  key: ['tenantId', 'policyId'],
  chain: 'tenantId',
  derived: {
    isInForce: { field: 'standing', in: ['in_force'] },
    isAwaited: { field: 'status', in: ['PENDING_APPROVAL'] },
    isScheduled: { field: 'standing', in: ['scheduled'] },
    isInTheMaking: { field: 'status', in: ['draft', 'shadow', 'PENDING_APPROVAL', 'REJECTED'] },
  },
  indexes: {
    awaited: ['isAwaited', 'updatedAt'],
    byStatus: ['tenantId', 'status'],
    due: ['isScheduled', 'effectiveAt'],
    inTheMaking: ['tenantId', 'isInTheMaking'],
  },
  unique: {
    inForce: ['tenantId', 'isInForce'],
    scheduled: ['tenantId', 'isScheduled'],
    shadow: ['tenantId', 'shadowSlot'],
  },
  blobs: ({ backtestReport, shadowReport }) =>
    [backtestReport?.sha256, shadowReport?.sha256].filter((one) => one !== undefined),
  personal: {
    approvals: { purpose: 'dual control: who approved the policy' },
    createdBy: { purpose: 'accountability: who drafted the policy' },
    editors: { purpose: 'dual control: whose own work it is' },
    submission: { purpose: 'accountability: who wants the policy published, and why' },
    updatedBy: { purpose: 'accountability: who changed the draft last' },
  },
});

/** A content that some evaluation names, with the blobs that make it. */
export interface RiskContentRecord {
  readonly tenantId: TenantId;
  readonly contentHash: string;
  /** Addresses of the content and of its tables. */
  readonly blobs: readonly string[];
}

/** Contents by tenant and hash; for ever, as the events that name them. */
export const riskContentTable = table<RiskContentRecord, 'tenantId' | 'contentHash'>(
  'risk_content',
  {
    key: ['tenantId', 'contentHash'],
    chain: 'tenantId',
    writes: 'appendOnly',
    blobs: ({ blobs }) => blobs,
    personal: 'none',
  },
);

/** A level that a person has given a client. */
export interface ManualLevel {
  readonly level: Level;
  /** What the policy had come to. */
  readonly from: Level;
  readonly at: EpochMs;
  readonly until: EpochMs;
  /** As entries name actors. */
  readonly by: string;
  /** The second person, where it lowers. */
  readonly confirmedBy?: string;
  readonly reason: string;
}

/** Where a client stands. */
export interface RiskClient {
  readonly tenantId: TenantId;
  /** The id of the subject of cases. */
  readonly clientId: string;
  /** As it counts. */
  readonly level: Level;
  /** The last evaluation. */
  readonly evaluationId: string;
  readonly evaluatedLevel: Level;
  readonly score: number;
  readonly isIncomplete: boolean;
  readonly contentHash: string;
  readonly policyVersion: number;
  readonly evaluatedAt: EpochMs;
  readonly nextReviewAt: EpochMs;
  /** Set until it ends. */
  readonly manual?: ManualLevel;
  /** Set with it: what is due is found by them. */
  readonly manualState?: 'set';
  readonly manualUntil?: EpochMs;
  readonly version: number;
}

/** Clients by tenant and id. */
export const riskClientTable = table<RiskClient, 'tenantId' | 'clientId'>('risk_rating', {
  key: ['tenantId', 'clientId'],
  chain: 'tenantId',
  derived: { isManual: { field: 'manualState', in: ['set'] } },
  indexes: { byLevel: ['tenantId', 'level'], manualDue: ['isManual', 'manualUntil'] },
  personal: {
    evaluatedLevel: { purpose: 'risk evaluation: the level that the policy gave the client' },
    manual: { purpose: 'risk evaluation: the level that a person gave the client, and why' },
    level: { purpose: 'risk evaluation: how much care the client needs' },
    score: { purpose: 'risk evaluation: the score that the policy gave the client' },
  },
});

/** A shadow that workers count: how far they are, and when one looks again. */
export interface RiskShadow {
  readonly tenantId: TenantId;
  readonly shadowReportId: string;
  readonly policyId: string;
  /** Work: when somebody looks again. */
  readonly dueAt: EpochMs;
  /** Work: what was counted, signed, as JSON. */
  readonly progress?: string;
  readonly version: number;
}

/** Shadows by tenant and report; one that is over is kept as its policy is, without its counts. */
export const riskShadowTable = table<RiskShadow, 'tenantId' | 'shadowReportId'>('risk_shadow', {
  key: ['tenantId', 'shadowReportId'],
  chain: 'tenantId',
  leased: { due: 'dueAt', lane: ['tenantId'] },
  work: ['dueAt', 'progress'],
  personal: 'none',
});

/** A policy upon the evaluations of a time, beside what they were. */
export interface RiskBacktest {
  readonly tenantId: TenantId;
  readonly btrId: string;
  readonly policyId: string;
  readonly contentHash: string;
  /** Times of evaluations, `to` excluded. */
  readonly from: EpochMs;
  readonly to: EpochMs;
  /** Clients of these alone, as `country:TN`; absent: all. */
  readonly segments?: readonly string[];
  /** Where the chain stood when it was asked for: nothing behind it counts. */
  readonly throughSeq: number;
  readonly status: 'queued' | 'ready' | 'failed';
  readonly requestedBy: string;
  readonly requestedAt: EpochMs;
  /** SHA-256 hex of the report: the address of its blob. */
  readonly reportSha256?: string;
  /** The report for compliance alone, of clients who were reported to the authority. */
  readonly reportedSha256?: string;
  /** By language: the addresses of the report as PDF. */
  readonly pdfs?: Readonly<Record<string, string>>;
  /** Why it failed, as a code. */
  readonly failure?: string;
  readonly endedAt?: EpochMs;
  readonly version: number;
  /** Work: how far it is, as JSON. */
  readonly progress?: string;
}

/** Backtests by tenant and id; of a policy one at a time is open. */
export const riskBacktestTable = table<RiskBacktest, 'tenantId' | 'btrId'>('risk_backtest', {
  key: ['tenantId', 'btrId'],
  chain: 'tenantId',
  derived: { isOpen: { field: 'status', in: ['queued'] } },
  indexes: { byPolicy: ['tenantId', 'policyId'] },
  unique: { open: ['tenantId', 'policyId', 'isOpen'] },
  leased: { lane: ['tenantId'], order: ['requestedAt'] },
  open: 'isOpen',
  work: ['progress'],
  blobs: ({ pdfs = {}, reportedSha256, reportSha256 }) =>
    [reportSha256, reportedSha256, ...Object.values(pdfs)].filter((one) => one !== undefined),
  personal: { requestedBy: { purpose: 'accountability: who had the policy tried' } },
});

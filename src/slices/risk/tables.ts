/**
 * What the slice stores: policies from the draft to the archive, which contents are kept as blobs,
 * and where each client stands. An evaluation is its signed entry: it has no record beside.
 */
import { type TenantId, table } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import type { RiskContent } from './policyContent.ts';
import type { Level, PolicyStatus } from './words.ts';

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
  readonly updatedAt: EpochMs;
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
    isInTheMaking: { field: 'status', in: ['draft', 'shadow', 'PENDING_APPROVAL', 'REJECTED'] },
  },
  indexes: {
    byStatus: ['tenantId', 'status'],
    inTheMaking: ['tenantId', 'isInTheMaking'],
  },
  unique: { inForce: ['tenantId', 'isInForce'] },
  personal: {
    createdBy: { purpose: 'accountability: who drafted the policy' },
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
  readonly version: number;
}

/** Clients by tenant and id. */
export const riskClientTable = table<RiskClient, 'tenantId' | 'clientId'>('risk_rating', {
  key: ['tenantId', 'clientId'],
  chain: 'tenantId',
  indexes: { byLevel: ['tenantId', 'level'] },
  personal: {
    evaluatedLevel: { purpose: 'risk evaluation: the level that the policy gave the client' },
    level: { purpose: 'risk evaluation: how much care the client needs' },
    score: { purpose: 'risk evaluation: the score that the policy gave the client' },
  },
});

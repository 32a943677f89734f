/**
 * What the slice stores: a tenant's policies, one record a version, from the draft to the archive.
 * A version's number is never given twice, and no version is ever deleted: events name it.
 */
import type { PublicationSignature } from '#core/identity';
import { type TenantId, table } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import type { ContentChange, PolicyContent } from './content.ts';

/** States of a policy. */
export const POLICY_STATUSES = [
  'DRAFT',
  'PENDING_SIGNATURE',
  'PUBLISHED',
  'ARCHIVED',
  'DISCARDED',
] as const;
/** One of POLICY_STATUSES. */
export type PolicyStatus = (typeof POLICY_STATUSES)[number];

/** One version of a tenant's policy. */
export interface PolicyRecord {
  readonly tenantId: TenantId;
  readonly policyVersion: number;
  readonly status: PolicyStatus;
  /** The version that was in force when it was drafted; 0: there was none. */
  readonly baseVersion: number;
  readonly content: PolicyContent;
  /** SHA-256 hex of the content. */
  readonly contentHash: string;
  /** Against the base version. */
  readonly changeSummary: readonly ContentChange[];
  readonly justification: string;
  /** As entries name actors. */
  readonly createdBy: string;
  readonly createdAt: EpochMs;
  /** The last editor, as the signed bytes name the author. */
  readonly updatedBy: string;
  readonly updatedAt: EpochMs;
  /** One while a second person has to sign; both once it is published. */
  readonly signatures: readonly PublicationSignature[];
  /** Until when a lone signature counts; set while one waits. */
  readonly signedUntil?: EpochMs;
  readonly publishedAt?: EpochMs;
  readonly archivedAt?: EpochMs;
  /** The re-ranker that the product's release gave when this was drafted. */
  readonly release: string;
  /** Revision of the record; each has an entry in the chain. */
  readonly version: number;
}

/** Policies by tenant and version; kept for ever, since events name them. */
export const policyTable = table<PolicyRecord, 'tenantId' | 'policyVersion'>('policy', {
  key: ['tenantId', 'policyVersion'],
  chain: 'tenantId',
  derived: {
    isInForce: { field: 'status', in: ['PUBLISHED'] },
    isOpen: { field: 'status', in: ['DRAFT', 'PENDING_SIGNATURE'] },
    isPending: { field: 'status', in: ['PENDING_SIGNATURE'] },
  },
  indexes: { due: ['isPending', 'signedUntil'] },
  unique: {
    inForce: ['tenantId', 'isInForce'],
    open: ['tenantId', 'isOpen'],
  },
  personal: {
    createdBy: { purpose: 'accountability: who drafted the policy' },
    justification: { purpose: 'accountability: why the policy was changed; free text' },
    signatures: { purpose: 'dual control: who signed the policy' },
    updatedBy: { purpose: 'accountability: who changed the draft last' },
  },
});

/**
 * What the slice stores: classifications of holders, one record each time that somebody was
 * classified. What is said of a holder lies in a sealed blob under a data key of the holder: the
 * record has ids, states and digests.
 */
import { type TenantId, table } from '#core/kernel';
import type { EpochMs } from '#platform/clock';

/** States of a classification. */
export const CLASSIFICATION_STATUSES = [
  'final',
  'pending_documents',
  'pending_cure',
  'superseded',
] as const;
/** One of CLASSIFICATION_STATUSES. */
export type ClassificationStatus = (typeof CLASSIFICATION_STATUSES)[number];

/** A holder as he was classified at one time. */
export interface TaxClassification {
  readonly tenantId: TenantId;
  /** UUID version 7 of `createdAt`: the order of ids is that of time. */
  readonly classificationId: string;
  /** The tenant's own reference of the holder. */
  readonly subjectRef: string;
  readonly kind: 'entity' | 'individual';
  readonly status: ClassificationStatus;
  /** The tables by which it was made. */
  readonly tableVersion: string;
  /** Inputs and result: a sealed blob, its salted digest, and the digest of the result alone. */
  readonly blob: string;
  readonly contentHash: string;
  readonly resultDigest: string;
  /** When what is awaited is over, as an instant; set while something is. */
  readonly dueAt?: EpochMs;
  /** The one that it took the place of. */
  readonly supersedes?: string;
  readonly createdBy: string;
  readonly createdAt: EpochMs;
  readonly updatedAt: EpochMs;
  readonly version: number;
}

/** Classifications by tenant and id; of a holder one is in force. */
export const taxClassificationTable = table<TaxClassification, 'tenantId' | 'classificationId'>(
  'tax_classification',
  {
    key: ['tenantId', 'classificationId'],
    chain: 'tenantId',
    derived: {
      isAwaiting: { field: 'status', in: ['pending_documents', 'pending_cure'] },
      isInForce: { field: 'status', in: ['final', 'pending_documents', 'pending_cure'] },
    },
    indexes: {
      bySubject: ['tenantId', 'subjectRef'],
      held: ['tenantId', 'subjectRef', 'isInForce'],
      byStatus: ['tenantId', 'status'],
      due: ['isAwaiting', 'dueAt'],
    },
    unique: { inForce: ['tenantId', 'subjectRef', 'isInForce'] },
    blobs: ({ blob }) => [blob],
    personal: {
      createdBy: { purpose: 'accountability: who classified the holder' },
      subjectRef: { purpose: 'due diligence for FATCA and CRS: whose classification it is' },
    },
  },
);

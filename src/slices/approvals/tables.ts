/** What approvals stores: one record a request, from the asking to its end. */
import type { Json } from '#core/audit';
import type { Role } from '#core/identity';
import { type TenantId, table } from '#core/kernel';
import type { EpochMs } from '#platform/clock';

/** States of a request; every one but `open` is final. */
export const APPROVAL_STATES = [
  'open',
  'applied',
  'rejected',
  'withdrawn',
  'expired',
  'stale',
] as const;
/** One of APPROVAL_STATES. */
export type ApprovalState = (typeof APPROVAL_STATES)[number];

/**
 * A change that its author asked for. What is signed is made of `resource`, `field` and `newValue`;
 * the entry of the asking commits to all that decides what is applied (requestProof.ts).
 */
export interface ApprovalRequest {
  /** The tenant of the author, also where the resource belongs to no tenant. */
  readonly tenantId: TenantId;
  readonly approvalId: string;
  /** As it is signed, e.g. `sanctions_source:OFAC_SDN`. */
  readonly resource: string;
  readonly field: string;
  readonly newValue: Json;
  /** What stood there when the author asked. */
  readonly oldValue: Json;
  /** Names that state: with another one the request is stale. */
  readonly baseVersion: string;
  readonly reason: string;
  /** Person id. */
  readonly authorId: string;
  /** A person with one of these, who is not the author, may sign or reject. */
  readonly signerRoles: readonly Role[];
  readonly state: ApprovalState;
  readonly requestedAt: EpochMs;
  readonly expiresAt: EpochMs;
  /** Seq of the chain's head before the entry of the asking: where it is looked for. */
  readonly afterSeq: number;
  readonly endedAt?: EpochMs;
  /** Person id of the one who ended it; absent where nobody did. */
  readonly endedBy?: string;
  /** Id of the key that signed. */
  readonly keyId?: string;
  /** Why it was rejected. */
  readonly comment?: string;
  readonly version: number;
}

/**
 * Requests by tenant and id, latest first in every list. They are kept for ever, as the evidence of
 * what was asked. A change of what belongs to no tenant is committed to another chain than the
 * request was, hence `any`.
 */
export const approvalTable = table<ApprovalRequest, 'tenantId' | 'approvalId'>('approval', {
  key: ['tenantId', 'approvalId'],
  chain: 'any',
  derived: { isOpen: { field: 'state', in: ['open'] } },
  indexes: {
    byAuthor: ['tenantId', 'authorId', 'requestedAt'],
    byResource: ['tenantId', 'resource', 'requestedAt'],
    byState: ['tenantId', 'state', 'requestedAt'],
    due: ['isOpen', 'expiresAt'],
    newest: ['tenantId', 'requestedAt'],
  },
  open: 'isOpen',
  personal: {
    authorId: { purpose: 'accountability: who asked for the change' },
    endedBy: { purpose: 'accountability: who signed or rejected it' },
    comment: { purpose: 'dual control: why a change was rejected; free text' },
    reason: { purpose: 'dual control: why a change was asked for; free text' },
  },
});

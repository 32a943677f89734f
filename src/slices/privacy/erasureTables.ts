/**
 * What erasures need beside their requests: the work that is still to be done for each, and the
 * identity vault, where the names of an erased person lie while a law demands what is kept.
 */
import { type TenantId, table } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { REQUEST_KEPT_MS } from './limits.ts';

/** How far an erasure is: under way, waiting for the end of a duty, or over. */
export const ERASURE_STATES = ['running', 'kept', 'ended'] as const;
/** One of ERASURE_STATES. */
export type ErasureState = (typeof ERASURE_STATES)[number];

/** The work of one erasure. It decides nothing: what was approved stands in the signed request. */
export interface ErasureWork {
  readonly tenantId: TenantId;
  readonly requestId: string;
  readonly pseudonym: string;
  readonly state: ErasureState;
  readonly createdAt: EpochMs;
  readonly endedAt?: EpochMs;
  readonly version: number;
  /** Work: when something is to be done next. */
  readonly dueAt?: EpochMs;
}

/** Erasures by tenant and request, leased to one worker at a time. */
export const erasureWorkTable = table<ErasureWork, 'tenantId' | 'requestId'>('privacy_erasure', {
  key: ['tenantId', 'requestId'],
  chain: 'tenantId',
  owner: 'tenantId',
  derived: { isOpen: { field: 'state', in: ['running', 'kept'] } },
  leased: { due: 'dueAt', lane: ['tenantId'] },
  open: 'isOpen',
  work: ['dueAt'],
  kept: { from: 'endedAt', ms: REQUEST_KEPT_MS, unless: 'isOpen' },
  personal: 'none',
});

/** Who an erased person was, sealed under a data key of its own. */
export interface VaultRecord {
  readonly tenantId: TenantId;
  readonly pseudonym: string;
  readonly requestId: string;
  /** `VaultContent`; gone with the key. */
  readonly sealed: string;
  readonly createdAt: EpochMs;
  /** How often two persons have opened it. */
  readonly openings: number;
  readonly version: number;
}

/** Identities by tenant and pseudonym. */
export const vaultTable = table<VaultRecord, 'tenantId' | 'pseudonym'>('identity_vault', {
  key: ['tenantId', 'pseudonym'],
  chain: 'tenantId',
  owner: 'tenantId',
  personal: {
    sealed: { purpose: 'legal duty: who an erased person was, while what is kept must be found' },
  },
});

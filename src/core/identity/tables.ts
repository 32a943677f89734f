/**
 * What identity stores: tenants, API keys, the persons who may sign, and the approvals that were
 * used. All of it is older than declarations: `stored` says how it lies in stores of former
 * releases.
 */
import { table } from '#core/kernel';
import type { ApiKey, ConsumedApproval, Person, Tenant } from './ports.ts';

const DAY_MS = 24 * 3_600_000;

/** Tenants by id; their settings in the record. Written in commits of the tenant's own chain. */
export const tenantTable = table<Tenant, 'id'>('tenant', {
  key: ['id'],
  chain: 'any',
  personal: {
    name: { purpose: 'tells tenants apart; it may be the name of a person in business' },
  },
});

/** API keys by id, found by the hash of the whole key. A key never moves to another tenant. */
export const apiKeyTable = table<ApiKey, 'id'>('api_key', {
  key: ['id'],
  chain: 'any',
  indexes: { byTenant: ['tenantId'] },
  owner: 'tenantId',
  touch: 'lastUsedAt',
  unique: { hash: ['hash'] },
  personal: {
    name: { purpose: 'tells keys apart; it is free text and may name who holds the key' },
  },
});

/** Persons who may sign, each within its tenant. */
export const personTable = table<Person, 'tenantId' | 'id'>('person', {
  key: ['tenantId', 'id'],
  chain: 'any',
  personal: {
    accounts: { purpose: 'dual control: by which account a signer is known' },
    email: { purpose: 'notices: where the person is written to' },
    keys: { purpose: 'dual control: with which keys a signer signs' },
    locale: { purpose: 'notices: in which language' },
    name: { purpose: 'dual control: who signed' },
    roles: { purpose: 'dual control: for what a signer may sign' },
  },
  stored: { mongoKey: 'slashed' },
});

/**
 * Approvals of dual control that were used: each one can be used once. They are kept a day longer
 * than they can be used, by which the clocks of two hosts may differ. Digests name nobody.
 */
export const consumedApprovalTable = table<ConsumedApproval, 'tenantId' | 'digest'>(
  'approval_consumed',
  {
    key: ['tenantId', 'digest'],
    chain: 'any',
    kept: { from: 'expiresAt', ms: DAY_MS },
    writes: 'appendOnly',
    personal: 'none',
    stored: { isBare: true, mongoKey: 'slashed' },
  },
);

/** A policy as it is found and named, and the digest that its entries tell. */
import type { JsonObject } from '#core/audit';
import { DomainError, type TableChange, type TenantId } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import type { EpochMs } from '#platform/clock';
import { sha256Hex } from '#platform/crypto';
import screening from '../../../config/screening.json' with { type: 'json' };
import type { PolicyReadPorts } from './ports.ts';
import { type PolicyRecord, type PolicyStatus, policyTable } from './tables.ts';

/** The re-ranker of interface.md's formula that this release gives. */
export const RELEASE: string = screening.reranker_version;

/** Where a policy is, for a caller of this tenant. */
export interface PolicyPlace {
  readonly tenantId: TenantId;
  readonly policyVersion: number;
}

/** Throws `policy-unknown`, for another tenant's as for one that does not exist. */
export async function findPolicy(
  { tables }: Pick<PolicyReadPorts, 'tables'>,
  { policyVersion, tenantId }: PolicyPlace,
): Promise<PolicyRecord> {
  const found = await tables.find(policyTable, { policyVersion, tenantId });
  if (found === undefined) throw new DomainError('policy-unknown');
  return found;
}

/** The draft that somebody works on; a tenant has one at most. */
export const openDraft = (
  { tables }: Pick<PolicyReadPorts, 'tables'>,
  tenantId: TenantId,
): Promise<PolicyRecord | undefined> => tables.findUnique(policyTable, 'open', { tenantId });

/** The policy that decides; undefined for a tenant of a former release. */
export const publishedPolicy = (
  { tables }: Pick<PolicyReadPorts, 'tables'>,
  tenantId: TenantId,
): Promise<PolicyRecord | undefined> => tables.findUnique(policyTable, 'inForce', { tenantId });

/** The newest version, whatever became of it. */
export async function lastPolicy(
  { tables }: Pick<PolicyReadPorts, 'tables'>,
  tenantId: TenantId,
): Promise<PolicyRecord | undefined> {
  const { records } = await tables.page(policyTable, {
    direction: 'descending',
    equal: { tenantId },
    index: 'key',
    isWhole: true,
    limit: 1,
  });
  return records[0];
}

/** The state as it counts: a lone signature lapses before the job has written it. */
export function statusOf(
  { signedUntil, status }: Pick<PolicyRecord, 'signedUntil' | 'status'>,
  now: EpochMs,
): PolicyStatus {
  const isLapsed = status === 'PENDING_SIGNATURE' && (signedUntil ?? 0) <= now;
  return isLapsed ? 'DRAFT' : status;
}

/** Signatures as they count now. */
export const signaturesOf = (record: PolicyRecord, now: EpochMs): PolicyRecord['signatures'] =>
  statusOf(record, now) === 'DRAFT' ? [] : record.signatures;

/** The record as it counts now: a draft again where nobody signed beside the first in time. */
export function lapse(record: PolicyRecord, now: EpochMs): PolicyRecord {
  if (statusOf(record, now) === record.status) return record;
  const { signedUntil: _, ...draft } = record;
  return { ...draft, signatures: [], status: 'DRAFT' };
}

/** Throws `policy-immutable` for what is no draft any more. */
export function requireDraft({ status }: PolicyRecord): void {
  if (status === 'DRAFT' || status === 'PENDING_SIGNATURE') return;
  throw new DomainError('policy-immutable', { detail: `expected a draft, got ${status}` });
}

/** Strong entity tag of a record. */
export const etagOf = ({ policyVersion, version }: PolicyRecord): string =>
  `"${policyVersion}.${version}"`;

/** Throws `precondition-failed` where the caller means another revision. */
export function requireEtag(
  record: PolicyRecord | undefined,
  isExpected: ((etag: string) => boolean) | undefined,
): void {
  if (isExpected === undefined) return;
  if (record === undefined || !isExpected(etagOf(record))) {
    throw new DomainError('precondition-failed');
  }
}

/** SHA-256 hex of all of a record but what its author wrote in words. */
export function recordDigest({ justification: _, ...decisive }: PolicyRecord): string {
  return sha256Hex(`policy-record-v1\0${canonicalJson(decisive)}`);
}

/** As entries name it. */
export const targetOf = ({ policyVersion }: Pick<PolicyRecord, 'policyVersion'>): string =>
  `policy:${policyVersion}`;

/** The member of an entry that holds the records to it. */
export const heldMembers = (...records: readonly PolicyRecord[]): JsonObject => ({
  policies: records.map((record) => ({
    digest: recordDigest(record),
    version: record.policyVersion,
  })),
});

/** The record after a change; `undefined` takes a member away. */
export function nextRecord(
  record: PolicyRecord,
  changed: { readonly [Name in keyof PolicyRecord]?: PolicyRecord[Name] | undefined },
): PolicyRecord {
  const members = Object.entries({ ...record, ...changed, version: record.version + 1 });
  return Object.fromEntries(members.filter(([, value]) => value !== undefined)) as never;
}

/** Replaces the record by its next revision. */
export const putNext = (before: PolicyRecord, next: PolicyRecord): TableChange =>
  policyTable.put(next, before.version);

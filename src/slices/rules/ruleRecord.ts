/** A version of a rule as it is found and named, and the digest that its entries tell. */
import type { JsonObject } from '#core/audit';
import { DomainError, everyRecord, type TableChange, type TenantId } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import type { EpochMs } from '#platform/clock';
import { sha256Hex } from '#platform/crypto';
import { DEFAULT_PACK, PACK_RELEASED_AT, PACK_VERSION } from './defaultPack.ts';
import type { RuleReadPorts } from './ports.ts';
import type { Rule } from './ruleLanguage.ts';
import { type RuleRecord, type RuleStatus, ruleTable } from './tables.ts';

/** Where a version is, for a caller of this tenant. */
export interface RulePlace {
  readonly tenantId: TenantId;
  readonly ruleId: string;
  readonly ruleVersion: number;
}

/** SHA-256 hex of a rule (RFC 8785). */
export const contentHash = (rule: Rule): string => sha256Hex(canonicalJson(rule));

/**
 * The version of a rule of the pack, in shadow: it is in nobody's store until somebody does
 * something with it.
 */
export function packRecord(tenantId: TenantId, ruleId: string): RuleRecord | undefined {
  const content = DEFAULT_PACK.find((rule) => rule.rule_id === ruleId);
  if (content === undefined) return undefined;
  return {
    baseVersion: 0,
    content,
    contentHash: contentHash(content),
    createdAt: PACK_RELEASED_AT as EpochMs,
    createdBy: 'system',
    justification: 'Of the default pack',
    ruleId,
    ruleVersion: PACK_VERSION,
    signatures: [],
    status: 'shadow',
    tenantId,
    updatedAt: PACK_RELEASED_AT as EpochMs,
    updatedBy: 'system',
    version: 0,
  };
}

/** Throws `rule-unknown`, for another tenant's as for one that does not exist. */
export async function findRule(
  { tables }: Pick<RuleReadPorts, 'tables'>,
  { ruleId, ruleVersion, tenantId }: RulePlace,
): Promise<RuleRecord> {
  const found = await tables.find(ruleTable, { ruleId, ruleVersion, tenantId });
  const record = found ?? (ruleVersion === PACK_VERSION ? packRecord(tenantId, ruleId) : undefined);
  if (record === undefined) throw new DomainError('rule-unknown');
  return record;
}

/** All versions of the rules of a tenant, those of the pack among them, by id and version. */
export async function allRules(
  { tables }: Pick<RuleReadPorts, 'tables'>,
  tenantId: TenantId,
): Promise<readonly RuleRecord[]> {
  const found: RuleRecord[] = [];
  for await (const one of everyRecord(tables, ruleTable, { equal: { tenantId }, index: 'key' })) {
    found.push(one);
  }
  const known = new Set(found.map(({ ruleId, ruleVersion }) => `${ruleId}/${ruleVersion}`));
  for (const { rule_id } of DEFAULT_PACK) {
    const record = packRecord(tenantId, rule_id);
    if (record !== undefined && !known.has(`${rule_id}/${PACK_VERSION}`)) found.push(record);
  }
  return found.sort((one, other) =>
    one.ruleId === other.ruleId
      ? one.ruleVersion - other.ruleVersion
      : one.ruleId < other.ruleId
        ? -1
        : 1,
  );
}

/** The versions of one rule, the first one first. */
export const versionsOf = async (
  ports: Pick<RuleReadPorts, 'tables'>,
  { ruleId, tenantId }: Omit<RulePlace, 'ruleVersion'>,
): Promise<readonly RuleRecord[]> =>
  (await allRules(ports, tenantId)).filter((one) => one.ruleId === ruleId);

/** The state as it counts: a lone signature lapses before the job has written it. */
export function statusOf(
  { signedUntil, status }: Pick<RuleRecord, 'signedUntil' | 'status'>,
  now: EpochMs,
): RuleStatus {
  const isLapsed = status === 'PENDING_APPROVAL' && (signedUntil ?? 0) <= now;
  return isLapsed ? 'shadow' : status;
}

/** The record as it counts now. */
export function lapse(record: RuleRecord, now: EpochMs): RuleRecord {
  if (statusOf(record, now) === record.status) return record;
  const { signedUntil: _, ...rest } = record;
  return { ...rest, signatures: [], status: 'shadow' };
}

/** Throws `rule-immutable` for what is no draft any more. */
export function requireOpen({ status }: RuleRecord): void {
  if (isOpen({ status })) return;
  throw new DomainError('rule-immutable', {
    detail: `expected a version not yet in force, got ${status}`,
  });
}

/** Whether a version may still be changed. */
export const isOpen = ({ status }: Pick<RuleRecord, 'status'>): boolean =>
  status === 'draft' ||
  status === 'backtested' ||
  status === 'shadow' ||
  status === 'PENDING_APPROVAL';

/** Strong entity tag of a record. */
export const etagOf = ({
  ruleVersion,
  version,
}: Pick<RuleRecord, 'ruleVersion' | 'version'>): string => `"${ruleVersion}.${version}"`;

/** Throws `precondition-failed` where the caller means another revision. */
export function requireEtag(
  record: RuleRecord,
  isExpected: ((etag: string) => boolean) | undefined,
): void {
  if (isExpected !== undefined && !isExpected(etagOf(record))) {
    throw new DomainError('precondition-failed');
  }
}

/** SHA-256 hex of all of a record but what its author wrote in words. */
export function recordDigest({ justification: _, ...decisive }: RuleRecord): string {
  return sha256Hex(`rule-record-v1\0${canonicalJson(decisive)}`);
}

/** As entries name it. */
export const targetOf = ({
  ruleId,
  ruleVersion,
}: Pick<RuleRecord, 'ruleId' | 'ruleVersion'>): string => `rule:${ruleId}/${ruleVersion}`;

/** The member of an entry that holds the records to it. */
export const heldMembers = (...records: readonly RuleRecord[]): JsonObject => ({
  rules: records.map((record) => ({
    digest: recordDigest(record),
    rule_id: record.ruleId,
    version: record.ruleVersion,
  })),
});

/** The record after a change; `undefined` takes a member away. */
export function nextRecord(
  record: RuleRecord,
  changed: { readonly [Name in keyof RuleRecord]?: RuleRecord[Name] | undefined },
): RuleRecord {
  const members = Object.entries({ ...record, ...changed, version: record.version + 1 });
  return Object.fromEntries(members.filter(([, value]) => value !== undefined)) as never;
}

/** Replaces the record by its next revision; one of the pack is stored with it. */
export const putNext = (before: RuleRecord, next: RuleRecord): TableChange =>
  ruleTable.put(next, before.version);

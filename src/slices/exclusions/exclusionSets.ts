/**
 * The numbered sets of a tenant's exclusions. Each change of what holds makes the next one, in the
 * commit of the change, so that a digest in the evidence stands for one set and no other. An
 * exclusion names the sets between which it holds; a set is made of those, and of the versions of
 * lists that all of them were compared with.
 */
import { everyRecord, type TableChange, type Tables, type TenantId } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import type { EpochMs } from '#platform/clock';
import { sha256Hex } from '#platform/crypto';
import { withChecked } from './checkedVersions.ts';
import { exclusionDigest } from './exclusion.ts';
import type { ExclusionReads } from './ports.ts';
import {
  type CheckedVersions,
  type ExclusionRecord,
  type ExclusionSet,
  exclusionSetTable,
  exclusionTable,
} from './tables.ts';

/** The last set of a tenant; undefined where nothing was ever excluded. */
export async function lastSet(
  tables: Pick<Tables, 'page'>,
  tenantId: TenantId,
): Promise<ExclusionSet | undefined> {
  const ask = { direction: 'descending', equal: { tenantId }, index: 'key', limit: 1 } as const;
  return (await tables.page(exclusionSetTable, ask)).records[0];
}

/** Digest of a set: of what its exclusions decide, and of `checked`. */
export function setDigest(members: readonly ExclusionRecord[], checked: CheckedVersions): string {
  const rows = members
    .map(({ exclusionId, expiresAt, ftmId, source, subjectDigest, subjectKey }) => [
      exclusionId,
      source,
      ftmId,
      subjectKey,
      subjectDigest,
      expiresAt,
    ])
    .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1));
  return sha256Hex(`exclusion-set-v1\0${canonicalJson({ checked, members: rows })}`);
}

/** What holds in one set, as it was signed; and what claims to hold and was not. */
export interface HeldExclusions {
  readonly members: readonly ExclusionRecord[];
  /** Ids of rows that are not what their last entry made them. */
  readonly refused: readonly string[];
}

/** The exclusions that hold now. */
export async function heldNow(reads: ExclusionReads, tenantId: TenantId): Promise<HeldExclusions> {
  const walk = { equal: { state: 'active', tenantId }, index: 'byState' };
  return asSigned(reads, tenantId, everyRecord(reads.tables, exclusionTable, walk));
}

/** Those of a set that is past. */
export async function heldIn(
  reads: ExclusionReads,
  { setNo, tenantId }: Pick<ExclusionSet, 'setNo' | 'tenantId'>,
): Promise<HeldExclusions> {
  const walk = { equal: { tenantId }, index: 'newest' };
  const held = await asSigned(
    reads,
    tenantId,
    everyRecord(reads.tables, exclusionTable, walk),
    ({ fromSet = Number.POSITIVE_INFINITY, untilSet = Number.POSITIVE_INFINITY }) =>
      fromSet <= setNo && setNo < untilSet,
  );
  return held;
}

async function asSigned(
  { signed }: ExclusionReads,
  tenantId: TenantId,
  records: AsyncIterable<ExclusionRecord>,
  isWanted: (record: ExclusionRecord) => boolean = () => true,
): Promise<HeldExclusions> {
  const found: ExclusionRecord[] = [];
  for await (const record of records) if (isWanted(record)) found.push(record);
  // Read after the records: an entry is never later than the record that it is about.
  const { digests } = await signed.of(tenantId);
  const isSigned = (record: ExclusionRecord): boolean =>
    digests.get(record.exclusionId) === exclusionDigest(record);
  return {
    members: found.filter(isSigned),
    refused: found.filter((one) => !isSigned(one)).map(({ exclusionId }) => exclusionId),
  };
}

/** What a commit does to a set: exclusions as they become, and lists that were compared. */
export interface SetChange {
  readonly tenantId: TenantId;
  readonly at: EpochMs;
  /** Without `fromSet` and `untilSet`, which are given here. */
  readonly changed: readonly ExclusionRecord[];
  /** Content digest of the version in force of each list that was compared. */
  readonly checked?: Readonly<Record<string, string>>;
}

/** The same records with their sets, and the next set where another one holds. */
export async function withSet(
  reads: ExclusionReads,
  { at, changed, checked = {}, tenantId }: SetChange,
): Promise<{ readonly records: readonly ExclusionRecord[]; readonly changes: TableChange[] }> {
  // The set is read first: where another one comes meanwhile, the commit is stale.
  const last = await lastSet(reads.tables, tenantId);
  const setNo = (last?.setNo ?? 0) + 1;
  const records = changed.map((record) => numbered(record, setNo));
  const isSame = records.every((record, place) => record === changed[place]);
  if (isSame && Object.keys(checked).length === 0) return { changes: [], records };
  const { members } = await heldNow(reads, tenantId);
  const ids = new Set(records.map(({ exclusionId }) => exclusionId));
  const holding = [
    ...members.filter(({ exclusionId }) => !ids.has(exclusionId)),
    ...records.filter(({ state }) => state === 'active'),
  ];
  const { checked: before } = await reads.signed.of(tenantId);
  const next = withChecked(before, checked);
  const set: ExclusionSet = {
    at,
    checked: next,
    digest: setDigest(holding, next),
    setNo,
    tenantId,
  };
  return { changes: [exclusionSetTable.insert(set)], records };
}

/** One that begins or ends to hold is numbered; any other is the same. */
function numbered(record: ExclusionRecord, setNo: number): ExclusionRecord {
  const { fromSet, state, untilSet } = record;
  if (state === 'active') return fromSet === undefined ? { ...record, fromSet: setNo } : record;
  const hasEnded = fromSet !== undefined && untilSet === undefined;
  return hasEnded ? { ...record, untilSet: setNo } : record;
}

/** An exclusion as it is named, found, and told to others. */
import { type BusEvent, DomainError, type Tables, type TenantId } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import { type EpochMs, toTimestamp } from '#platform/clock';
import { sha256Hex } from '#platform/crypto';
import { type ExclusionRecord, type ExclusionState, exclusionTable } from './tables.ts';

/** Where an exclusion is, for a caller of this tenant. */
export interface ExclusionPlace {
  readonly tenantId: TenantId;
  readonly exclusionId: string;
}

/** Throws `exclusion-unknown`, for another tenant's as for one that does not exist. */
export async function findExclusion(
  { tables }: { readonly tables: Pick<Tables, 'find'> },
  { exclusionId, tenantId }: ExclusionPlace,
): Promise<ExclusionRecord> {
  const found = await tables.find(exclusionTable, { exclusionId, tenantId });
  if (found === undefined) throw new DomainError('exclusion-unknown');
  return found;
}

/** SHA-256 hex of a revision, as its entry in the chain names it. */
export const exclusionDigest = (record: ExclusionRecord): string =>
  sha256Hex(`exclusion-record-v1\0${canonicalJson(record)}`);

/** The state at an instant: one whose time is over is expired before a job has written it. */
export const stateAt = (
  { expiresAt, state }: Pick<ExclusionRecord, 'expiresAt' | 'state'>,
  now: EpochMs,
): ExclusionState => (isOpen({ state }) && now >= expiresAt ? 'expired' : state);

/** Whether it may still be decided. */
export const isOpen = ({ state }: Pick<ExclusionRecord, 'state'>): boolean =>
  state === 'proposed' || state === 'active';

/** Ids and the reason alone: neither the subject nor words of a person. */
export const endedEvent = (
  { exclusionId, ftmId, source, state, tenantId }: ExclusionRecord,
  { at, wasActive }: { readonly at: EpochMs; readonly wasActive: boolean },
): BusEvent => ({
  partition: tenantId,
  payload: {
    schema: 'sanctions.exclusion.ended.v1',
    exclusion_id: exclusionId,
    ftm_id: ftmId,
    source,
    status: state,
    was_active: wasActive,
    ended_at: toTimestamp(at),
  },
  topic: 'sanctions.exclusion.ended',
});

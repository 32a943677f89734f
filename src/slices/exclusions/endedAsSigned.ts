/** How an exclusion ended, as its signed entry tells it: what others hear of it. */
import { type EntryPorts, entryAbout, findEntryAbout, type JsonRecord } from '#core/audit';
import { chainOf } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import type { ExclusionPlace } from './exclusion.ts';
import type { ExclusionState } from './tables.ts';

/** Ids and states alone. */
export interface EndedExclusion {
  readonly exclusion_id: string;
  readonly ftm_id: string;
  readonly source: string;
  readonly status: ExclusionState;
  /** False: it was proposed, and never held. */
  readonly was_active: boolean;
  readonly ended_at: unknown;
}

const ENDS = [
  'SANCTIONS_EXCLUSION_REVOKED',
  'SANCTIONS_EXCLUSION_EXPIRED',
  'SANCTIONS_EXCLUSION_ENDED',
] as const;
const HOLDS = ['SANCTIONS_EXCLUSION_APPROVED', 'SANCTIONS_EXCLUSION_ADDED'] as const;

interface Told {
  readonly exclusion_id: string;
  readonly ftm_id: string;
  readonly source: string;
  readonly state: ExclusionState;
  /** Absent in entries of a former release. */
  readonly former_state?: ExclusionState | null;
}

/** Throws `evidence-altered` where no signed entry ended it. */
export async function endedAsSigned(
  ports: EntryPorts,
  { exclusionId, near, tenantId }: ExclusionPlace & { readonly near: EpochMs },
): Promise<EndedExclusion> {
  const toldIn = ({ exclusions = [] }: JsonRecord): Told | undefined =>
    (exclusions as readonly Told[]).find(({ exclusion_id }) => exclusion_id === exclusionId);
  const chainId = chainOf(tenantId);
  // One entry may end many, so it is not found by a target.
  const place = { chainId, isIt: (members: JsonRecord) => toldIn(members) !== undefined, near };
  const entry = await entryAbout(ports, { ...place, actions: ENDS });
  const { exclusion_id, former_state, ftm_id, source, state } = toldIn(entry) as Told;
  const isHeld = (members: JsonRecord) => toldIn(members)?.state === 'active';
  const held = { ...place, actions: HOLDS, isIt: isHeld };
  return {
    ended_at: entry.occurred_at,
    exclusion_id,
    ftm_id,
    source,
    status: state,
    was_active:
      former_state === undefined
        ? (await findEntryAbout(ports, held)) !== undefined
        : former_state === 'active',
  };
}

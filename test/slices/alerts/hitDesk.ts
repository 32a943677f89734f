/** A screening with made-up hits at a desk of alerts, and what a decision asks of exclusions. */
import type { SealedEvent } from '#core/audit';
import { chainOf } from '#core/kernel';
import { type AlertSettings, decideHit, type HitExclusions } from '#slices/alerts';
import type { ExclusionStep } from '#slices/exclusions';
import { caller, type machine, type Name, openDesk, START, TENANT } from './desk.ts';

export const WHY = 'Another date and another place of birth';
export const SCREENING = 'screening-1';
export const PLACE = { screeningId: SCREENING, tenantId: TENANT };

export const candidate = (ftmId: string, typology: string | null, directScore = 0.9) => ({
  directScore,
  ftm_id: ftmId,
  rcaHits: [],
  source_lists_hits: [{ list: 'OFAC_SDN' }],
  typology,
});

export const SANCTIONED = candidate('q-1', 'MATCH_DIRECT_SANCTIONS');
export const POLITICIAN = candidate('q-2', 'MATCH_PEP', 0.99);
export const BELOW = candidate('q-3', null, 0.6);

/** What a decision asks of exclusions, told. */
export const told: string[] = [];
function hitExclusions(): HitExclusions {
  const open = new Map<string, 'proposed' | 'active'>();
  const step = (records: readonly { readonly exclusionId: string }[]) =>
    ({ bus: [], changes: [], events: [], records }) as unknown as ExclusionStep;
  return {
    async adding({ by, ftmId }) {
      told.push(`add ${ftmId} ${by.actor}`);
      open.set(`x-${ftmId}`, 'proposed');
      return step([{ exclusionId: `x-${ftmId}` }]);
    },
    async approving({ by, exclusionIds }) {
      told.push(`approve ${exclusionIds.join()} ${by.actor}`);
      for (const id of exclusionIds) open.set(id, 'active');
      return step([]);
    },
    open: async (_, ids) =>
      ids.flatMap((exclusionId) =>
        open.has(exclusionId) ? [{ exclusionId, state: open.get(exclusionId) } as never] : [],
      ),
    async revoking({ exclusionIds }) {
      told.push(`revoke ${exclusionIds.join()}`);
      for (const id of exclusionIds) open.delete(id);
      return step([]);
    },
  };
}

/** A desk with a screening whose hits are decided. */
export function openHits(
  candidates = [SANCTIONED, POLITICIAN, BELOW],
  settings: Partial<AlertSettings> = {},
) {
  const desk = openDesk(settings);
  const decision = candidates.some(({ typology }) => typology === 'MATCH_DIRECT_SANCTIONS')
    ? 'MATCH_DIRECT_SANCTIONS'
    : 'MATCH_PEP';
  const event = {
    body: JSON.stringify({ candidates, lists: [], screening_id: SCREENING, verdict: { decision } }),
    occurredAt: START,
  } as SealedEvent;
  const read: unknown[] = [];
  const ports = {
    ...desk.ports,
    audit: {
      findByScreening: async (chainId: string, id: string) =>
        chainId === chainOf(TENANT) && id === SCREENING ? event : undefined,
    },
    exclusions: hitExclusions(),
    events: {
      checkOpen: async () => undefined,
      read: async (_: string, given: SealedEvent) => {
        read.push(given);
        return { screening_id: SCREENING };
      },
    },
  };
  const decide = (
    who: Name | typeof machine,
    ftmId: string,
    given: Partial<Parameters<typeof decideHit>[1]> = {},
  ) =>
    decideHit(ports, {
      ...PLACE,
      decision: 'false_positive',
      ftmId,
      notes: WHY,
      principal: typeof who === 'string' ? caller(who) : who,
      reasonCode: 'dob_differs',
      ...given,
    });
  const actions = () => desk.house.events.map(({ action }) => action);
  return { actions, decide, desk, ports, read };
}

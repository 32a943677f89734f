/**
 * A customer was a hit of a party who is on the list no more. People are told where the hit was
 * confirmed, or is still to be decided: what is blocked may have to be freed.
 */
import type { TenantId } from '#core/kernel';
import type { OutboxEvent } from '#core/reactions';
import {
  type AlertPorts,
  type AlertSubject,
  alertOfScreening,
  hitState,
  type ListChangeSubject,
  raiseAlerts,
} from '#slices/alerts';
import { type ScreenedPorts, signedScreening, sourceOf } from '#slices/screening';
import { type Sighting, sightingTable } from './tables.ts';

/** What alerts of delistings are raised with. */
export type DelistingPorts = AlertPorts & ScreenedPorts;

/** Raises the alert of a hit that has gone, once. */
export async function onDelisted(
  ports: DelistingPorts,
  { partition, payload }: Pick<OutboxEvent, 'partition' | 'payload'>,
): Promise<void> {
  const tenantId = partition as TenantId;
  const sightingId = String(payload.sighting_id);
  const sighting = await ports.tables.find(sightingTable, { sightingId, tenantId });
  if (sighting === undefined || (await isDismissed(ports, sighting))) return;
  const { ftmId, screeningId, source, subjectId, typology, version } = sighting;
  const { verdict } = await signedScreening(ports, { screeningId, tenantId });
  const hit = verdict.hits.find(({ ftm_id }) => ftm_id === ftmId);
  await raiseAlerts(ports, tenantId, [
    {
      cause: { findingId: `${sightingId}.${version}`, kind: 'list_change', subjectId },
      hitsTotal: 1,
      score: hit?.directScore ?? 0,
      source,
      type: 'list_change',
      typology,
    },
  ]);
}

/** Whether people have said that it was somebody else. */
async function isDismissed(
  ports: Pick<DelistingPorts, 'tables'>,
  { ftmId, screeningId, tenantId }: Sighting,
): Promise<boolean> {
  const alert = await alertOfScreening(ports, { screeningId, tenantId });
  return hitState(alert, ftmId).status === 'false_positive';
}

/** The customer and the hit that has gone, as the screening that found it was signed. */
export function delistedSubject(
  ports: Pick<DelistingPorts, 'audit' | 'clock' | 'events' | 'tables'>,
): ListChangeSubject {
  return async ({ findingId, tenantId }): Promise<AlertSubject | undefined> => {
    const [sightingId = ''] = findingId.split('.');
    const sighting = await ports.tables.find(sightingTable, { sightingId, tenantId });
    if (sighting === undefined) return undefined;
    const { ftmId, screeningId } = sighting;
    const { query, verdict } = await signedScreening(ports, { screeningId, tenantId });
    return {
      hits: verdict.hits
        .filter(({ ftm_id }) => ftm_id === ftmId)
        .map((hit) => ({
          ftmId,
          matchedName: hit.matched_name,
          primaryName: hit.primary_name,
          score: hit.directScore,
          source: sourceOf(hit),
          typology: hit.typology ?? '',
        })),
      isErased: query === undefined,
      ...(query !== undefined && { names: query.names }),
    };
  };
}

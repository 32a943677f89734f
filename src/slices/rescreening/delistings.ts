/**
 * A customer was a hit of a party who is on the list no more. People are told where the hit was
 * confirmed, or is still to be decided: what is blocked may have to be freed.
 */
import { DomainError, type TenantId } from '#core/kernel';
import type { OutboxEvent } from '#core/reactions';
import {
  type AlertPorts,
  type AlertSubject,
  alertOfScreening,
  type ComparesAlerts,
  hitState,
  type ListChangeSubject,
  raiseAlerts,
} from '#slices/alerts';
import {
  type ScreenedPorts,
  type SignedScreening,
  signedScreening,
  sourceOf,
} from '#slices/screening';
import type { RescreeningPorts } from './ports.ts';
import { sightingIdOf } from './sightings.ts';
import { type Sighting, sightingTable } from './tables.ts';

/** What alerts of delistings are raised with. */
export type DelistingPorts = AlertPorts &
  ScreenedPorts &
  Pick<RescreeningPorts, 'entries' | 'sightings'> & { readonly signed: ComparesAlerts };

/** Raises the alert of a hit that has gone, once. Throws `evidence-altered`. */
export async function onDelisted(
  ports: DelistingPorts,
  { partition, payload }: Pick<OutboxEvent, 'partition' | 'payload'>,
): Promise<void> {
  const tenantId = partition as TenantId;
  const sightingId = String(payload.sighting_id);
  const sighting = await goneSighting(ports, { sightingId, tenantId });
  if (sighting === undefined || (await isDismissed(ports, sighting))) return;
  const { ftmId, source, subjectId, typology, version } = sighting;
  const { verdict } = await screeningOf(ports, sighting);
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

/** The finding as its last entry made it; undefined where that does not say that it is gone. */
async function goneSighting(
  { entries, sightings, tables }: DelistingPorts,
  key: Pick<Sighting, 'sightingId' | 'tenantId'>,
): Promise<Sighting | undefined> {
  const { sightingId, tenantId } = key;
  const { isRefused, row } = await entries.settled(tenantId, async () => {
    const row = await tables.find(sightingTable, key);
    const signed = await sightings.of(tenantId);
    const isTold = signed.told.placeOf(sightingId) !== undefined;
    const isRefused = row === undefined ? isTold : signed.refuses(row);
    return { found: { isRefused, row }, isRefused };
  });
  if (isRefused) {
    const detail = `finding ${sightingId}: its row is not what its last entry made it`;
    throw new DomainError('evidence-altered', { detail });
  }
  return row?.isCurrent === false ? row : undefined;
}

/**
 * The screening that has found it, as it was signed. What was found follows from the finding's id,
 * which alerts name; the screening must be of the same customer.
 */
async function screeningOf(ports: ScreenedPorts, sighting: Sighting): Promise<SignedScreening> {
  const { screeningId, sightingId, subjectId, tenantId } = sighting;
  const screened = await signedScreening(ports, { screeningId, tenantId });
  const isOfHim = screened.subjectKey === undefined || screened.subjectKey === subjectId;
  if (sightingIdOf(sighting) === sightingId && isOfHim) return screened;
  const detail = `finding ${sightingId}: made for another party or customer than it tells of`;
  throw new DomainError('evidence-altered', { detail });
}

/** Whether people have said that it was somebody else. A row that nobody signed says nothing. */
async function isDismissed(
  ports: Pick<DelistingPorts, 'signed' | 'tables'>,
  { ftmId, screeningId, tenantId }: Sighting,
): Promise<boolean> {
  const alert = await alertOfScreening(ports, { screeningId, tenantId });
  if (hitState(alert, ftmId).status !== 'false_positive') return false;
  return alert !== undefined && (await ports.signed.isAsSigned(alert));
}

/** The customer and the hit that has gone, as the screening that found it was signed. */
export function delistedSubject(
  ports: Pick<DelistingPorts, 'audit' | 'clock' | 'events' | 'tables'>,
): ListChangeSubject {
  return async ({ findingId, tenantId }): Promise<AlertSubject | undefined> => {
    const [sightingId = ''] = findingId.split('.');
    const sighting = await ports.tables.find(sightingTable, { sightingId, tenantId });
    if (sighting === undefined) return undefined;
    const { ftmId } = sighting;
    const { query, verdict } = await screeningOf(ports, sighting);
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

/** Verdicts on parties as they stand on the wire. */
import type { PartyVerdict } from '#slices/monitoring';

export const presentParty = ({
  decision,
  place,
  reading,
  role,
  screeningId,
  since,
}: PartyVerdict) => ({
  role,
  place: place ?? null,
  reading: reading ?? null,
  decision,
  since: since ?? null,
  screening_id: screeningId ?? null,
});

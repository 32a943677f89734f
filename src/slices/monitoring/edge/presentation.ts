/** Verdicts on parties as they stand on the wire. */
import type { AdvisedTransaction, PartyVerdict } from '#slices/monitoring';

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

export const presentAdvised = ({
  alerts,
  decidedBy,
  decision,
  parties,
  tseq,
  txId,
}: AdvisedTransaction) => ({
  tx_id: txId,
  tseq,
  decision,
  decided_by: decidedBy,
  alerts,
  screening: parties.map(presentParty),
});

/** What a list says of a screening, taken from its event. */
import type { JsonRecord } from '#core/audit';
import type { Channel, Decision, NormalizedQuery } from '#slices/screening';
import { type CandidateRecord, hitsOf, type MergedPositions } from '#slices/screening';

/** Who was screened, as the name was compared. */
export interface SummarySubject {
  readonly name: string | null;
  readonly dob: string | null;
  readonly nationality: string | null;
}

/** The leading hit: the most severe, and of those the best. */
export interface TopHit {
  readonly ftm_id: string;
  readonly primary_name: string;
  readonly typology: string;
  readonly directScore: number;
}

/** One row of a list. */
export interface ScreeningSummary {
  readonly screeningId: string;
  readonly eventId: string;
  readonly occurredAt: string;
  readonly decision: Decision;
  readonly channel: Channel;
  /** Absent once it is erased. */
  readonly subject?: SummarySubject;
  readonly hitsCount: number;
  readonly topHit: TopHit | null;
  readonly suppressedCount: number;
  readonly listVersion: string;
  readonly policyVersion: number;
  readonly requestedBy: string;
}

/** Members of a screening's event. */
interface ScreeningMembers {
  readonly candidates: readonly CandidateRecord[];
  readonly channel?: Channel;
  readonly event_id: string;
  readonly list_version: string;
  readonly merged?: readonly MergedPositions[];
  readonly occurred_at: string;
  readonly policy_version: number;
  readonly query_normalized?: NormalizedQuery;
  readonly requested_by: string;
  readonly screening_id: string;
  readonly suppressed?: readonly unknown[];
  readonly verdict: { readonly decision: Decision };
}

/** @param event the members of an event of type screening that was checked */
export function summaryOf(event: JsonRecord): ScreeningSummary {
  const members = event as unknown as ScreeningMembers;
  const { decision } = members.verdict;
  const hits = hitsOf(members.candidates, members.merged);
  const query = members.query_normalized;
  return {
    channel: members.channel ?? 'unit',
    decision,
    eventId: members.event_id,
    hitsCount: hits.length,
    listVersion: members.list_version,
    occurredAt: members.occurred_at,
    policyVersion: members.policy_version,
    requestedBy: members.requested_by,
    screeningId: members.screening_id,
    suppressedCount: members.suppressed?.length ?? 0,
    topHit: topHitOf(hits, decision),
    ...(query !== undefined && {
      subject: {
        dob: query.dob ?? query.dob_range ?? null,
        name: query.names[0] ?? null,
        nationality: query.nationality ?? null,
      },
    }),
  };
}

function topHitOf(hits: readonly CandidateRecord[], decision: Decision): TopHit | null {
  const [top] = hits.toSorted(
    (one, other) =>
      Number(other.typology === decision) - Number(one.typology === decision) ||
      other.directScore - one.directScore,
  );
  if (top === undefined) return null;
  const { directScore, ftm_id, primary_name, typology } = top;
  return { directScore, ftm_id, primary_name, typology: typology ?? '' };
}

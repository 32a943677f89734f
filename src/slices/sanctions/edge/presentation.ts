/** How screenings are shown: over HTTP and by the command line. */
import type { AuditStore } from '#core/audit';
import { chainOf, type Tables, type TenantId } from '#core/kernel';
import { toTimestamp } from '#platform/clock';
import {
  type ChainBreaks,
  type ListedScreening,
  progressOf,
  registerProgressTable,
  type ScreeningReplay,
  SHOWN_BREAKS_MAX,
} from '#slices/sanctions';

/** One row; of an event that is not what was signed nothing is shown. */
export function presentListed({ event, fault, review, row, summary }: ListedScreening) {
  return {
    screening_id: row.screeningId,
    occurred_at: summary?.occurredAt ?? toTimestamp(row.occurredAt),
    seq: event?.seq ?? null,
    event_id: summary?.eventId ?? null,
    decision: summary?.decision ?? row.decision,
    subject: summary === undefined ? null : subjectOf(summary.subject),
    hits_count: summary?.hitsCount ?? null,
    top_hit: summary?.topHit ?? null,
    suppressed_count: summary?.suppressedCount ?? null,
    review_status: review ?? null,
    list_version: summary?.listVersion ?? null,
    policy_version: summary?.policyVersion ?? null,
    requested_by: summary?.requestedBy ?? row.requestedBy,
    channel: summary?.channel ?? row.channel,
    fault: fault?.reason ?? null,
  };
}

const subjectOf = (subject: NonNullable<ListedScreening['summary']>['subject']) =>
  subject === undefined
    ? { dob: null, erased: true, name: null, nationality: null }
    : { ...subject, erased: false };

/** How good the chain behind a page is. */
export async function presentChain(
  {
    audit,
    breaks,
    tables,
  }: {
    readonly breaks: Pick<ChainBreaks, 'of'>;
    readonly audit: Pick<AuditStore, 'head' | 'latestCheckpoint'>;
    readonly tables: Pick<Tables, 'find'>;
  },
  tenantId: TenantId,
  screenings: readonly ListedScreening[],
) {
  const chainId = chainOf(tenantId);
  const [head, checkpoint, progress, told] = await Promise.all([
    audit.head(chainId),
    audit.latestCheckpoint(chainId),
    tables.find(registerProgressTable, progressOf(tenantId)),
    breaks.of(chainId),
  ]);
  const bad = screenings
    .filter(({ fault }) => fault !== undefined)
    .toSorted((one, other) => (one.event?.seq ?? 0) - (other.event?.seq ?? 0));
  // One that is gone has no seq of its own any more.
  const first = bad.find(({ event }) => event !== undefined) ?? bad[0];
  return {
    status: first === undefined ? 'verified' : 'broken',
    checked: screenings.length,
    first_bad_seq: first?.event?.seq ?? null,
    reason: first?.fault?.reason ?? null,
    acknowledged: told.length > 0 && told.every(({ resolution }) => resolution !== undefined),
    breaks: told.slice(0, SHOWN_BREAKS_MAX).map(({ alertId, resolution, seq }) => ({
      alert_id: alertId,
      resolution: resolution ?? null,
      seq,
    })),
    indexed_seq: progress?.throughSeq ?? 0,
    head_seq: head.seq,
    checkpoint_seq: checkpoint?.seq ?? 0,
  };
}

/** A replay; `running` where a worker has begun it. */
export function presentReplay({ result, startedAt, status, ...replay }: ScreeningReplay) {
  const begun = result?.startedAt ?? startedAt;
  return {
    replay_id: replay.replayId,
    screening_id: replay.screeningId,
    status: status === 'queued' && startedAt !== undefined ? 'running' : status,
    reason: result?.reason ?? null,
    list_digests: result?.listDigests ?? [],
    reranker_version: result?.rerankerVersion ?? null,
    policy_version: result?.policyVersion ?? null,
    differences: result?.differences ?? [],
    original_hash: result?.originalHash ?? null,
    replayed_hash: result?.replayedHash ?? null,
    runtime: result?.runtime ?? null,
    requested_by: replay.requestedBy,
    requested_at: toTimestamp(replay.requestedAt),
    started_at: begun === undefined ? null : toTimestamp(begun),
    finished_at: result === undefined ? null : toTimestamp(result.finishedAt),
    event_id: result?.eventId ?? null,
  };
}

/**
 * A person's decision about one hit (interface.md 3.3): its record and its entry in the chain in
 * one commit. If two persons decide at once, one of them gets a conflict. A decision may be
 * replaced by a person who names the version that they have seen.
 */
import { type Asker, type Commit, entry, type IdempotencyRecord, StaleChange } from '#core/audit';
import { type ChainId, chainOf, DomainError } from '#core/kernel';
import { type Clock, toTimestamp } from '#platform/clock';
import type { Random } from '#platform/random';
import type { ShownFacts } from '#slices/lists';
import type { Batch, HitDecision, HitReview } from './batch.ts';
import type { ReadingCaller } from './chunkReading.ts';
import { type FoundHit, findHit, type HitPorts } from './hitPages.ts';
import { DECIDED_ACTION, reviewDigest } from './signedReviews.ts';
import { reviewTable } from './tables.ts';

export const HIT_NOTES_CHARS_MAX = 4_000;

export interface DecideHitPorts extends HitPorts {
  readonly commit: (chainId: ChainId, commit: Commit) => Promise<unknown>;
  readonly clock: Pick<Clock, 'now'>;
  readonly random: Random;
}

export interface DecideHit extends Asker {
  readonly batch: Batch;
  readonly hitId: string;
  readonly decision: HitDecision;
  readonly notes: string;
  /** Id of the API key or of the account. */
  readonly reviewerId: string;
  /** Whether the caller means this version; absent: a hit that is pending. */
  readonly isExpected?: (version: number) => boolean;
  readonly idempotency?: (decided: FoundHit) => IdempotencyRecord;
  readonly by?: ReadingCaller;
}

/** 0: the hit is not decided yet. */
export const versionOfHit = ({ review }: Pick<FoundHit, 'review'>): number => review?.version ?? 0;

/**
 * Rejects with `not-found`; with `state-conflict` where it is decided already and no version was
 * named; with `precondition-failed` where another version was.
 */
export async function decideHit(ports: DecideHitPorts, ask: DecideHit): Promise<FoundHit> {
  const { batch, idempotency, isExpected } = ask;
  const found = await findHit(ports, ask, ask.hitId);
  const version = versionOfHit(found);
  if (!(isExpected?.(version) ?? version === 0)) throw tooLate(ask);
  const review: HitReview = {
    batchId: batch.batchId,
    decision: ask.decision,
    hitId: ask.hitId,
    notes: ask.notes,
    ordinal: found.place.ordinal,
    position: found.place.position,
    reviewedAt: ports.clock.now(),
    reviewerId: ask.reviewerId,
    tenantId: batch.tenantId,
    version: version + 1,
  };
  const decided = { ...found, review };
  try {
    await ports.commit(chainOf(batch.tenantId), {
      bus: [],
      changes: [reviewTable.put(review, version)],
      events: [decidedEntry(ports, ask, { found, next: review })],
      ...(idempotency !== undefined && { idempotency: () => idempotency(decided) }),
    });
  } catch (error) {
    throw error instanceof StaleChange ? tooLate(ask) : error;
  }
  return decided;
}

const tooLate = ({ isExpected }: DecideHit): DomainError =>
  isExpected === undefined
    ? new DomainError('state-conflict', {
        detail: 'the hit is decided already: name the version in If-Match to decide it anew',
      })
    : new DomainError('precondition-failed');

function decidedEntry(
  ports: DecideHitPorts,
  ask: DecideHit,
  { found, next }: { readonly found: FoundHit; readonly next: HitReview },
) {
  const { hit, review, subject } = found;
  return entry(ports, {
    action: DECIDED_ACTION,
    actor: ask.actor,
    ...(ask.ip !== undefined && { ip: ask.ip }),
    target: ask.batch.batchId,
    members: {
      batch_subject_id: subject.batch_subject_id,
      decision: ask.decision,
      former_decision: review?.decision ?? 'pending',
      hit_id: hit.hit_id,
      list_source: hit.list_source,
      match_score: hit.match_score,
      match_type: hit.match_type,
      record_id: hit.record_id,
      review_digest: reviewDigest(next),
      version: next.version,
    },
    open: { external_id: subject.external_id, notes: ask.notes },
  });
}

/** A hit as its tenant sees it (interface.md 2.3), with what the list says of the party. */
export function presentHit(
  { batchId }: Pick<Batch, 'batchId'>,
  found: FoundHit,
  facts: ShownFacts,
) {
  const { hit, review, subject } = found;
  return {
    hit_id: hit.hit_id,
    batch_id: batchId,
    batch_subject_id: subject.batch_subject_id,
    external_id: subject.external_id,
    subject_data: subject.erased ? {} : subject.subject,
    ...(subject.erased && { erased: true }),
    list_source: hit.list_source,
    record_id: hit.record_id,
    match_score: hit.match_score,
    match_type: hit.match_type,
    strong: hit.strong,
    payload: { ...hit.payload, ...facts },
    decision: review?.decision ?? 'pending',
    reviewer_id: review?.reviewerId ?? null,
    reviewed_at: review === undefined ? null : toTimestamp(review.reviewedAt),
    notes: review?.notes ?? null,
  };
}

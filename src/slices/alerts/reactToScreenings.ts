/**
 * What alerts do with the events of others: a screening with a hit raises an alert, and so does
 * each subject of a batch whose decision is `match`. Hits under review stay in the batch's own list
 * (decision 8.3). Events come at least once, and an alert's id follows from its cause.
 */
import type { AuditStore } from '#core/audit';
import { type BatchId, chainOf, type ScreeningId, type TenantId } from '#core/kernel';
import type { OutboxEvent } from '#core/reactions';
import type { BatchHit, SubjectResult } from '#slices/batches';
import { findExclusion } from '#slices/exclusions';
import { type ScreenedPorts, signedVerdict } from '#slices/screening';
import { TYPOLOGY_OF } from './alert.ts';
import { type BatchEvidencePorts, resultsOfChunk } from './batchSubjects.ts';
import { draftOf, saysClear } from './hitReviews.ts';
import type { AlertPorts } from './ports.ts';
import { type AlertDraft, raiseAlerts } from './raiseAlerts.ts';

/** What reactions read. */
export interface ReactionPorts extends AlertPorts, BatchEvidencePorts, ScreenedPorts {
  readonly audit: Pick<AuditStore, 'findByScreening' | 'findByScreenings'>;
  readonly clock: AlertPorts['clock'];
}

/**
 * Raises the alerts of those of a tenant's screenings that have hits, in one commit. The outbox
 * says which screenings there are; what was found is read from their events, which are verified
 * where there is anything. One that is clear is verified with its chain: that costs a third of a
 * millisecond, and nearly all are.
 */
export async function onScreened(
  ports: ReactionPorts,
  events: readonly Pick<OutboxEvent, 'partition' | 'payload'>[],
): Promise<void> {
  const tenantId = events[0]?.partition as TenantId;
  const named = events.map(({ payload }) => payload as { readonly screeningId: ScreeningId });
  const stored = await ports.audit.findByScreenings(
    chainOf(tenantId),
    named.map(({ screeningId }) => screeningId),
  );
  const drafts: AlertDraft[] = [];
  for (const { screeningId } of named) {
    const event = stored.get(screeningId);
    if (event !== undefined && saysClear(event, screeningId)) continue;
    const draft = draftOf(await signedVerdict(ports, { screeningId, tenantId }));
    if (draft !== undefined) drafts.push(draft);
  }
  await raiseAlerts(ports, tenantId, drafts);
}

/** Raises the alerts of a chunk that is done. Screenings of their own have raised theirs. */
export async function onChunkDone(
  ports: ReactionPorts,
  { partition, payload }: Pick<OutboxEvent, 'partition' | 'payload'>,
): Promise<void> {
  const { batchId, chunkNo } = payload as {
    readonly batchId: BatchId;
    /** Absent in events of a former release, whose batches raised no alerts. */
    readonly chunkNo?: number;
  };
  const tenantId = partition as TenantId;
  if (chunkNo === undefined) return;
  const batch = await ports.batches.findBatch({ batchId, tenantId });
  if (batch === undefined || batch.kind === 'sanctions') return;
  const results = await resultsOfChunk(ports, batch, chunkNo);
  const matches = results.filter(({ decision }) => decision === 'match');
  await raiseAlerts(
    ports,
    tenantId,
    matches.flatMap((result) => draftOfSubject(batchId, result)),
  );
}

/**
 * Raises the alert of an exclusion that the list has ended: it is to be looked at whom it means
 * now. What only waited for a second person has an alert of its own, still.
 */
export async function onExclusionEnded(
  ports: AlertPorts,
  { partition, payload }: Pick<OutboxEvent, 'partition' | 'payload'>,
): Promise<void> {
  const {
    exclusion_id: exclusionId,
    status,
    was_active,
  } = payload as {
    readonly exclusion_id: string;
    readonly status: string;
    readonly was_active: boolean;
  };
  if (status !== 'ended_on_change' || !was_active) return;
  const tenantId = partition as TenantId;
  const { score, source, typology } = await findExclusion(ports, { exclusionId, tenantId });
  await raiseAlerts(ports, tenantId, [
    {
      cause: { exclusionId, kind: 'exclusion_ended' },
      hitsTotal: 1,
      score,
      source,
      type: 'list_change',
      typology,
    },
  ]);
}

function draftOfSubject(batchId: BatchId, result: SubjectResult): AlertDraft[] {
  const [best] = result.hits.toSorted(bySeverity);
  if (best === undefined) return [];
  return [
    {
      cause: {
        batchId,
        batchSubjectId: result.batch_subject_id,
        kind: 'batch_subject',
        ordinal: result.ordinal,
      },
      hitsTotal: result.hits.length,
      score: best.match_score,
      source: best.list_source,
      type: 'batch',
      typology: TYPOLOGY_OF[best.match_type],
    },
  ];
}

const KINDS = Object.keys(TYPOLOGY_OF);
/** The most severe kind of hit first, then the best score. */
const bySeverity = (one: BatchHit, other: BatchHit): number =>
  KINDS.indexOf(one.match_type) - KINDS.indexOf(other.match_type) ||
  other.match_score - one.match_score;

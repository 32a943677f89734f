/** The start of a run that may shrink its list, from the failed run that two persons examined. */
import { entry } from '#core/audit';
import type { ApprovedBy, DualControlSubject } from '#core/identity';
import { DomainError } from '#core/kernel';
import type { Clock } from '#platform/clock';
import type { Random } from '#platform/random';
import type { ListSource } from '#slices/lists';
import type { ListRun, ShrinkRelease } from './ports.ts';
import type { StartRun } from './runs.ts';

/** What the approver of a shrink signs. */
export const shrinkSubject = ({ runId }: Pick<ListRun, 'runId'>): DualControlSubject => ({
  field: 'shrink_approved',
  newValue: true,
  resource: `sanctions_list_run:${runId}`,
});

/**
 * What would be let go. Throws `state-conflict` for a run that does not wait for it, or that a
 * newer one followed.
 */
export function releasedBy(of: {
  readonly failed: ListRun;
  readonly source: ListSource | undefined;
}): ShrinkRelease {
  const { failed, source } = of;
  const { kind, runId } = failed;
  const isWaiting = failed.status === 'failed' && failed.errorCode === 'list-shrunk';
  if (!isWaiting || kind === 'manual' || source?.lastRunId !== runId) {
    throw conflict(runId, 'the latest run of its source, fetched, and failed with list-shrunk');
  }
  return releaseOf(failed);
}

/**
 * Throws `state-conflict` for a run that does not wait for this, or that a newer one followed. The
 * release names the refused losses, and covers only those.
 */
export function shrinkApproval(
  context: { readonly clock: Clock; readonly random: Random },
  of: {
    readonly failed: ListRun;
    readonly source: ListSource | undefined;
    readonly by: Omit<ApprovedBy, 'idempotency'>;
  },
): Omit<StartRun, 'triggeredBy'> {
  const { by, failed } = of;
  const { alongside, approval, ip, reason } = by;
  const { kind, runId, sourceId } = failed;
  const released = releasedBy(of);
  return {
    alongside: (run) => ({
      bus: alongside?.bus ?? [],
      changes: [approval.consume, ...(alongside?.changes ?? [])],
      events: [
        entry(context, {
          action: 'SANCTIONS_SHRINK_APPROVED',
          actor: `person:${approval.author.id}`,
          ...(ip !== undefined && { ip }),
          members: {
            approval_digest: approval.digest,
            approval_key_id: approval.keyId,
            approved_by: `person:${approval.approver.id}`,
            failed_run_id: runId,
            file_sha256: released.fileSha256,
            removed_count: released.removedCount,
            removed_digest: released.removedDigest,
            run_id: run.runId,
          },
          open: { approval_reason: reason },
          severity: 'NOTICE',
          target: sourceId,
        }),
        ...(alongside?.events ?? []),
      ],
    }),
    // The publisher would say that nothing changed since the file that was refused.
    isForced: true,
    kind,
    ...(failed.retryOf !== undefined && { retryOf: failed.retryOf }),
    shrink: { approvedBy: approval.approver.id, released },
    sourceId,
  };
}

/** A run of an earlier release does not record why it was refused, so it cannot be released. */
function releaseOf({ fileSha256, removedCount, removedDigest, runId }: ListRun): ShrinkRelease {
  if (fileSha256 === undefined || removedCount === undefined || removedDigest === undefined) {
    throw conflict(runId, 'a run that tells its file; start another one and release that');
  }
  return { fileSha256, removedCount, removedDigest };
}

const conflict = (runId: string, expected: string) =>
  new DomainError('state-conflict', { detail: `run ${runId}: expected ${expected}` });

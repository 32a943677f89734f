/** The start of a run that may shrink its list, from the failed run that two persons looked at. */
import type { Approval } from '#domain/identity';
import { DomainError } from '#domain/kernel';
import { type ListRun, type ListSource, listEntry, type StartRun } from '#domain/lists';
import type { Clock } from '#platform/clock';
import type { Random } from '#platform/random';

/** Throws `state-conflict` for a run that does not wait for this, or that a newer one followed. */
export function shrinkApproval(
  context: { readonly clock: Clock; readonly random: Random },
  of: {
    readonly failed: ListRun;
    readonly source: ListSource | undefined;
    readonly approval: Approval;
    readonly reason: string;
  },
): Omit<StartRun, 'triggeredBy'> {
  const { approval, failed, reason, source } = of;
  const { kind, runId, sourceId } = failed;
  const isWaiting = failed.status === 'failed' && failed.errorCode === 'list-shrunk';
  if (!isWaiting || kind === 'manual' || source?.lastRunId !== runId) {
    const expected = 'the latest run of its source, fetched, and failed with list-shrunk';
    throw new DomainError('state-conflict', { detail: `run ${runId}: expected ${expected}` });
  }
  return {
    alongside: (run) => ({
      changes: [approval.consume],
      events: [
        listEntry(context, {
          action: 'SANCTIONS_SHRINK_APPROVED',
          actor: `person:${approval.author.id}`,
          members: {
            approval_key_id: approval.keyId,
            approved_by: `person:${approval.approver.id}`,
            failed_run_id: runId,
            run_id: run.runId,
          },
          open: { approval_reason: reason },
          severity: 'NOTICE',
          target: sourceId,
        }),
      ],
    }),
    // The publisher would say that nothing changed since the file that was refused.
    isForced: true,
    kind,
    shrinkApprovedBy: approval.approver.id,
    sourceId,
  };
}

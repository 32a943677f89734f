/** How requests for a second signature are shown, over HTTP and by the command line. */
import { approvalMessage } from '#core/identity';
import { type EpochMs, toTimestamp } from '#platform/clock';
import { type ApprovalRequest, stateOf } from '#slices/approvals';

/** What stands there now; absent where the change cannot be made as it was asked for. */
export interface Current {
  readonly old: unknown;
  readonly about?: unknown;
  readonly isStale: boolean;
}

const time = (at: EpochMs | undefined) => (at === undefined ? null : toTimestamp(at));

export function presentRequest(request: ApprovalRequest, now: EpochMs) {
  const { authorId, field, newValue, resource } = request;
  return {
    approval_id: request.approvalId,
    resource,
    field,
    old_value: request.oldValue,
    new_value: newValue,
    reason: request.reason,
    base_version: request.baseVersion,
    state: stateOf(request, now),
    author: authorId,
    signer_roles: request.signerRoles,
    requested_at: toTimestamp(request.requestedAt),
    expires_at: toTimestamp(request.expiresAt),
    ended_at: time(request.endedAt),
    ended_by: request.endedBy ?? null,
    comment: request.comment ?? null,
    signed: { author: authorId, field, new_value: newValue, prefix: PREFIX, resource },
  };
}

export function presentDetail(
  request: ApprovalRequest,
  of: {
    readonly now: EpochMs;
    readonly current: Current | undefined;
    /** Person id of a caller who may sign. */
    readonly approver: string | undefined;
  },
) {
  const { approver, current, now } = of;
  return {
    ...presentRequest(request, now),
    current: { about: current?.about ?? null, value: current?.old ?? null },
    stale: current?.isStale ?? true,
    signing: approver === undefined ? null : presentSigning(request, approver),
  };
}

const PREFIX = 'dual-control-v1\0';
/** The timestamp is the last member of the canonical JSON. */
const AFTER_TIMESTAMP = '"}';

function presentSigning(
  { authorId, field, newValue, resource }: ApprovalRequest,
  approver: string,
) {
  const signers = { approver, author: authorId, timestamp: '' };
  const message = approvalMessage({ field, newValue, resource }, signers);
  const text = Buffer.from(message).toString('utf8');
  return {
    approver,
    author: authorId,
    field,
    new_value: newValue,
    resource,
    timestamp: null,
    prefix: PREFIX,
    before_timestamp: text.slice(PREFIX.length, -AFTER_TIMESTAMP.length),
    after_timestamp: AFTER_TIMESTAMP,
  };
}

/** One change of a request: its record, its entry and what is told of it, in one commit. */
import { type AuditAction, entry, type IdempotencyRecord, type JsonObject } from '#core/audit';
import { type BusEvent, chainOf, DomainError, type TableChange } from '#core/kernel';
import { toTimestamp } from '#platform/clock';
import { effectiveDue } from './deadlines.ts';
import type { PrivacyActor, PrivacyPorts } from './ports.ts';
import { requestDigest, requestTarget } from './signedPrivacy.ts';
import { type PrivacyRequest, privacyRequestTable, type RequestState } from './tables.ts';

/** The answer that is kept under the caller's key. */
export type KeptRequest = (request: PrivacyRequest) => IdempotencyRecord;

/** What is done, and what comes of it. */
export interface RequestStep {
  readonly action: AuditAction;
  readonly by: Pick<PrivacyActor, 'actor' | 'ip'>;
  readonly before?: PrivacyRequest;
  readonly after: PrivacyRequest;
  readonly members?: JsonObject;
  /** Free text, and what else is personal. */
  readonly open?: JsonObject;
  readonly idempotency?: KeptRequest | undefined;
  /** Changes of other records, in the same commit. */
  readonly beside?: readonly TableChange[];
  /** Events beside that of the request. */
  readonly told?: readonly BusEvent[];
  /** The step is told to nobody: that it was done tells of whom it was not. */
  readonly isUntold?: true;
}

/** Commits it and answers the request as it became. */
export async function commitRequest(
  { clock, commit, random }: Pick<PrivacyPorts, 'clock' | 'commit' | 'random'>,
  step: RequestStep,
): Promise<PrivacyRequest> {
  const { action, after, before, beside = [], by, idempotency, isUntold, members, open } = step;
  const { requestId, tenantId } = after;
  await commit(chainOf(tenantId), {
    bus: isUntold ? [] : [changedEvent(step), ...(step.told ?? [])],
    changes: [
      before === undefined
        ? privacyRequestTable.insert(after)
        : privacyRequestTable.put(after, before.version),
      ...beside,
    ],
    events: [
      entry(
        { clock, random },
        {
          ...by,
          action,
          members: {
            ...members,
            request_action: after.action,
            request_digest: requestDigest(after),
            status: after.status,
          },
          target: requestTarget(requestId),
          ...(open !== undefined && { open }),
          ...(isReminder(step) && { severity: 'NOTICE' as const }),
        },
      ),
    ],
    ...(idempotency !== undefined && { idempotency: () => idempotency(after) }),
  });
  return after;
}

const isReminder = ({ action }: RequestStep): boolean => action === 'privacy.request.reminded';

function changedEvent(step: RequestStep): BusEvent {
  const { after, members } = step;
  const { action, requestId, status, tenantId } = after;
  return {
    partition: tenantId,
    payload: {
      action,
      due_at: toTimestamp(effectiveDue(after)),
      request_id: requestId,
      status,
      tenant_id: tenantId,
      ...(isReminder(step) && { days_left: members?.days_left }),
    },
    topic: isReminder(step) ? 'privacy.request.reminder' : 'privacy.request.changed',
  };
}

/** Throws `privacy-request-state` unless the request is in one of these. */
export function requireState(
  { status }: Pick<PrivacyRequest, 'status'>,
  ...expected: readonly RequestState[]
): void {
  if (expected.includes(status)) return;
  const detail = `the request is ${status}; expected ${expected.join(' or ')}`;
  throw new DomainError('privacy-request-state', { detail });
}

/** The member that is wrong, and what was expected. */
export function invalidRequest(pointer: string, detail: string): DomainError {
  const violations = [{ code: 'privacy-request-invalid', detail, pointer }];
  return new DomainError('privacy-request-invalid', { detail, violations });
}

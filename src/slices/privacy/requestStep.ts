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
}

/** Commits it and answers the request as it became. */
export async function commitRequest(
  { clock, commit, random }: Pick<PrivacyPorts, 'clock' | 'commit' | 'random'>,
  { action, after, before, beside = [], by, idempotency, members, open, told = [] }: RequestStep,
): Promise<PrivacyRequest> {
  const { requestId, tenantId } = after;
  const isReminder = action === 'privacy.request.reminded';
  await commit(chainOf(tenantId), {
    bus: [
      {
        partition: tenantId,
        payload: {
          action: after.action,
          due_at: toTimestamp(effectiveDue(after)),
          request_id: requestId,
          status: after.status,
          tenant_id: tenantId,
          ...(isReminder && { days_left: members?.days_left }),
        },
        topic: isReminder ? 'privacy.request.reminder' : 'privacy.request.changed',
      },
      ...told,
    ],
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
          ...(isReminder && { severity: 'NOTICE' as const }),
        },
      ),
    ],
    ...(idempotency !== undefined && { idempotency: () => idempotency(after) }),
  });
  return after;
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

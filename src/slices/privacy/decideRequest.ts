/** What people decide about a request: identity, a longer deadline, approval, refusal. */
import { overwrite } from '#core/audit';
import { DomainError } from '#core/kernel';
import { toTimestamp } from '#platform/clock';
import { effectiveDue, extendedFrom, nextReminder } from './deadlines.ts';
import { EXTENSION_REASON_CHARS_MIN, REASON_CHARS_MIN } from './limits.ts';
import type { PrivacyActor, PrivacyPorts } from './ports.ts';
import { requireProver } from './receiveRequest.ts';
import {
  commitRequest,
  invalidRequest,
  type KeptRequest,
  type RequestStep,
  requireState,
} from './requestStep.ts';
import type { IdentityMethod, PrivacyRequest, RefusalGround } from './tables.ts';

/** Which request, and who decides. */
export interface DecideRequest {
  readonly by: PrivacyActor;
  readonly requestId: string;
  /** Whether the caller means this version; absent: whichever it is. */
  readonly isExpected?: (version: number) => boolean;
}

type Next = (before: PrivacyRequest) => Omit<RequestStep, 'before' | 'by' | 'idempotency'>;

/**
 * Reads, decides, commits. Throws `privacy-request-unknown`, `state-altered`,
 * `precondition-failed`, and what `next` throws.
 */
function decide(
  ports: PrivacyPorts,
  { by, isExpected, requestId }: DecideRequest,
  next: Next,
  idempotency: KeptRequest | undefined,
): Promise<PrivacyRequest> {
  return overwrite(async () => {
    const { tenantId } = by;
    const before = await ports.signed.requireRequest({ requestId, tenantId });
    if (isExpected?.(before.version) === false) throw new DomainError('precondition-failed');
    const step = next(before);
    const after = { ...step.after, version: before.version + 1 };
    return commitRequest(ports, { ...step, after, before, by, idempotency });
  });
}

/**
 * Whether the requester has proved who he is; until he has, more may be asked of him. Throws
 * `person-required` where a key took an erasure in: only a person says that it is proven.
 */
export function noteIdentity(
  ports: PrivacyPorts,
  ask: DecideRequest & { readonly isProven: boolean; readonly method?: IdentityMethod },
  idempotency?: KeptRequest,
): Promise<PrivacyRequest> {
  const { by, isProven, method } = ask;
  const next: Next = (before) => {
    requireState(before, 'received', 'identity_check');
    if (isProven) requireProver(before, by);
    const verified = { at: ports.clock.now(), by: by.actor, isProven };
    const identity = { ...before.identity, ...(method !== undefined && { method }), verified };
    const status = isProven ? 'in_progress' : 'identity_check';
    return {
      action: 'privacy.request.identity_checked',
      after: { ...before, identity, status },
      members: { method: identity.method, verified: isProven },
    };
  };
  return decide(ports, ask, next, idempotency);
}

/** Two calendar months more: once, with a reason, and before the deadline. */
export function extendRequest(
  ports: PrivacyPorts,
  ask: DecideRequest & { readonly reason: string },
  idempotency?: KeptRequest,
): Promise<PrivacyRequest> {
  const { by, reason } = ask;
  const next: Next = (before) => {
    requireState(before, 'received', 'identity_check', 'in_progress', 'awaiting_approval');
    if (reason.trim().length < EXTENSION_REASON_CHARS_MIN) {
      throw invalidRequest('/reason', `expected ${EXTENSION_REASON_CHARS_MIN} characters or more`);
    }
    if (before.extendedTo !== undefined) throw notNow('it was extended already');
    const at = ports.clock.now();
    if (at >= before.dueAt) throw notNow('its deadline has passed');
    const extendedTo = extendedFrom(before.dueAt);
    return {
      action: 'privacy.request.extended',
      after: {
        ...before,
        extendedTo,
        extension: { at, by: by.actor, reason },
        remindAt: nextReminder(extendedTo, at).at,
      },
      members: { due_at: toTimestamp(before.dueAt), extended_to: toTimestamp(extendedTo) },
      open: { reason },
    };
  };
  return decide(ports, ask, next, idempotency);
}

const notNow = (detail: string): DomainError =>
  new DomainError('privacy-request-state', { detail });

/** The answer is no, on a ground of the law, and in words for the person. */
export function refuseRequest(
  ports: PrivacyPorts,
  ask: DecideRequest & { readonly ground: RefusalGround; readonly text: string },
  idempotency?: KeptRequest,
): Promise<PrivacyRequest> {
  const { by, ground, text } = ask;
  const next: Next = (before) => {
    requireState(before, 'received', 'identity_check', 'in_progress', 'awaiting_approval');
    if (text.trim().length < REASON_CHARS_MIN) {
      throw invalidRequest('/text', `expected ${REASON_CHARS_MIN} characters or more`);
    }
    const at = ports.clock.now();
    const decision = { at, by: by.actor, ground, text };
    const { remindAt: _, ...rest } = before;
    return {
      action: 'privacy.request.refused',
      after: {
        ...rest,
        decision,
        endedAt: at,
        status: 'refused',
        // What was put together is removed by the worker.
        ...(before.archive !== undefined && { archiveUntil: at }),
      },
      members: { ground, is_late: at > effectiveDue(before) },
      open: { text },
    };
  };
  return decide(ports, ask, next, idempotency);
}

/** What was asked for is put right, or was right already. Throws `privacy-request-state`. */
export function answerRectification(
  ports: PrivacyPorts,
  ask: DecideRequest,
  idempotency?: KeptRequest,
): Promise<PrivacyRequest> {
  const next: Next = (before) => {
    requireState(before, 'in_progress');
    const at = ports.clock.now();
    const { remindAt: _, ...rest } = before;
    return {
      action: 'privacy.request.approved',
      after: { ...rest, decision: { at, by: ask.by.actor }, endedAt: at, status: 'completed' },
    };
  };
  return decide(ports, ask, next, idempotency);
}

/**
 * What a subject has asked for that stops processing, noted by a person, and asked by every job
 * (customers.md 5.4). Legal duties go on and look nobody up.
 */
import { entry, type IdempotencyRecord, overwrite } from '#core/audit';
import { chainOf, DomainError } from '#core/kernel';
import { goesOn, isUnstoppable, type MayProcess, type MayProcessEach } from '#core/privacy';
import { shownFlag } from './answeredErasure.ts';
import { REASON_CHARS_MIN } from './limits.ts';
import type { PrivacyActor, PrivacyPorts } from './ports.ts';
import { invalidRequest } from './requestStep.ts';
import { flagDigest, flagTarget, type SignedPrivacy } from './signedPrivacy.ts';
import { type SubjectFlag, subjectFlagTable } from './tables.ts';

/** What is to hold from now on; an absent one stays as it is. */
export interface ChangeFlags {
  readonly by: PrivacyActor;
  readonly subjectRef: string;
  readonly processingRestricted?: boolean;
  readonly opposed?: boolean;
  readonly reason: string;
  /** Whether the caller means this version, 0 for a subject without flags. */
  readonly isExpected?: (version: number) => boolean;
}

/** The flags as they became. Throws `privacy-request-invalid`, `precondition-failed`. */
export function changeFlags(
  ports: PrivacyPorts,
  ask: ChangeFlags,
  idempotency?: (flag: SubjectFlag) => IdempotencyRecord,
): Promise<SubjectFlag> {
  const { by, isExpected, reason, subjectRef } = ask;
  const { tenantId } = by;
  if (reason.trim().length < REASON_CHARS_MIN) {
    throw invalidRequest('/reason', `expected ${REASON_CHARS_MIN} characters or more`);
  }
  return overwrite(async () => {
    const kept = await ports.signed.flagOf({ subjectRef, tenantId });
    // Who was answered begins anew, also while the work of his erasure waits.
    const before = await shownFlag(ports, { subjectRef, tenantId });
    if (isExpected?.(before?.version ?? 0) === false) throw new DomainError('precondition-failed');
    const after: SubjectFlag = {
      changedAt: ports.clock.now(),
      changedBy: by.actor,
      opposed: ask.opposed ?? before?.opposed ?? false,
      processingRestricted: ask.processingRestricted ?? before?.processingRestricted ?? false,
      reason,
      subjectRef,
      tenantId,
      version: (kept?.version ?? 0) + 1,
    };
    await ports.commit(chainOf(tenantId), {
      bus: [],
      changes: [subjectFlagTable.put(after, kept?.version ?? 0)],
      events: [
        entry(ports, {
          action: 'privacy.subject.flags_changed',
          actor: by.actor,
          ...(by.ip !== undefined && { ip: by.ip }),
          members: {
            flag_digest: flagDigest(after),
            opposed: after.opposed,
            processing_restricted: after.processingRestricted,
          },
          open: { reason, subject_ref: subjectRef },
          target: flagTarget(tenantId, subjectRef),
        }),
      ],
      ...(idempotency !== undefined && { idempotency: () => idempotency(after) }),
    });
    return after;
  });
}

/** The answer to every job. A job about several subjects asks for each whom it may leave out. */
export const mayProcessBy =
  (signed: Pick<SignedPrivacy, 'flagOf'>): MayProcess =>
  async ({ subjectRef, tenantId }, purpose) => {
    if (isUnstoppable(purpose) || subjectRef === undefined) return true;
    const flag = await signed.flagOf({ subjectRef, tenantId });
    return flag === undefined || goesOn(purpose, flag);
  };

/** The same for many at once. */
export const mayProcessEachBy =
  (signed: Pick<SignedPrivacy, 'flagsOf'>): MayProcessEach =>
  async ({ subjectRefs, tenantId }, purpose) => {
    if (isUnstoppable(purpose)) return subjectRefs.map(() => true);
    const flags = await signed.flagsOf({ subjectRefs, tenantId });
    return flags.map((flag) => flag === undefined || goesOn(purpose, flag));
  };

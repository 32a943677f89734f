/**
 * Legal holds: while one is in force nothing of a subject is erased, whatever was approved. Two
 * persons place it, and two lift it; it holds from the first word to the last, so that neither a
 * slow second person nor a quick worker loses anything.
 */
import { entry, type IdempotencyRecord, overwrite } from '#core/audit';
import { chainOf, DomainError, everyRecord } from '#core/kernel';
import type { HoldingErasure } from '#core/privacy';
import { type EpochMs, toTimestamp } from '#platform/clock';
import { eraseSaid } from './eraseOwn.ts';
import type { ErasePorts } from './erasePorts.ts';
import { type LegalHold, legalHoldTable } from './holdTable.ts';
import { HOLD_MS_MAX, REASON_CHARS_MIN } from './limits.ts';
import type { PrivacyActor, PrivacyPorts } from './ports.ts';
import { invalidRequest } from './requestStep.ts';
import { holdDigest, holdTarget } from './signedHolds.ts';

/** Whose hold, and who acts. */
export interface HoldAsk {
  readonly by: PrivacyActor;
  readonly subjectRef: string;
}

/** The answer that is kept under the caller's key. */
export type KeptHold = (hold: LegalHold) => IdempotencyRecord;

/** Whether nothing of the subject may be erased. */
export const isHolding = (hold: LegalHold | undefined, now: number): boolean =>
  hold !== undefined && hold.state !== 'lifted' && hold.until > now;

/** Throws `person-required`, `privacy-request-invalid`, `privacy-hold-state`. */
export function askForHold(
  ports: PrivacyPorts,
  ask: HoldAsk & { readonly reason: string; readonly until: EpochMs },
  idempotency?: KeptHold,
): Promise<LegalHold> {
  const { by, reason, subjectRef, until } = ask;
  requireReason(reason);
  const now = ports.clock.now();
  if (until <= now || until > now + HOLD_MS_MAX) {
    throw invalidRequest('/until', 'expected an instant of the next thirty years');
  }
  return change(ports, ask, idempotency, (before) => {
    if (isHolding(before, now)) throw notNow(before);
    return {
      askedAt: now,
      askedBy: by.actor,
      changedAt: now,
      reason,
      state: 'asked',
      subjectRef,
      tenantId: by.tenantId,
      until,
      version: (before?.version ?? 0) + 1,
    };
  });
}

/** Throws `person-required`, `privacy-request-invalid`, `privacy-hold-state`. */
export function askToLift(
  ports: PrivacyPorts,
  ask: HoldAsk & { readonly reason: string },
  idempotency?: KeptHold,
): Promise<LegalHold> {
  const { by, reason } = ask;
  requireReason(reason);
  return change(ports, ask, idempotency, (before) => {
    if (before?.state !== 'placed') throw notNow(before);
    return { ...before, liftAskedBy: by.actor, liftReason: reason, state: 'lift_asked' };
  });
}

/**
 * The second word. Who gave the first one may take it back, and not confirm it. Throws
 * `person-required`, `dual-control-same-person`, `privacy-hold-state`.
 */
export function confirmHold(
  ports: PrivacyPorts,
  ask: HoldAsk & { readonly isConfirmed: boolean },
  idempotency?: KeptHold,
): Promise<LegalHold> {
  const { by, isConfirmed } = ask;
  return change(ports, ask, idempotency, (before) => {
    if (before?.state !== 'asked' && before?.state !== 'lift_asked') throw notNow(before);
    const isLift = before.state === 'lift_asked';
    const first = isLift ? before.liftAskedBy : before.askedBy;
    if (isConfirmed && first === by.actor) throw new DomainError('dual-control-same-person');
    if (isLift === isConfirmed) return { ...before, liftedBy: by.actor, state: 'lifted' };
    const { liftAskedBy: _, liftReason: __, ...rest } = before;
    return { ...rest, placedBy: before.placedBy ?? by.actor, state: 'placed' };
  });
}

function requireReason(reason: string): void {
  if (reason.trim().length >= REASON_CHARS_MIN) return;
  throw invalidRequest('/reason', `expected ${REASON_CHARS_MIN} characters or more`);
}

function notNow(before: LegalHold | undefined): DomainError {
  const detail = before === undefined ? 'there is no hold' : `the hold is ${before.state}`;
  return new DomainError('privacy-hold-state', { detail });
}

async function change(
  ports: PrivacyPorts,
  { by, subjectRef }: HoldAsk,
  idempotency: KeptHold | undefined,
  next: (before: LegalHold | undefined) => LegalHold,
): Promise<LegalHold> {
  const { actor, ip, isPerson, tenantId } = by;
  if (!isPerson) throw new DomainError('person-required');
  return overwrite(async () => {
    const before = await ports.signed.holdOf({ subjectRef, tenantId });
    const at = ports.clock.now();
    const version = (before?.version ?? 0) + 1;
    const after: LegalHold = { ...next(before), changedAt: at, version };
    const { liftReason, reason, state, until } = after;
    await ports.commit(chainOf(tenantId), {
      bus: [],
      changes: [legalHoldTable.put(after, version - 1)],
      events: [
        entry(ports, {
          action: 'privacy.hold.changed',
          actor,
          ...(ip !== undefined && { ip }),
          members: { hold_digest: holdDigest(after), state, until: toTimestamp(until) },
          open: { reason: liftReason ?? reason, subject_ref: subjectRef },
          severity: 'NOTICE',
          target: holdTarget(tenantId, subjectRef),
        }),
      ],
      ...(idempotency !== undefined && { idempotency: () => idempotency(after) }),
    });
    return after;
  });
}

/**
 * What is left of a hold that is over goes with its subject. No plan names it: that there was one
 * is not told.
 */
export const erasureOfHolds = (ports: ErasePorts): HoldingErasure => ({
  plan: async () => [],
  async erase({ subjectRef, tenantId }, order) {
    if (subjectRef === undefined) return;
    await overwrite(async () => {
      const hold = await ports.signed.holdOf({ subjectRef, tenantId });
      if (hold === undefined || isHolding(hold, order.now)) return;
      await ports.commit(chainOf(tenantId), {
        bus: [],
        changes: [legalHoldTable.remove({ subjectRef, tenantId }, hold.version)],
        events: [
          entry(ports, {
            action: 'privacy.hold.changed',
            actor: order.actor,
            members: { hold_digest: null },
            target: holdTarget(tenantId, subjectRef),
          }),
        ],
      });
    });
    // Also what was said after the approval: it was about this erasure.
    const targets = [holdTarget(tenantId, subjectRef)];
    await eraseSaid(ports, tenantId, targets, { ...order, asOf: order.now });
  },
  async *references(tenantId) {
    const ask = { equal: { tenantId }, index: 'key' };
    for await (const one of everyRecord(ports.tables, legalHoldTable, ask)) yield one.subjectRef;
  },
});

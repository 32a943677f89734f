/**
 * Legal holds: while one is in force nothing of a subject is erased, whatever was approved. Two
 * persons place it, two extend it, and two lift it; it holds from the first word to the last, so
 * that neither a slow second person nor a quick worker loses anything.
 */
import { type EventDraft, entry, type IdempotencyRecord, overwrite } from '#core/audit';
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
import { type StopPorts, stopErasures } from './stopErasures.ts';

/** Whose hold, and who acts. */
export interface HoldAsk {
  readonly by: PrivacyActor;
  readonly subjectRef: string;
}

/** What holds are changed with. */
export type HoldPorts = PrivacyPorts & StopPorts;

/** A hold as it became, and whether nothing of its subject is erased from now on. */
export interface HoldNow {
  readonly hold: LegalHold;
  readonly isInForce: boolean;
}

/** The answer that is kept under the caller's key. */
export type KeptHold = (now: HoldNow) => IdempotencyRecord;

/** When it is over by itself, as long as an extension is neither confirmed nor declined. */
const endOf = ({ extension, until }: LegalHold): EpochMs => extension?.until ?? until;

/** Whether nothing of the subject may be erased. */
export const isHolding = (hold: LegalHold | undefined, now: number): boolean =>
  hold !== undefined && hold.state !== 'lifted' && endOf(hold) > now;

/** Throws `person-required`, `privacy-request-invalid`, `privacy-hold-state`. */
export function askForHold(
  ports: HoldPorts,
  ask: HoldAsk & { readonly reason: string; readonly until: EpochMs },
  idempotency?: KeptHold,
): Promise<HoldNow> {
  const { by, reason, subjectRef, until } = ask;
  requireReason(reason);
  const now = ports.clock.now();
  requireEnd(until, now);
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

/**
 * A later end, without a moment in which nothing holds. Throws `person-required`,
 * `privacy-request-invalid`, `privacy-hold-state`.
 */
export function askToExtend(
  ports: HoldPorts,
  ask: HoldAsk & { readonly reason: string; readonly until: EpochMs },
  idempotency?: KeptHold,
): Promise<HoldNow> {
  const { by, reason, until } = ask;
  requireReason(reason);
  const now = ports.clock.now();
  requireEnd(until, now);
  return change(ports, ask, idempotency, (before) => {
    if (before?.state !== 'placed' || !isHolding(before, now)) throw notNow(before);
    if (until <= before.until) {
      throw invalidRequest('/until', `expected a later end than ${toTimestamp(before.until)}`);
    }
    const extension = { askedBy: by.actor, reason, until };
    return { ...before, extension, state: 'extension_asked' };
  });
}

/** Throws `person-required`, `privacy-request-invalid`, `privacy-hold-state`. */
export function askToLift(
  ports: HoldPorts,
  ask: HoldAsk & { readonly reason: string },
  idempotency?: KeptHold,
): Promise<HoldNow> {
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
  ports: HoldPorts,
  ask: HoldAsk & { readonly isConfirmed: boolean },
  idempotency?: KeptHold,
): Promise<HoldNow> {
  const { by, isConfirmed } = ask;
  return change(ports, ask, idempotency, (before) => {
    const first = before && firstOf(before);
    if (before === undefined || first === undefined) throw notNow(before);
    if (isConfirmed && first === by.actor) throw new DomainError('dual-control-same-person');
    const { extension, liftAskedBy: _, liftReason: __, ...rest } = before;
    if (before.state === 'extension_asked') {
      const until = (isConfirmed && extension?.until) || before.until;
      return { ...rest, state: 'placed', until };
    }
    const isLift = before.state === 'lift_asked';
    if (isLift === isConfirmed) return { ...before, liftedBy: by.actor, state: 'lifted' };
    return { ...rest, placedBy: before.placedBy ?? by.actor, state: 'placed' };
  });
}

/** Whose word waits for that of a second person; undefined where none does. */
function firstOf({ askedBy, extension, liftAskedBy, state }: LegalHold): string | undefined {
  if (state === 'asked') return askedBy;
  if (state === 'extension_asked') return extension?.askedBy;
  return state === 'lift_asked' ? liftAskedBy : undefined;
}

function requireEnd(until: EpochMs, now: EpochMs): void {
  if (until > now && until <= now + HOLD_MS_MAX) return;
  throw invalidRequest('/until', 'expected an instant of the next thirty years');
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
  ports: HoldPorts,
  { by, subjectRef }: HoldAsk,
  idempotency: KeptHold | undefined,
  next: (before: LegalHold | undefined) => LegalHold,
): Promise<HoldNow> {
  const { isPerson, tenantId } = by;
  if (!isPerson) throw new DomainError('person-required');
  return overwrite(async () => {
    const before = await ports.signed.holdOf({ subjectRef, tenantId });
    const at = ports.clock.now();
    const version = (before?.version ?? 0) + 1;
    const hold: LegalHold = { ...next(before), changedAt: at, version };
    const stopped = await stopErasures(ports, { subjectRef, tenantId });
    try {
      const now = { hold, isInForce: stopped.isStopped && isHolding(hold, at) };
      await ports.commit(chainOf(tenantId), {
        bus: [],
        changes: [legalHoldTable.put(hold, version - 1), ...stopped.expected],
        events: [changedEntry(ports, by, hold)],
        ...(idempotency !== undefined && { idempotency: () => idempotency(now) }),
      });
      return now;
    } finally {
      await stopped.release();
    }
  });
}

/** For those alone who may know that something holds. */
function changedEntry(ports: HoldPorts, { actor, ip }: HoldAsk['by'], hold: LegalHold): EventDraft {
  const { extension, liftReason, reason, state, subjectRef, tenantId } = hold;
  return entry(ports, {
    action: 'privacy.hold.changed',
    actor,
    ...(ip !== undefined && { ip }),
    members: {
      confidential: true,
      hold_digest: holdDigest(hold),
      state,
      until: toTimestamp(endOf(hold)),
    },
    open: { reason: extension?.reason ?? liftReason ?? reason, subject_ref: subjectRef },
    severity: 'NOTICE',
    target: holdTarget(tenantId, subjectRef),
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

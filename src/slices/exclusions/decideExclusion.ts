/** A second person agrees with an exclusion, and anybody who may decide ends one. */
import { type IdempotencyRecord, overwrite } from '#core/audit';
import { DomainError } from '#core/kernel';
import { digestInForce, newlyChecked } from './addExclusion.ts';
import { exclusionDigest, findExclusion, isOpen, stateAt } from './exclusion.ts';
import type { ExclusionActor, ExclusionPorts, ExclusionStep } from './ports.ts';
import { commitStep, stepOf } from './stepOf.ts';
import type { ExclusionRecord } from './tables.ts';

/** Which exclusions, and who decides. */
export interface DecideExclusions {
  readonly by: ExclusionActor;
  readonly exclusionIds: readonly string[];
  /** Whether the caller means this version; absent: whichever it is. */
  readonly isExpected?: (version: number) => boolean;
}

type Kept = (records: readonly ExclusionRecord[]) => IdempotencyRecord;

/**
 * The exclusion, active. Throws `exclusion-unknown`, `exclusion-altered`, `person-required`,
 * `four-eyes-same-person`, `precondition-failed`, `state-conflict`.
 */
export function approveExclusion(
  ports: ExclusionPorts,
  ask: DecideExclusions,
  idempotency?: Kept,
): Promise<readonly ExclusionRecord[]> {
  return overwrite(async () =>
    commitStep(ports, ask.by.tenantId, await approvingStep(ports, ask), idempotency),
  );
}

/** The same, for the commit of a decision about the hit. */
export async function approvingStep(
  ports: ExclusionPorts,
  ask: DecideExclusions,
): Promise<ExclusionStep> {
  const { by } = ask;
  if (!by.isPerson) throw new DomainError('person-required');
  const found = await findOpen(ports, ask);
  const steps = [];
  for (const before of found) {
    if (before.state !== 'proposed') throw notIn(before, 'proposed');
    if (before.createdBy === by.actor) throw new DomainError('four-eyes-same-person');
    const now = await digestInForce(ports, by.tenantId, before);
    if (now?.digest !== before.entityDigest) {
      const detail = 'the list has changed since it was proposed; screen the subject again';
      throw new DomainError('state-conflict', { detail });
    }
    const after = { ...before, approvedBy: by.actor, state: 'active' as const };
    steps.push({ after: { ...after, version: before.version + 1 }, before });
  }
  const checked = await newlyChecked(
    ports,
    by.tenantId,
    steps.map(({ after }) => after),
  );
  return stepOf(ports, {
    action: 'SANCTIONS_EXCLUSION_APPROVED',
    by,
    ...(Object.keys(checked).length > 0 && { checked }),
    steps,
  });
}

/**
 * The exclusion, ended; a proposed one is refused by it. Throws `exclusion-unknown`,
 * `exclusion-altered`, `precondition-failed`, `state-conflict`.
 */
export function revokeExclusion(
  ports: ExclusionPorts,
  ask: DecideExclusions,
  idempotency?: Kept,
): Promise<readonly ExclusionRecord[]> {
  return overwrite(async () =>
    commitStep(ports, ask.by.tenantId, await revokingStep(ports, ask), idempotency),
  );
}

/** The same, for the commit of a decision about the hit. */
export async function revokingStep(
  ports: ExclusionPorts,
  ask: DecideExclusions,
): Promise<ExclusionStep> {
  const { by } = ask;
  const endedAt = ports.clock.now();
  const found = await findOpen(ports, ask);
  return stepOf(ports, {
    action: 'SANCTIONS_EXCLUSION_REVOKED',
    by,
    steps: found.map((before) => ({
      after: {
        ...before,
        endedAt,
        endedBy: by.actor,
        state: 'revoked',
        version: before.version + 1,
      },
      before,
    })),
  });
}

async function findOpen(
  ports: ExclusionPorts,
  { by, exclusionIds, isExpected }: DecideExclusions,
): Promise<readonly ExclusionRecord[]> {
  const { tenantId } = by;
  const found = [];
  for (const exclusionId of exclusionIds) {
    const record = await findExclusion(ports, { exclusionId, tenantId });
    if (isExpected?.(record.version) === false) throw new DomainError('precondition-failed');
    await requireSigned(ports, record);
    const state = stateAt(record, ports.clock.now());
    if (!isOpen({ state })) throw notIn({ state }, 'proposed or active');
    found.push(record);
  }
  return found;
}

/** Throws `exclusion-altered`. */
async function requireSigned(
  { signed }: Pick<ExclusionPorts, 'signed'>,
  record: ExclusionRecord,
): Promise<void> {
  const { digests } = await signed.of(record.tenantId);
  if (digests.get(record.exclusionId) === exclusionDigest(record)) return;
  throw new DomainError('exclusion-altered', { detail: `exclusion ${record.exclusionId}` });
}

function notIn({ state }: Pick<ExclusionRecord, 'state'>, expected: string): DomainError {
  const detail = `expected an exclusion that is ${expected}, got ${state}`;
  return new DomainError('state-conflict', { detail });
}

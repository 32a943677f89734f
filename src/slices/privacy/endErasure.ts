/**
 * The end of a run of an erasure. The first one completes its request: names leave it, and its
 * entry is the receipt. The last one takes the identity out of the vault. Nobody is told of either:
 * who was not erased by then is held, and nobody may learn that (AMLR 73).
 */
import { ERASER, entry } from '#core/audit';
import { chainOf, type TableChange } from '#core/kernel';
import { type EpochMs, toTimestamp } from '#platform/clock';
import { withoutPerson } from './answeredErasure.ts';
import type { ErasePorts, ErasureHold } from './erasePorts.ts';
import { erasureWorkTable } from './erasureTables.ts';
import { removalOf, vaultTarget } from './identityVault.ts';
import { commitRequest } from './requestStep.ts';
import { type PrivacyRequest, privacyRequestTable, type RequestErasure } from './tables.ts';

/** First ends of duties; absent where nothing is kept until a day. */
export interface Kept {
  /** When the same work is done again. */
  readonly again: EpochMs | undefined;
  /** What the request says: never a date of what nobody may know of. */
  readonly told: EpochMs | undefined;
}

/** Gives the work back where something is kept until a day. */
export async function endErasure(ports: ErasePorts, hold: ErasureHold, kept: Kept): Promise<void> {
  const request = await ports.tables.find(privacyRequestTable, {
    requestId: hold.record.requestId,
    tenantId: hold.record.tenantId,
  });
  const isFirst = request !== undefined && request.endedAt === undefined;
  const { again } = kept;
  if (isFirst) await complete(ports, hold, kept);
  else if (again === undefined) await forget(ports, hold);
  if (again !== undefined) await hold.giveBack({ isTried: false, work: { dueAt: again } });
}

async function complete(
  ports: ErasePorts,
  hold: ErasureHold,
  { again, told: keptUntil }: Kept,
): Promise<void> {
  const before = await ports.signed.requireRequest(hold.record);
  const { pseudonym } = hold.record;
  const now = ports.clock.now();
  const receipt = {
    kept_until: again === undefined ? null : toTimestamp(again),
    pseudonym,
    stores: (before.plan?.rows ?? []).map(({ action, rows, store, until }) => ({
      action,
      rows,
      store,
      until: until === undefined ? null : toTimestamp(until),
    })),
    subject_tag: before.erasure?.tag ?? null,
  };
  await commitRequest(ports, {
    action: 'privacy.subject.erased',
    after: completed(before, { keptUntil, now, pseudonym }),
    before,
    beside: await changesOf(ports, hold, again),
    by: { actor: ERASER },
    isUntold: true,
    members: receipt,
  });
}

/** The request says what was done and when, and of whom no more. */
function completed(
  before: PrivacyRequest,
  of: {
    readonly keptUntil: EpochMs | undefined;
    readonly now: EpochMs;
    readonly pseudonym: string;
  },
): PrivacyRequest {
  const { keptUntil, now, pseudonym } = of;
  const { erasure, remindAt: _, ...rest } = withoutPerson(before, pseudonym);
  const { keptUntil: __, ...done } = erasure ?? {};
  return {
    ...rest,
    endedAt: now,
    status: 'completed',
    ...(erasure && {
      erasure: { ...(done as RequestErasure), ...(keptUntil !== undefined && { keptUntil }) },
    }),
  };
}

async function changesOf(
  ports: ErasePorts,
  { expected, record }: ErasureHold,
  keptUntil: EpochMs | undefined,
): Promise<readonly TableChange[]> {
  const next = { ...record, version: record.version + 1 };
  if (keptUntil !== undefined) {
    return [expected, erasureWorkTable.put({ ...next, state: 'kept' }, record.version)];
  }
  const endedAt = ports.clock.now();
  return [
    expected,
    erasureWorkTable.put({ ...next, endedAt, state: 'ended' }, record.version),
    ...(await removalOf(ports, record)),
  ];
}

/** The last duty is over. */
async function forget(ports: ErasePorts, hold: ErasureHold): Promise<void> {
  const { pseudonym, requestId, tenantId } = hold.record;
  await ports.commit(chainOf(tenantId), {
    bus: [],
    changes: await changesOf(ports, hold, undefined),
    events: [
      entry(ports, {
        action: 'privacy.vault.destroyed',
        actor: ERASER,
        members: { request_id: requestId },
        target: vaultTarget({ pseudonym }),
      }),
    ],
  });
}

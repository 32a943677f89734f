/**
 * The end of a run of an erasure. The first one completes its request: names leave it, and its
 * entry is the receipt. The last one takes the identity out of the vault.
 */
import { entry } from '#core/audit';
import { chainOf, type TableChange } from '#core/kernel';
import { type EpochMs, toTimestamp } from '#platform/clock';
import type { ErasePorts, ErasureHold } from './erasePorts.ts';
import { erasureWorkTable } from './erasureTables.ts';
import { removalOf, vaultTarget } from './identityVault.ts';
import { commitRequest } from './requestStep.ts';
import { type PrivacyRequest, privacyRequestTable, type RequestErasure } from './tables.ts';

/** `keptUntil`: the first end of a duty; absent where nothing is kept. */
export async function endErasure(
  ports: ErasePorts,
  hold: ErasureHold,
  keptUntil: EpochMs | undefined,
): Promise<void> {
  const request = await ports.tables.find(privacyRequestTable, {
    requestId: hold.record.requestId,
    tenantId: hold.record.tenantId,
  });
  const isFirst = request !== undefined && request.endedAt === undefined;
  if (isFirst) await complete(ports, hold, keptUntil);
  else if (keptUntil === undefined) await forget(ports, hold);
  if (keptUntil !== undefined) await hold.giveBack({ isTried: false, work: { dueAt: keptUntil } });
}

async function complete(
  ports: ErasePorts,
  hold: ErasureHold,
  keptUntil: EpochMs | undefined,
): Promise<void> {
  const before = await ports.signed.requireRequest(hold.record);
  const { pseudonym, tenantId } = hold.record;
  const now = ports.clock.now();
  const receipt = {
    kept_until: keptUntil === undefined ? null : toTimestamp(keptUntil),
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
    beside: await changesOf(ports, hold, keptUntil),
    by: { actor: 'system:privacy' },
    members: receipt,
    told: [
      {
        partition: tenantId,
        payload: {
          erased_at: toTimestamp(now),
          request_id: before.requestId,
          retained_until: receipt.kept_until,
        },
        topic: 'privacy.subject.erased',
      },
    ],
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
  const { caseId: _, erasure, note: __, remindAt: ___, subjectId: ____, ...rest } = before;
  const { evidence: _____, ...identity } = before.identity;
  const { keptUntil: ______, ...done } = erasure ?? {};
  return {
    ...rest,
    endedAt: now,
    identity,
    requester: { relation: before.requester.relation },
    status: 'completed',
    subjectRef: pseudonym,
    version: before.version + 1,
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
        actor: 'system:privacy',
        members: { request_id: requestId },
        target: vaultTarget({ pseudonym }),
      }),
    ],
  });
}

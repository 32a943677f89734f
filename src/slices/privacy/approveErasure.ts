/**
 * A second person approves an erasure by its plan. That is the answer to the person, whatever may
 * still stand against the work itself; from then on a worker carries it out. The request names the
 * pseudonym, and as of when, so that whoever alters the work's row erases nobody.
 */
import { overwrite } from '#core/audit';
import { DomainError, type TenantId } from '#core/kernel';
import { type EpochMs, toTimestamp } from '#platform/clock';
import { answerRectification, type DecideRequest } from './decideRequest.ts';
import type { ErasePorts } from './erasePorts.ts';
import { isFresh, planDigest, subjectOf } from './erasurePlan.ts';
import { erasureWorkTable } from './erasureTables.ts';
import { approveRequest, type ExportPorts } from './exportRequest.ts';
import { drawPseudonym } from './pseudonym.ts';
import { requireOther } from './receiveRequest.ts';
import { commitRequest, type KeptRequest, requireState } from './requestStep.ts';
import type { PrivacyRequest, RequestErasure } from './tables.ts';

const TAG_PURPOSE = 'erased-subject-v1';

/** By which an erased reference is found again after a restore, and guessed by nobody. */
export const tagOf = (
  { secrets }: Pick<ErasePorts, 'secrets'>,
  tenantId: TenantId,
  subjectRef: string,
): string => secrets.tag(`${tenantId}\0${subjectRef}`, TAG_PURPOSE);

/** Whether the tag is of this reference. */
export const isTagOf = (
  { secrets }: Pick<ErasePorts, 'secrets'>,
  tag: string,
  { subjectRef, tenantId }: { readonly tenantId: TenantId; readonly subjectRef: string },
): boolean => secrets.isTagOf(tag, `${tenantId}\0${subjectRef}`, TAG_PURPOSE);

/** What requests of every kind are approved with. */
export type ApprovePorts = ErasePorts &
  ExportPorts & {
    /** Corrections of a subject that wait for a second person. */
    readonly waitingCorrections: (of: {
      readonly tenantId: TenantId;
      readonly subjectRef: string;
    }) => Promise<number>;
  };

/**
 * Approves what was done, or put together, for a request: an archive, the plan of an erasure, the
 * corrections that were made.
 */
export async function approve(
  ports: ApprovePorts,
  ask: DecideRequest,
  idempotency?: KeptRequest,
): Promise<PrivacyRequest> {
  const { by, requestId } = ask;
  const request = await ports.signed.requireRequest({ requestId, tenantId: by.tenantId });
  const { action } = request;
  if (action === 'rectify') {
    await requireCorrected(ports, request);
    return answerRectification(ports, ask, idempotency);
  }
  return action === 'erase'
    ? approveErasure(ports, ask, idempotency)
    : approveRequest(ports, ask, idempotency);
}

/** Throws `privacy-request-state` while a correction of the person waits. */
async function requireCorrected(ports: ApprovePorts, request: PrivacyRequest): Promise<void> {
  const { subjectRef, tenantId } = await subjectOf(await ports.holdings(), request);
  if (subjectRef === undefined) return;
  const waiting = await ports.waitingCorrections({ subjectRef, tenantId });
  if (waiting === 0) return;
  const detail = `${waiting} corrections of the subject wait for a second person`;
  throw new DomainError('privacy-request-state', { detail });
}

/**
 * Throws `privacy-same-person`, `person-required`, `privacy-request-state`, `precondition-failed`,
 * `privacy-plan-stale`.
 */
export function approveErasure(
  ports: ErasePorts,
  { by, isExpected, requestId }: DecideRequest,
  idempotency?: KeptRequest,
): Promise<PrivacyRequest> {
  const { tenantId } = by;
  return overwrite(async () => {
    const before = await ports.signed.requireRequest({ requestId, tenantId });
    if (isExpected?.(before.version) === false) throw new DomainError('precondition-failed');
    requireState(before, 'awaiting_approval');
    requireOther(before, by);
    const { plan } = before;
    const at = ports.clock.now();
    if (!isFresh(plan, at)) throw new DomainError('privacy-plan-stale');
    const { subjectRef } = await subjectOf(await ports.holdings(), before);
    const ends = plan.rows.flatMap(({ until }) => until ?? []);
    const erasure: RequestErasure = {
      asOf: at,
      ...(ends.length > 0 && { keptUntil: Math.min(...ends) as EpochMs }),
      pseudonym: drawPseudonym(ports.random),
      ...(subjectRef !== undefined && { tag: tagOf(ports, tenantId, subjectRef) }),
    };
    const { keptUntil } = erasure;
    const told = {
      approved_at: toTimestamp(at),
      request_id: requestId,
      retained_until: keptUntil === undefined ? null : toTimestamp(keptUntil),
    };
    const { remindAt: _, ...rest } = before;
    return commitRequest(ports, {
      action: 'privacy.request.approved',
      after: {
        ...rest,
        decision: { at, by: by.actor },
        erasure,
        status: 'completed',
        version: before.version + 1,
      },
      before,
      beside: [
        erasureWorkTable.insert({
          createdAt: at,
          dueAt: at,
          pseudonym: erasure.pseudonym,
          requestId,
          state: 'running',
          tenantId,
          version: 1,
        }),
      ],
      by,
      idempotency,
      members: { kept_until: told.retained_until, plan_sha256: planDigest(plan) },
      told: [{ partition: tenantId, payload: told, topic: 'privacy.erasure.approved' }],
    });
  });
}

/**
 * An old backup brings an erased person back, and a newer export of the chain says that he was
 * erased: by the tag of his reference, of which nobody can guess whose it is. Every slice is asked
 * which references it knows; the one that the tag is of is erased again, before anybody is served.
 */
import { type Actor, type JsonRecord, overwrite } from '#core/audit';
import { chainOf, type EventId, type TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { isTagOf } from './approveErasure.ts';
import { type CarryOutMeans, carryOutNow } from './carryOutNow.ts';
import { dueAfter } from './deadlines.ts';
import type { ErasePorts } from './erasePorts.ts';
import { erasureWorkTable } from './erasureTables.ts';
import { commitRequest } from './requestStep.ts';
import { type PrivacyRequest, privacyRequestTable } from './tables.ts';

/** The receipt of an erasure, as the export has it. */
export interface RepeatErasure {
  readonly actor: Actor;
  readonly tenantId: TenantId;
  /** Verified with its export. */
  readonly receipt: JsonRecord;
}

/** False where the backup is younger than the erasure, or the person is not in it. */
export async function repeatErasure(
  ports: ErasePorts,
  means: CarryOutMeans,
  { actor, receipt, tenantId }: RepeatErasure,
): Promise<boolean> {
  const eventId = String(receipt.event_id) as EventId;
  if ((await ports.audit.findByEventId(chainOf(tenantId), eventId)) !== undefined) return false;
  const requestId = String(receipt.target).replace(/^privacy-request:/, '');
  const known = await ports.tables.find(privacyRequestTable, { requestId, tenantId });
  if (known?.endedAt !== undefined) return false;
  const { subject_tag: tag } = receipt;
  const subjectRef =
    typeof tag === 'string' ? await referenceOf(ports, tenantId, tag) : known?.subjectRef;
  if (known === undefined && subjectRef === undefined) return false;
  await overwrite(() => approveAgain(ports, { actor, receipt, requestId, subjectRef, tenantId }));
  await carryOutNow(ports, means, { requestId, tenantId }, { isRepeated: true });
  return true;
}

/** The reference that the tag is of, where some slice knows it. */
async function referenceOf(
  ports: ErasePorts,
  tenantId: TenantId,
  tag: string,
): Promise<string | undefined> {
  for (const { erasure } of await ports.holdings()) {
    for await (const subjectRef of erasure?.references?.(tenantId) ?? []) {
      if (isTagOf(ports, tag, { subjectRef, tenantId })) return subjectRef;
    }
  }
  return undefined;
}

/** The request as it stood when it was approved: the backup has it in an earlier state, or not. */
async function approveAgain(
  ports: ErasePorts,
  of: {
    readonly actor: Actor;
    readonly receipt: JsonRecord;
    readonly requestId: string;
    readonly subjectRef: string | undefined;
    readonly tenantId: TenantId;
  },
): Promise<void> {
  const { actor, receipt, requestId, subjectRef, tenantId } = of;
  const found = await ports.tables.find(privacyRequestTable, { requestId, tenantId });
  const before = found && (await ports.signed.requireRequest(found));
  const work = await ports.tables.find(erasureWorkTable, { requestId, tenantId });
  if (before?.erasure !== undefined && work !== undefined) return;
  const now = ports.clock.now();
  const asOf = Date.parse(String(receipt.occurred_at)) as EpochMs;
  const pseudonym = String(receipt.pseudonym);
  const retentionYears = await ports.retentionYearsOf(tenantId);
  const base: PrivacyRequest = before ?? {
    action: 'erase',
    createdBy: actor,
    dueAt: dueAfter(asOf),
    identity: { method: 'other' },
    locale: 'fr',
    receivedAt: asOf,
    requester: { relation: 'self' },
    requestId,
    status: 'in_progress',
    tenantId,
    version: 0,
  };
  await commitRequest(ports, {
    action: 'privacy.erasure.repeated',
    after: {
      ...base,
      ...(subjectRef !== undefined && { subjectRef }),
      decision: { at: now, by: actor },
      erasure: { asOf, pseudonym, ...tagIn(receipt) },
      plan: base.plan ?? { madeAt: now, retentionYears, rows: [] },
      status: 'completed',
      version: base.version + 1,
    },
    beside: work
      ? []
      : [
          erasureWorkTable.insert({
            createdAt: now,
            dueAt: now,
            pseudonym,
            requestId,
            state: 'running',
            tenantId,
            version: 1,
          }),
        ],
    by: { actor },
    ...(before !== undefined && { before }),
  });
}

const tagIn = ({ subject_tag: tag }: JsonRecord): { readonly tag?: string } =>
  typeof tag === 'string' ? { tag } : {};

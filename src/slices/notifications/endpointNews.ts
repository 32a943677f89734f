/** What an event of webhooks says of its endpoint, and how it is told once. */
import { entry, StaleChange } from '#core/audit';
import { chainOf, type TenantId } from '#core/kernel';
import type { OutboxEvent } from '#core/reactions';
import { ACTOR } from './conditions.ts';
import type { NoticePorts } from './ports.ts';
import type { NoticeParams, NoticeSubject } from './tables.ts';
import { type Told, tellChanges } from './tell.ts';

/** The tenant of an event of webhooks. */
export const tenantOf = ({ partition }: OutboxEvent): TenantId => partition as TenantId;
/** The endpoint that an event tells of. */
export const subjectOf = ({ payload }: OutboxEvent): NoticeSubject => ({
  subjectId: String(payload.endpointId),
  subjectKind: 'webhook_endpoint',
});

/** Tells of an endpoint, or of the subject that is named, once for its event. */
export async function tellNews(
  ports: NoticePorts,
  event: OutboxEvent,
  {
    params = paramsOf(event),
    subject = subjectOf(event),
    ...of
  }: Pick<Told, 'conditionId' | 'kind' | 'roles' | 'severity'> & {
    readonly params?: NoticeParams;
    readonly subject?: NoticeSubject;
  },
): Promise<void> {
  const tenantId = tenantOf(event);
  const { changes, notice } = await tellChanges(ports, {
    ...subject,
    ...of,
    at: event.createdAt,
    audience: 'tenant',
    cause: event.id,
    params,
    tenantId,
  });
  const told = entry(ports, {
    action: 'notification.told',
    actor: ACTOR,
    members: { kind: notice.kind, subject: `${notice.subjectKind}:${notice.subjectId}` },
    target: notice.noticeId,
  });
  try {
    await ports.commit(chainOf(tenantId), { bus: [], changes, events: [told] });
    ports.wake();
  } catch (error) {
    // Its notice is there: the event has come before.
    if (!(error instanceof StaleChange)) throw error;
  }
}

/** What a notice says of it. */
export function paramsOf({ payload }: OutboxEvent): NoticeParams {
  const { disablesAt, notAfter, reason } = payload;
  const until = disablesAt ?? notAfter;
  return {
    ...(reason !== undefined && { reason: String(reason) }),
    ...(until !== undefined && { until: String(until) }),
  };
}

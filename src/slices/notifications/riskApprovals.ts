/**
 * Risk policies that wait for approvals: those who have not approved are written to, as often as
 * risk reminds of them, and on day 7 a condition opens that lasts until somebody has decided.
 */
import type { Role } from '#core/identity';
import type { TenantId } from '#core/kernel';
import type { OutboxEvent } from '#core/reactions';
import { close, findStanding, raise } from './conditions.ts';
import { tellNews } from './endpointNews.ts';
import type { NoticePorts } from './ports.ts';

const subjectOf = ({ payload }: OutboxEvent) => ({
  subjectId: String(payload.policy_id),
  subjectKind: 'risk_policy' as const,
});

const placeOf = (event: OutboxEvent) => ({
  ...subjectOf(event),
  code: 'RISK_APPROVAL_LATE' as const,
  tenantId: event.partition as TenantId,
});

/** Tells the roles of which nobody has approved, once for its event. */
export function onApprovalAwaited(ports: NoticePorts, event: OutboxEvent): Promise<void> {
  const { missing_roles: roles, step } = event.payload;
  return tellNews(ports, event, {
    kind: Number(step) > 0 ? 'risk.approval_due' : 'risk.approval_asked',
    params: {},
    roles: roles as readonly Role[],
    severity: Number(step) > 0 ? 'MEDIUM' : 'LOW',
    subject: subjectOf(event),
  });
}

/** No decision came for seven days. */
export function onApprovalLate(ports: NoticePorts, event: OutboxEvent): Promise<void> {
  const { submitted_at: since } = event.payload;
  return raise(ports, {
    ...placeOf(event),
    at: event.createdAt,
    eventId: event.id,
    // A policy whose submission is gone has no day: the letter goes out without one.
    params: typeof since === 'string' ? { since } : {},
  });
}

/** It was published, rejected or withdrawn. */
export async function onApprovalDecided(ports: NoticePorts, event: OutboxEvent): Promise<void> {
  const standing = await findStanding(ports, placeOf(event));
  if (standing !== undefined) {
    await close(ports, [standing], { at: event.createdAt, because: 'over' });
  }
}

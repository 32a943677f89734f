/**
 * What is told of evidence as conditions: a chain that is broken, until it is acknowledged; alerts
 * that are not what was signed, until they are again; and a replay that differs, until the
 * screening is identical again.
 */
import type { TenantId } from '#core/kernel';
import type { OutboxEvent } from '#core/reactions';
import { close, findStanding, raise } from './conditions.ts';
import type { NoticePorts } from './ports.ts';

const placeOf = ({ partition, payload }: OutboxEvent) => ({
  code: 'CHAIN_BROKEN' as const,
  subjectId: `${partition}:${payload.seq}`,
  subjectKind: 'audit_chain' as const,
  tenantId: partition as TenantId,
});

/** An event of the chain is not what was signed. */
export const onChainBroken = (ports: NoticePorts, event: OutboxEvent): Promise<void> =>
  raise(ports, {
    ...placeOf(event),
    at: event.createdAt,
    eventId: event.id,
    params: { reason: String(event.payload.reason), seq: Number(event.payload.seq) },
  });

/** Two persons have acknowledged it. */
export const onChainAcknowledged = (ports: NoticePorts, event: OutboxEvent): Promise<void> =>
  endOf(ports, event, placeOf(event));

/** What stands is over. */
async function endOf(
  ports: NoticePorts,
  { createdAt: at }: OutboxEvent,
  place: Parameters<typeof findStanding>[1],
): Promise<void> {
  const standing = await findStanding(ports, place);
  if (standing !== undefined) await close(ports, [standing], { at, because: 'over' });
}

const alertsOf = ({ partition }: OutboxEvent) => ({
  code: 'ALERTS_ALTERED' as const,
  subjectId: partition,
  subjectKind: 'tenant' as const,
  tenantId: partition as TenantId,
});

/** Alerts are not what was signed. */
export const onAlertsAltered = (ports: NoticePorts, event: OutboxEvent): Promise<void> =>
  raise(ports, { ...alertsOf(event), at: event.createdAt, eventId: event.id, params: {} });

/** All of them are again. */
export const onAlertsRestored = (ports: NoticePorts, event: OutboxEvent): Promise<void> =>
  endOf(ports, event, alertsOf(event));

const replayOf = ({ partition, payload }: OutboxEvent) => ({
  code: 'REPLAY_DIFFERENT' as const,
  subjectId: String(payload.screeningId),
  subjectKind: 'screening' as const,
  tenantId: partition as TenantId,
});

/** A screening that was repeated has another result. */
export const onReplayDifferent = (ports: NoticePorts, event: OutboxEvent): Promise<void> =>
  raise(ports, { ...replayOf(event), at: event.createdAt, eventId: event.id, params: {} });

/** It was repeated again, and is identical. */
export const onReplaySettled = (ports: NoticePorts, event: OutboxEvent): Promise<void> =>
  endOf(ports, event, replayOf(event));

/**
 * What sanctions tell of as conditions: a chain that is broken, until it is acknowledged, and a
 * replay that differs, until the screening is identical again.
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
export async function onChainAcknowledged(ports: NoticePorts, event: OutboxEvent): Promise<void> {
  const standing = await findStanding(ports, placeOf(event));
  if (standing === undefined) return;
  await close(ports, [standing], { at: event.createdAt, because: 'over' });
}

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
export async function onReplaySettled(ports: NoticePorts, event: OutboxEvent): Promise<void> {
  const standing = await findStanding(ports, replayOf(event));
  if (standing === undefined) return;
  await close(ports, [standing], { at: event.createdAt, because: 'over' });
}

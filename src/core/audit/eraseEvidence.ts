/**
 * Takes the personal part of a screening's evidence away for good: the chain still verifies, since
 * it hashes a commitment, and nobody can tell any more who was screened.
 *
 * The entry that says so comes first and is durable before anything goes. After a crash in between
 * the call is repeated: it writes another entry and erases then.
 */
import { type ChainId, DomainError, type EventId, type ScreeningId } from '#core/kernel';
import type { Clock } from '#platform/clock';
import { type Random, uuidV7 } from '#platform/random';
import type { AuditLog } from './auditLog.ts';
import type { AuditStore } from './ports.ts';

export interface ErasureRequest {
  readonly chainId: ChainId;
  readonly screeningId: ScreeningId;
  readonly actor: string;
  /** Kept in the entry's open part. */
  readonly reason: string;
}

/** Throws `not-found` for a screening of another chain or none, `state-conflict` once erased. */
export async function eraseEvidence(
  parts: {
    readonly store: Pick<AuditStore, 'findByScreening' | 'eraseOpen'>;
    readonly audit: Pick<AuditLog, 'commit'>;
    readonly clock: Clock;
    readonly random: Random;
  },
  request: ErasureRequest,
): Promise<{ readonly seq: number }> {
  const { store, audit, clock, random } = parts;
  const { chainId, screeningId } = request;
  const event = await store.findByScreening(chainId, screeningId);
  if (event === undefined) {
    throw new DomainError('not-found', { detail: 'screening: no such one in this chain' });
  }
  if (event.open === undefined) {
    throw new DomainError('state-conflict', { detail: 'screening: erased already' });
  }
  const action = 'audit.personal_data.erased';
  await audit.commit(chainId, {
    bus: [],
    changes: [],
    events: [
      {
        action,
        eventId: uuidV7(clock.now(), random) as EventId,
        members: { action, actor: request.actor, erased_seq: event.seq, target: screeningId },
        occurredAt: clock.now(),
        open: { reason: request.reason },
        type: 'entry',
      },
    ],
  });
  await store.eraseOpen(chainId, event.seq);
  return { seq: event.seq };
}

/**
 * Removes the personal part of a screening's evidence for good. The chain still verifies, since it
 * hashes a commitment, but no one can tell any more who was screened.
 *
 * The entry that records the erasure comes first and is durable before anything is removed. After a
 * crash in between, the call is repeated: it writes another entry and then erases.
 */
import { type ChainId, DomainError, type ScreeningId } from '#core/kernel';
import type { Clock } from '#platform/clock';
import type { Random } from '#platform/random';
import type { AuditLog } from './auditLog.ts';
import { type Asker, entry } from './entry.ts';
import { ERASED_ACTION } from './erasures.ts';
import type { AuditStore } from './ports.ts';

/** Which screening's evidence to erase, for whom, and why. */
export interface ErasureRequest extends Asker {
  readonly chainId: ChainId;
  readonly screeningId: ScreeningId;
  /** Why it is erased, in free text. Kept in the entry's open part. */
  readonly reason: string;
}

/**
 * Erases, and returns the seq of the event that was erased. Throws `not-found` for a screening that
 * this chain does not have, `state-conflict` once erased.
 */
export async function eraseEvidence(
  parts: {
    readonly store: Pick<AuditStore, 'findByScreening' | 'eraseOpen'>;
    readonly audit: Pick<AuditLog, 'commit'>;
    readonly clock: Clock;
    readonly random: Random;
  },
  request: ErasureRequest,
): Promise<{ readonly seq: number }> {
  const { store, audit } = parts;
  const { chainId, screeningId } = request;
  const event = await store.findByScreening(chainId, screeningId);
  if (event === undefined) {
    throw new DomainError('not-found', { detail: 'screening: no such one in this chain' });
  }
  if (event.open === undefined) {
    throw new DomainError('state-conflict', { detail: 'screening: erased already' });
  }
  await audit.commit(chainId, {
    bus: [],
    changes: [],
    events: [
      entry(parts, {
        action: ERASED_ACTION,
        actor: request.actor,
        ...(request.ip !== undefined && { ip: request.ip }),
        members: { erased_seq: event.seq },
        open: { reason: request.reason },
        target: screeningId,
      }),
    ],
  });
  await store.eraseOpen(chainId, event.seq);
  return { seq: event.seq };
}

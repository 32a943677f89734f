/**
 * Removes the personal part of an event for good. The chain still verifies, since it hashes a
 * commitment, but no one can tell any more who was meant.
 *
 * The entry that records the erasure comes first and is durable before anything is removed. After a
 * crash in between, the call is repeated: it writes another entry and then erases.
 */
import { type ChainId, DomainError, type ScreeningId } from '#core/kernel';
import type { Clock } from '#platform/clock';
import type { Random } from '#platform/random';
import type { AuditLog, CommitEvidence } from './auditLog.ts';
import { type Asker, entry } from './entry.ts';
import { ERASED_ACTION } from './erasures.ts';
import type { AuditStore, SealedEvent } from './ports.ts';

/** Which screening's evidence to erase, for whom, and why. */
export interface ErasureRequest extends Asker {
  readonly chainId: ChainId;
  readonly screeningId: ScreeningId;
  /** Why it is erased, in free text. Kept in the entry's open part. */
  readonly reason: string;
}

/** What an erasure of events needs. */
export interface ErasurePorts {
  readonly store: Pick<AuditStore, 'findByScreening' | 'eraseOpen'>;
  readonly audit: Pick<AuditLog, 'commit'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly random: Random;
}

/**
 * Erases, and returns the seq of the event that was erased. Throws `not-found` for a screening that
 * this chain does not have, `state-conflict` once erased.
 */
export async function eraseEvidence(
  ports: ErasurePorts,
  request: ErasureRequest,
): Promise<{ readonly seq: number }> {
  const { chainId, screeningId } = request;
  const event = await ports.store.findByScreening(chainId, screeningId);
  if (event === undefined) {
    throw new DomainError('not-found', { detail: 'screening: no such one in this chain' });
  }
  if (event.open === undefined) {
    throw new DomainError('state-conflict', { detail: 'screening: erased already' });
  }
  await eraseOpenOf(ports, event, { ...request, target: screeningId });
  return { seq: event.seq };
}

/** The same for any event; `target` is what it is about. */
export async function eraseOpenOf(
  ports: Pick<ErasurePorts, 'clock' | 'random'> & {
    readonly audit: { readonly commit: CommitEvidence };
    readonly store: Pick<AuditStore, 'eraseOpen'>;
  },
  { seq }: Pick<SealedEvent, 'seq'>,
  request: Omit<ErasureRequest, 'screeningId'> & { readonly target: string },
): Promise<void> {
  const { actor, chainId, ip, reason, target } = request;
  await ports.audit.commit(chainId, {
    bus: [],
    changes: [],
    events: [
      entry(ports, {
        action: ERASED_ACTION,
        actor,
        ...(ip !== undefined && { ip }),
        members: { erased_seq: seq },
        open: { reason },
        target,
      }),
    ],
  });
  await ports.store.eraseOpen(chainId, seq);
}

/**
 * The way on after an old backup was restored: an entry behind all numbers that may have been
 * signed. It continues the hash of the last event that is there, and names the numbers in between
 * with the checkpoint that attests them, so that the loss stands in the evidence for ever.
 *
 * Numbers were signed after the last checkpoint too, nobody knows how many: so many are left out
 * that no service signs them within the time of a checkpoint.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type ChainId, DomainError } from '#core/kernel';
import type { Clock } from '#platform/clock';
import type { Signer } from '#platform/crypto';
import type { Random } from '#platform/random';
import { prepareEvent, sealEvent } from './chain.ts';
import { refuseCheckpoint, signCheckpoint } from './checkpoint.ts';
import { laterCheckpoint } from './checkpointCopies.ts';
import { appendCheckpoint } from './checkpointFile.ts';
import { type Asker, entry } from './entry.ts';
import { type Gap, gapMember, RESUMED_ACTION } from './gap.ts';
import { chainKeys } from './keyRing.ts';
import { type CheckpointPlaces, knownCheckpoint } from './knownCheckpoints.ts';
import type { AuditStore, Checkpoint, HeadLease } from './ports.ts';
import { refuseHead } from './refuseHead.ts';

/** Numbers left out behind the last checkpoint: more than a service signs before the next one. */
export const RESUME_SKIP_SEQS = 1_000_000;
const LEASE_MS = 10_000;
const HEAD_WAIT_MS_MAX = 15_000;
const RETRY_MS = 50;

/** What the command works with: the store itself, not the guarded one. */
export interface ResumePorts extends CheckpointPlaces {
  readonly store: AuditStore;
  readonly signer: Signer;
  readonly clock: Clock;
  readonly random: Random;
  readonly holder: string;
}

/** Which chain to resume, for whom, and why. */
export interface ResumeRequest extends Asker {
  readonly chainId: ChainId;
  /** Free text, kept in the entry's open part. */
  readonly reason: string;
  /** Kept elsewhere; counts beside the one of the data directory, the later of both. */
  readonly checkpoint?: Checkpoint;
}

/** The gap that was named, and where the chain goes on. */
export interface Resumption {
  readonly gap: Gap;
  readonly seq: number;
}

/** Throws `state-conflict` where the chain is not behind, `store-unavailable` where it is held. */
export async function resumeChain(ports: ResumePorts, request: ResumeRequest): Promise<Resumption> {
  const { store, clock, signer, directory } = ports;
  const { chainId } = request;
  const last = await lastKnown(ports, request);
  const lease = await takeHead(ports, chainId);
  try {
    const reason = last && (await refuseHead({ ...ports, chainId, head: lease.head }, last));
    if (last === undefined || reason === undefined) {
      throw new DomainError('state-conflict', {
        detail: 'the chain is not behind its checkpoints',
      });
    }
    const untilSeq = Math.max(last.seq, lease.head.seq) + RESUME_SKIP_SEQS;
    const gap: Gap = { checkpoint: last, fromSeq: lease.head.seq + 1, untilSeq };
    const sealed = sealEvent(
      prepareEvent(chainId, resumedEntry(ports, request, gap), ports.random),
      lease.head,
      signer,
      untilSeq + 1,
    );
    const group = { bus: [], changes: [], events: [sealed], idempotency: [], isResumption: true };
    const result = await store.appendGroup(lease, group, { release: true, ttlMs: LEASE_MS });
    if (result.kind !== 'appended') {
      throw new DomainError('store-unavailable', { detail: 'another process took the chain' });
    }
    const head = { hash: sealed.hash, seq: sealed.seq };
    const checkpoint = signCheckpoint(chainId, head, { at: clock.now(), signer });
    await appendCheckpoint(directory, chainId, checkpoint);
    await store.saveCheckpoint(checkpoint);
    return { gap, seq: sealed.seq };
  } finally {
    await store.releaseHead(lease).catch(() => undefined); // it ends by itself
  }
}

function resumedEntry(ports: ResumePorts, request: ResumeRequest, gap: Gap) {
  const { actor, chainId, ip, reason } = request;
  return entry(ports, {
    action: RESUMED_ACTION,
    actor,
    ...(ip !== undefined && { ip }),
    members: { gap: gapMember(gap) },
    open: { reason },
    severity: 'ALERT',
    target: chainId,
  });
}

/** The later of what is known beside the store and what the request brings; each is verified. */
async function lastKnown(
  ports: ResumePorts,
  { chainId, checkpoint }: ResumeRequest,
): Promise<Checkpoint | undefined> {
  const { checkpoint: known, refusal } = await knownCheckpoint(ports, chainId);
  const refuse = (detail: string): never => {
    throw new DomainError('state-conflict', { detail });
  };
  if (refusal !== undefined) return refuse(refusal);
  if (checkpoint === undefined) return known;
  const reason =
    checkpoint.tenant_id === chainId
      ? refuseCheckpoint(checkpoint, chainKeys(ports.keyRing, chainId))
      : 'it is of another chain';
  if (reason !== undefined) return refuse(`checkpoint ${checkpoint.seq}: ${reason}`);
  return laterCheckpoint(known, checkpoint);
}

async function takeHead(
  { store, clock, holder }: ResumePorts,
  chainId: ChainId,
): Promise<HeadLease> {
  const endsAt = clock.monotonicMs() + HEAD_WAIT_MS_MAX;
  for (;;) {
    const lease = await store.takeHead({ chainId, holder, ttlMs: LEASE_MS });
    if (lease !== undefined) return lease;
    if (clock.monotonicMs() >= endsAt) {
      throw new DomainError('store-unavailable', { detail: 'another process keeps the chain' });
    }
    await delay(RETRY_MS);
  }
}

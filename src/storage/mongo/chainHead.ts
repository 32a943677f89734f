/**
 * The head document of each chain: where it ends, and who may append (the rules are in headLease).
 * Leases are written by compare-and-set on `rev`, and decided again where another process was
 * first.
 */
import type { ChainHead, HeadLease, HeldHead } from '#core/audit';
import type { ChainId } from '#core/kernel';
import { HASH_ZERO, HEAD_EMPTY } from '../emptyHead.ts';
import {
  askForLease,
  type HeadAsk,
  heldHead,
  LEASE_FREE,
  type LeaseState,
  releaseLease,
  takenOver,
  understood,
} from '../headLease.ts';
import type { HeadWatch } from '../headWatch.ts';
import { HELD_HEADS_MAX } from '../limits.ts';
import type { ChainSessions } from './chainSessions.ts';
import type { Collections, HeadDocument } from './collections.ts';
import { isDuplicateKey, isTimeout } from './errors.ts';

/** A write to a head waits for the transaction that holds it; one that is alive takes less. */
const HEAD_WRITE_MS_MAX = 1_000;

/** What a process asks with. */
interface Asking {
  readonly nowMs: number;
  readonly watch: HeadWatch;
  /** Where there are transactions. */
  readonly sessions: ChainSessions | undefined;
}

type Taken = Pick<HeadLease, 'fence' | 'isTakenOver'>;

export function chainHead({ head }: Pick<Collections, 'head'>) {
  async function find(chainId: string): Promise<HeadDocument | null> {
    const found = await head.findOne({ _id: chainId });
    return found && understood(found);
  }

  async function findOrInsert(chainId: ChainId): Promise<HeadDocument> {
    const found = await find(chainId);
    if (found !== null) return found;
    const created = { ...LEASE_FREE, rev: 0, seq: 0, hash: HASH_ZERO, group: 0, at: 0 };
    try {
      await head.insertOne({ _id: chainId, ...created, checkpointSeq: 0 });
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
    }
    return findOrInsert(chainId);
  }

  /** False: the document moved since it was read. */
  async function saveLease(before: HeadDocument, lease: Partial<HeadDocument>): Promise<boolean> {
    const { matchedCount } = await head.updateOne(
      { _id: before._id, rev: before.rev },
      { $set: lease, $inc: { rev: 1 } },
      { maxTimeMS: HEAD_WRITE_MS_MAX },
    );
    return matchedCount === 1;
  }

  /** The lease without its place, if the asker has it now. */
  async function takeLease(ask: HeadAsk, asking: Asking): Promise<Taken | undefined> {
    const { nowMs, sessions, watch } = asking;
    const before = await findOrInsert(ask.chainId);
    const next = askForLease(before, ask, { isSilent: watch.isSilent(ask, before), nowMs });
    const isMine = next.holder === ask.holder;
    if (next === before) return undefined;
    const hasChanged = isMine && next.fence !== before.fence && before.holder !== null;
    if (hasChanged && before.session) await sessions?.kill(before.session);
    const session = isMine ? sessions?.start(ask.chainId) : before.session;
    try {
      const isSaved = await saveLease(before, { ...leaseOf(next), session: session ?? null });
      if (!isSaved) return await takeLease(ask, asking);
    } catch (error) {
      // A transaction of the holder's is running, or was when it died: the head is not ours now.
      if (isTimeout(error)) return undefined;
      throw error;
    }
    return isMine ? { fence: next.fence, ...takenOver(before, ask.holder) } : undefined;
  }

  async function release(chainId: ChainId, fence: number): Promise<void> {
    const before = await find(chainId);
    if (before === null || before.fence !== fence) return;
    const isSaved = await saveLease(before, { ...releaseLease(before), session: null });
    if (!isSaved) await release(chainId, fence);
  }

  async function read(chainId: ChainId): Promise<ChainHead> {
    const found = await find(chainId);
    return found === null ? HEAD_EMPTY : { seq: found.seq, hash: found.hash };
  }

  return { find, findOrInsert, takeLease, release, read };
}

/** The lease without the rest of the document from which the state was read. */
function leaseOf({ fence, holder, leaseUntil, wantedBy }: LeaseState): LeaseState {
  return { fence, holder, leaseUntil, wantedBy };
}

/** Heads that some process has, or was offered. */
export async function heldHeads({ head }: Pick<Collections, 'head'>): Promise<HeldHead[]> {
  const found = await head
    .find({ holder: { $ne: null } })
    .sort({ _id: 1 })
    .limit(HELD_HEADS_MAX)
    .toArray();
  return found.flatMap((one) => heldHead(one._id as ChainId, understood(one)) ?? []);
}

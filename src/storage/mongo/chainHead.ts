/**
 * The head document of each chain: where it ends, and who may append (the rules are in headLease).
 * Leases are written by compare-and-set on `rev`; asked again when somebody else was quicker.
 */
import type { ChainHead } from '#domain/audit';
import type { ChainId } from '#domain/kernel';
import { HASH_ZERO, HEAD_EMPTY } from '../headEmpty.ts';
import {
  askForLease,
  type HeadAsk,
  LEASE_FREE,
  type LeaseState,
  releaseLease,
} from '../headLease.ts';
import type { Collections, HeadDocument } from './collections.ts';
import { isDuplicateKey } from './errors.ts';

export function chainHead({ head }: Pick<Collections, 'head'>) {
  const find = (chainId: string): Promise<HeadDocument | null> => head.findOne({ _id: chainId });

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
  async function saveLease(before: HeadDocument, lease: LeaseState): Promise<boolean> {
    const { fence, holder, leaseUntil, wantedBy } = lease;
    const { matchedCount } = await head.updateOne(
      { _id: before._id, rev: before.rev },
      { $set: { fence, holder, leaseUntil, wantedBy }, $inc: { rev: 1 } },
    );
    return matchedCount === 1;
  }

  /** The fence of the lease, if the asker has it now. */
  async function takeLease(ask: HeadAsk, nowMs: number): Promise<number | undefined> {
    const before = await findOrInsert(ask.chainId);
    const next = askForLease(before, ask, nowMs);
    const isSaved = next === before || (await saveLease(before, next));
    if (!isSaved) return takeLease(ask, nowMs);
    return next.holder === ask.holder ? next.fence : undefined;
  }

  async function release(chainId: ChainId, fence: number, nowMs: number): Promise<void> {
    const before = await find(chainId);
    if (before === null || before.fence !== fence) return;
    const isSaved = await saveLease(before, releaseLease(before, nowMs));
    if (!isSaved) await release(chainId, fence, nowMs);
  }

  async function read(chainId: ChainId): Promise<ChainHead> {
    const found = await find(chainId);
    return found === null ? HEAD_EMPTY : { seq: found.seq, hash: found.hash };
  }

  return { find, findOrInsert, takeLease, release, read };
}

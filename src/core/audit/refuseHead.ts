/**
 * Whether a chain in the store continues what was signed last beside it. If it does not, an old
 * backup was restored or somebody wrote past the service, and a signature would cover it up.
 */
import type { ChainId } from '#core/kernel';
import { isSameHash } from './chain.ts';
import { gapOf, RESUMED_ACTION } from './gap.ts';
import type { KeyRing } from './keyRing.ts';
import type { AuditStore, ChainHead, Checkpoint } from './ports.ts';
import { verifiedEvent } from './verifiedEvent.ts';

/** The chain as the store has it, and the keys that verify its entries. */
export interface RefuseHead {
  readonly store: Pick<AuditStore, 'findBySeq' | 'readEvents'>;
  readonly chainId: ChainId;
  readonly head: ChainHead;
  /** Without it no gap is accepted. */
  readonly keyRing?: KeyRing;
}

/** Why the chain does not continue the checkpoint that was signed last; undefined where it does. */
export async function refuseHead(of: RefuseHead, last: Checkpoint): Promise<string | undefined> {
  const { chainId, head, store } = of;
  if (head.seq < last.seq) return `head is seq ${head.seq}, seq ${last.seq} was signed before`;
  if (last.seq === 0) return undefined;
  const then = await store.findBySeq(chainId, last.seq);
  if (then === undefined && (await isNamedGap(of, last))) return undefined;
  return then && isSameHash(then.hash, last.hash)
    ? undefined
    : `seq ${last.seq} is not what was signed before`;
}

/** Whether a signed entry says that the events up to this checkpoint are lost. */
async function isNamedGap(
  { chainId, keyRing, store }: RefuseHead,
  last: Checkpoint,
): Promise<boolean> {
  if (keyRing === undefined) return false;
  const page = { action: RESUMED_ACTION, chainId, fromSeq: last.seq, limit: 1 };
  const [resumed] = await store.readEvents(page);
  const event = resumed && verifiedEvent(resumed, { chainId, keyRing });
  const gap = event && gapOf(event);
  return gap !== undefined && gap.fromSeq <= last.seq && last.seq <= gap.checkpoint.seq;
}

/**
 * Keeps a process from signing behind a head that has gone back. The checkpoints beside the
 * database and the numbers that this process has written itself say how far a chain has been; a
 * store that knows less is an old backup, and what it would sign next was signed before.
 *
 * Checked with each head that is taken: against memory always, against the file when the last look
 * is older than a few seconds. A backup restored under a running process is found as well. Where a
 * checkpoint is forged or damaged nobody knows how far the chain was, and nothing is signed either.
 */
import { readdir } from 'node:fs/promises';
import { type ChainId, DomainError } from '#core/kernel';
import type { Clock } from '#platform/clock';
import { type CheckpointPlaces, knownCheckpoint } from './knownCheckpoints.ts';
import type { AuditStore, ChainHead, Checkpoint } from './ports.ts';
import { refuseHead } from './refuseHead.ts';

/** Milliseconds after which the checkpoints of a busy chain are read anew. */
export const HEAD_LOOK_MS = 5_000;
/** Milliseconds that the finding over all chains is good for. */
export const HEADS_LOOK_MS = 30_000;
const CHECKPOINTS = /^([0-9a-z-]{1,64})\.jsonl$/;

/** A chain that nothing can be signed in, and why. */
export interface BehindChain {
  readonly chainId: ChainId;
  readonly reason: string;
  /** A checkpoint beside the store is not what was signed: how far the chain was is not known. */
  readonly isAltered?: true;
}

/** What a guard works with. */
export interface HeadGuardOptions extends CheckpointPlaces {
  readonly store: Pick<AuditStore, 'findBySeq' | 'head' | 'readEvents'>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
}

/** The guard of one process. */
export interface HeadGuard {
  /** Why nothing may be signed behind this head; undefined where it may. */
  refuse(chainId: ChainId, head: ChainHead): Promise<string | undefined>;
  /** This process has written up to this head. */
  wrote(chainId: ChainId, head: ChainHead): void;
  /**
   * The last checkpoint of the chain that is known beside the store. Throws `audit-chain-behind`
   * where one of them is not what was signed.
   */
  known(chainId: ChainId): Promise<Checkpoint | undefined>;
  /** Every chain that nothing can be signed in, at most HEADS_LOOK_MS old. */
  behind(): Promise<readonly BehindChain[]>;
}

/** Makes the guard; it reads nothing before it is asked. */
export function createHeadGuard(options: HeadGuardOptions): HeadGuard {
  const { clock } = options;
  const written = new Map<ChainId, number>();
  const lookedAt = new Map<ChainId, number>();
  let scanned: { readonly at: number; readonly found: Promise<BehindChain[]> } | undefined;

  const refuse: HeadGuard['refuse'] = async (chainId, head) => {
    const own = written.get(chainId) ?? 0;
    if (head.seq < own) return `head is seq ${head.seq}, this process wrote seq ${own}`;
    const now = clock.monotonicMs();
    if (now - (lookedAt.get(chainId) ?? Number.NEGATIVE_INFINITY) < HEAD_LOOK_MS) return undefined;
    const { checkpoint, refusal } = await knownCheckpoint(options, chainId);
    const of = { ...options, chainId, head };
    const reason = refusal ?? (checkpoint && (await refuseHead(of, checkpoint)));
    // A refusal is looked at again: the chain may be resumed meanwhile.
    if (reason === undefined) lookedAt.set(chainId, now);
    return reason;
  };

  const wrote: HeadGuard['wrote'] = (chainId, { seq }) => void written.set(chainId, seq);
  return {
    behind: () => {
      const now = clock.monotonicMs();
      if (scanned === undefined || now - scanned.at >= HEADS_LOOK_MS) {
        const found = scan(options);
        scanned = { at: now, found };
        const forget = (): void => {
          scanned = undefined;
        };
        // What is behind is looked at again each time: the way on should be seen at once.
        found.then((chains) => chains.length > 0 && forget(), forget);
      }
      return scanned.found;
    },
    known: async (chainId) => {
      const { checkpoint, refusal } = await knownCheckpoint(options, chainId);
      if (refusal === undefined) return checkpoint;
      throw new DomainError('audit-chain-behind', { detail: `chain ${chainId}: ${refusal}` });
    },
    refuse,
    wrote,
  };
}

async function scan(options: HeadGuardOptions): Promise<BehindChain[]> {
  const behind: BehindChain[] = [];
  for (const chainId of await chainsKnown(options)) {
    // The checkpoint before the head: a later one must not look like a step back.
    const { checkpoint, refusal } = await knownCheckpoint(options, chainId);
    if (refusal !== undefined) behind.push({ chainId, isAltered: true, reason: refusal });
    if (refusal !== undefined || checkpoint === undefined) continue;
    const head = await options.store.head(chainId);
    const reason = await refuseHead({ ...options, chainId, head }, checkpoint);
    if (reason !== undefined) behind.push({ chainId, reason });
  }
  return behind;
}

async function chainsKnown({ copies, directory }: HeadGuardOptions): Promise<Set<ChainId>> {
  const chains = new Set<ChainId>();
  for (const name of await namesIn(directory)) {
    const chainId = CHECKPOINTS.exec(name)?.[1];
    if (chainId !== undefined) chains.add(chainId as ChainId);
  }
  try {
    if (copies !== undefined) for await (const chainId of copies.chains()) chains.add(chainId);
  } catch (error) {
    // Out of reach: what the files name is looked at all the same.
    if (!(error instanceof DomainError)) throw error;
  }
  return chains;
}

async function namesIn(directory: string): Promise<readonly string[]> {
  return readdir(directory).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  });
}

/** The store as the log uses it: a head that has gone back cannot be taken. */
export function guardedStore(store: AuditStore, guard: HeadGuard): AuditStore {
  return {
    ...store,
    takeHead: async (ask) => {
      const lease = await store.takeHead(ask);
      if (lease === undefined) return undefined;
      let reason: string | undefined = 'the checkpoints could not be read';
      try {
        reason = await guard.refuse(ask.chainId, lease.head);
      } finally {
        // Where it fails, the lease ends by itself.
        if (reason !== undefined) await store.releaseHead(lease).catch(() => undefined);
      }
      if (reason === undefined) return lease;
      throw new DomainError('audit-chain-behind', { detail: reason });
    },
    appendGroup: async (lease, group, options) => {
      const result = await store.appendGroup(lease, group, options);
      const last = group.events.at(-1);
      if (result.kind === 'appended' && last) guard.wrote(lease.chainId, last);
      return result;
    },
  };
}

/**
 * The last checkpoint of a chain that is known beside its store: in the data directory and, where
 * the blobs are in a bucket, there. Each is verified before it says anything of the chain. One that
 * no key of this service signed was put there to hide a later one, or to stop the chain, so it is
 * named and never believed; nor is the other place then, which may be the older one.
 */
import { type ChainId, DomainError } from '#core/kernel';
import { refuseCheckpoint } from './checkpoint.ts';
import { type CheckpointCopies, CheckpointDamaged, laterCheckpoint } from './checkpointCopies.ts';
import { lastCheckpoint } from './checkpointFile.ts';
import { chainKeys, type KeyRing } from './keyRing.ts';
import type { Checkpoint } from './ports.ts';

/** Where checkpoints are kept beside the store, and what verifies them. */
export interface CheckpointPlaces {
  /** DATA_DIR/checkpoints. */
  readonly directory: string;
  /** Checkpoints kept elsewhere. A bucket that cannot be read just now holds nothing up. */
  readonly copies?: CheckpointCopies;
  readonly keyRing: KeyRing;
}

/** What was found of one chain. */
export interface KnownCheckpoint {
  /** The later of those that are what was signed. */
  readonly checkpoint: Checkpoint | undefined;
  /** Why one of them is not; undefined where all are. */
  readonly refusal: string | undefined;
}

/** Rejects where a file cannot be read; a bucket that is out of reach counts as one without it. */
export async function knownCheckpoint(
  { copies, directory, keyRing }: CheckpointPlaces,
  chainId: ChainId,
): Promise<KnownCheckpoint> {
  const keys = chainKeys(keyRing, chainId);
  const found: readonly Found[] = await Promise.all([
    looked('in the data directory', () => lastCheckpoint(directory, chainId)),
    looked('in the bucket', async () => copies?.latest(chainId)),
  ]);
  let checkpoint: Checkpoint | undefined;
  let refusal: string | undefined;
  for (const { damage, one, place } of found) {
    const reason = damage ?? (one && refusalOf(one));
    if (reason === undefined) checkpoint = laterCheckpoint(checkpoint, one);
    else refusal ??= `the checkpoint ${place} is not what was signed: ${reason}`;
  }
  return { checkpoint, refusal };

  function refusalOf(one: Checkpoint): string | undefined {
    if (one.tenant_id !== chainId) return `seq ${one.seq}: it is of another chain`;
    const reason = refuseCheckpoint(one, keys);
    return reason && `seq ${one.seq}: ${reason}`;
  }
}

interface Found {
  readonly place: string;
  readonly one?: Checkpoint | undefined;
  readonly damage?: string;
}

async function looked(place: string, read: () => Promise<Checkpoint | undefined>): Promise<Found> {
  try {
    return { one: await read(), place };
  } catch (error) {
    if (error instanceof CheckpointDamaged) return { damage: error.message, place };
    // A store's refusal: out of reach just now.
    if (error instanceof DomainError) return { place };
    throw error;
  }
}

/**
 * The version that a run finds in force: its lines as a stream, and whether a gateway could load
 * it. A version that cannot be read must not block its successor.
 */
import type { BlobSeal, BlobStore } from '#core/blobs';
import { isDamage } from './damage.ts';
import type { ListVersion, StoredBundle } from './ports.ts';
import { versionLines } from './versionLines.ts';

/** Note of a run where the dates of first sight are lost with the bundle. */
export const UNREADABLE_NOTE = 'former-version-unreadable';

/** The version's bundle is gone or damaged, so nothing is known of it. */
export class VersionUnreadable extends Error {
  override readonly name = 'VersionUnreadable';
}

/**
 * Batches of its entities' lines, by id. Throws VersionUnreadable, perhaps only at the end: no
 * batch counts before that. The blob is our own and verified by its address, so no key is needed.
 */
export async function* linesInForce(
  active: StoredBundle,
  blobs: Pick<BlobStore, 'open'>,
): AsyncGenerator<readonly Buffer[]> {
  const lines = versionLines(active, blobs);
  try {
    for (;;) {
      const next = await unlessDamaged(() => lines.next());
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    await lines.return(undefined);
  }
}

/** A store that does not answer is no damage: the run ends, and nothing is lost. */
async function unlessDamaged<Value>(read: () => Promise<Value>): Promise<Value> {
  try {
    return await read();
  } catch (error) {
    if (!isDamage(error)) throw error;
    throw new VersionUnreadable(error.message, { cause: error });
  }
}

/** What an engine reports of an index. */
export interface IndexInspection {
  /**
   * The engine's view of a stored snapshot (with its overlay, where it has one), to compare counts.
   * Rejects where it is damaged or of a format that this release does not read. `isBaseChecked`: an
   * overlay was built on this very snapshot a moment ago, so it is not summed again.
   */
  readonly inspectSnapshot: (
    snapshot: SharedArrayBuffer,
    overlay?: SharedArrayBuffer,
    options?: { readonly isBaseChecked: boolean },
  ) => Promise<{ readonly entityCount: number; readonly nameCount: number }>;
}

/** The index as the store has it, whole. */
export interface StoredIndex {
  readonly snapshot: SharedArrayBuffer | undefined;
  readonly overlay: SharedArrayBuffer | undefined;
}

export async function readIndex(
  { overlayBlob, snapshotBlob }: Pick<ListVersion, 'overlayBlob' | 'snapshotBlob'>,
  blobs: Pick<BlobStore, 'getShared'>,
  /** Seal of the snapshot. */
  seal?: BlobSeal,
): Promise<StoredIndex> {
  return {
    overlay: overlayBlob === undefined ? undefined : await readWhole(overlayBlob, blobs),
    snapshot: await readWhole(snapshotBlob, blobs, seal),
  };
}

/** Undefined where it is gone or damaged. */
async function readWhole(
  address: string,
  blobs: Pick<BlobStore, 'getShared'>,
  seal?: BlobSeal,
): Promise<SharedArrayBuffer | undefined> {
  return blobs.getShared(address, undefined, seal).catch((error: unknown) => {
    if (isDamage(error)) return undefined;
    throw error;
  });
}

/**
 * Whether a gateway could load it: its snapshot may be damaged, gone, or of a format that this
 * release does not read.
 */
export async function isLoadable(
  active: ListVersion,
  { overlay, snapshot }: StoredIndex,
  { inspectSnapshot }: IndexInspection,
): Promise<boolean> {
  if (!snapshot || (active.overlayBlob !== undefined && !overlay)) return false;
  try {
    const inspected = await inspectSnapshot(snapshot, ...(overlay ? [overlay] : []));
    return inspected.entityCount === active.entityCount;
  } catch {
    return false; // an error here would be an error in a gateway too
  }
}

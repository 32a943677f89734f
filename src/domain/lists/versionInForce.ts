/**
 * The version that a run finds in force: what its entities were, and whether it can still be read
 * at all. One that cannot must not stand in the way of its successor.
 */
import { DomainError } from '../kernel/index.ts';
import { readBundle } from './bundle.ts';
import type { BlobStore, ListVersion } from './ports.ts';
import type { SeenBefore } from './prepareList.ts';
import { contentJson } from './versions.ts';

/** Counted among a run's notes where the dates of first sight are lost with the bundle. */
export const UNREADABLE_NOTE = 'former-version-unreadable';

export interface InForce {
  readonly before: ReadonlyMap<string, SeenBefore>;
  /** False: its bundle is gone or damaged, and nothing is known of it. */
  readonly isReadable: boolean;
}

/** Our own blob, named by our own store and checked against its address: no key is asked. */
export async function readInForce(
  active: ListVersion | undefined,
  blobs: Pick<BlobStore, 'get'>,
): Promise<InForce> {
  const before = new Map<string, SeenBefore>();
  if (!active) return { before, isReadable: true };
  try {
    const bytes = await blobs.get(active.bundleBlob);
    if (!bytes) return { before, isReadable: false };
    readBundle(
      bytes,
      () => ({ verify: () => true }),
      (entity) => {
        const content = contentJson(entity);
        before.set(entity.ftm_id, { firstSeenAt: entity.first_seen_at, content });
      },
    );
    return { before, isReadable: true };
  } catch (error) {
    // A store that does not answer is no damage: the run ends, and nothing is lost by it.
    if (!(error instanceof DomainError) || error.code !== 'list-damaged') throw error;
    return { before: new Map(), isReadable: false };
  }
}

/**
 * Whether a gateway could load it: its snapshot may be damaged, gone, or of a format that this
 * release no longer reads.
 */
export async function isLoadable(
  active: ListVersion,
  ports: {
    readonly blobs: Pick<BlobStore, 'getShared'>;
    readonly inspectSnapshot: (snapshot: SharedArrayBuffer) => { readonly entityCount: number };
  },
): Promise<boolean> {
  const snapshot = await ports.blobs.getShared(active.snapshotBlob).catch((error: unknown) => {
    if (error instanceof DomainError && error.code === 'list-damaged') return undefined;
    throw error;
  });
  if (!snapshot) return false;
  try {
    return ports.inspectSnapshot(snapshot).entityCount === active.entityCount;
  } catch {
    return false; // whatever it stumbles over, it would stumble over in a gateway too
  }
}

/**
 * The index of a list version from where it is stored: a snapshot, or one with an overlay. Used for
 * the lists in force (listsInForce.ts) and for those that a batch has pinned.
 */
import assert from 'node:assert/strict';
import type { BlobStore } from '#core/blobs';
import type { ListVersion } from '#slices/lists';

export interface IndexLoading<Index> {
  readonly blobs: Pick<BlobStore, 'getShared'>;
  /** Allocates the memory of a snapshot; absent: exactly its size. */
  readonly allocate?: (bytes: number) => SharedArrayBuffer;
  /**
   * `base` is a snapshot, or an index in force whose snapshot is used again. Rejects with an Error
   * that says what is wrong with the snapshot or the overlay.
   */
  readonly load: (
    base: SharedArrayBuffer | Index,
    overlay?: SharedArrayBuffer,
  ) => Index | Promise<Index>;
}

/** `loaded` stands on the same snapshot, and stays in use until this resolves. */
export async function loadIndex<Index>(
  { allocate, blobs, load }: IndexLoading<Index>,
  { overlayBlob, snapshotBlob }: Pick<ListVersion, 'overlayBlob' | 'snapshotBlob'>,
  loaded?: Index,
): Promise<Index> {
  const base = loaded ?? (await readShared(blobs, snapshotBlob, allocate));
  return load(base, overlayBlob === undefined ? undefined : await readShared(blobs, overlayBlob));
}

export async function readShared(
  blobs: Pick<BlobStore, 'getShared'>,
  address: string,
  allocate?: (bytes: number) => SharedArrayBuffer,
): Promise<SharedArrayBuffer> {
  const bytes = await blobs.getShared(address, allocate);
  assert(bytes !== undefined, `blob ${address} is not in the store`);
  return bytes;
}

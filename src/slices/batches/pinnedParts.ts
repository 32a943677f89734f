/**
 * The lists as work in a worker pins them: the stores, what was signed of them, and an engine's
 * indexes of pinned versions, which end with the process. Batches and re-screening have one each,
 * with an engine of their own. It starts with the first index: most workers never need one.
 */
import type { AuditStore, KeyRing } from '#core/audit';
import type { BlobStore } from '#core/blobs';
import type { Adapter, Question, Tables } from '#core/kernel';
import type { Signer } from '#platform/crypto';
import { openedOnce } from '#platform/openedOnce';
import { indexTools } from '#slices/ingestion';
import { signedVersions } from '#slices/lists';
import { resolvedListStore, signedResolutionStore } from '#slices/resolution';
import type { ReleasableIndex } from './heldIndexes.ts';
import { PinnedLists } from './pinnedLists.ts';

/** What a worker has beside it. */
export interface PinnedMeans {
  readonly blobs: BlobStore;
  readonly keyRing: KeyRing;
  readonly signer: Signer;
  readonly storage: { readonly audit: AuditStore; readonly tables: Tables };
  need<Asked extends Question>(adapter: Adapter<Asked>): Asked;
  onClose(end: () => Promise<void>): void;
}

/** What loads indexes, and is closed after the last of them. */
export interface PinnedEngine<Index extends ReleasableIndex> {
  allocate(bytes: number): SharedArrayBuffer;
  loadInSteps(base: SharedArrayBuffer | Index, overlay?: SharedArrayBuffer): Promise<Index>;
  close(): Promise<void>;
}

export function pinnedParts<Index extends ReleasableIndex>(
  process: PinnedMeans,
  openEngine: () => Promise<PinnedEngine<Index>>,
) {
  const { blobs, keyRing, signer, storage } = process;
  const evidence = { audit: storage.audit, keyRing };
  const signed = signedVersions(evidence);
  const stored = resolvedListStore(storage.tables);
  const lists = { ...stored, ...signedResolutionStore(stored, evidence) };
  const open = async (): Promise<PinnedLists<Index>> => {
    const engine = await openEngine();
    const { buildSnapshot } = await process.need(indexTools)();
    const pinned = new PinnedLists<Index>({
      allocate: (bytes) => engine.allocate(bytes),
      blobs,
      buildSnapshot,
      lists,
      load: (base, overlay) => engine.loadInSteps(base, overlay),
      signed,
      signer,
    });
    process.onClose(async () => {
      pinned.close();
      await engine.close();
    });
    return pinned;
  };
  const opened = openedOnce(open);
  const indexes: Pick<PinnedLists<Index>, 'acquire'> = {
    acquire: async (batch) => (await opened()).acquire(batch),
  };
  return { evidence, indexes, lists, signed };
}

/** The parts, opened. */
export type PinnedParts<Index extends ReleasableIndex> = ReturnType<typeof pinnedParts<Index>>;

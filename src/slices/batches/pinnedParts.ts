/**
 * The lists as work in a worker pins them: the stores, what was signed of them, and an engine's
 * indexes of pinned versions, which end with the process. Batches and re-screening have one each,
 * with an engine of their own.
 */
import type { AuditStore, KeyRing } from '#core/audit';
import type { BlobStore } from '#core/blobs';
import type { Adapter, Question, Tables } from '#core/kernel';
import type { Signer } from '#platform/crypto';
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

export async function pinnedParts<Index extends ReleasableIndex>(
  process: PinnedMeans,
  engine: PinnedEngine<Index>,
) {
  const { blobs, keyRing, signer, storage } = process;
  const evidence = { audit: storage.audit, keyRing };
  const signed = signedVersions(evidence);
  const stored = resolvedListStore(storage.tables);
  const lists = { ...stored, ...signedResolutionStore(stored, evidence) };
  const { buildSnapshot } = await process.need(indexTools)();
  const indexes = new PinnedLists<Index>({
    allocate: (bytes) => engine.allocate(bytes),
    blobs,
    buildSnapshot,
    lists,
    load: (base, overlay) => engine.loadInSteps(base, overlay),
    signed,
    signer,
  });
  process.onClose(async () => {
    indexes.close();
    await engine.close();
  });
  return { evidence, indexes, lists, signed };
}

/** The parts, opened. */
export type PinnedParts<Index extends ReleasableIndex> = Awaited<
  ReturnType<typeof pinnedParts<Index>>
>;

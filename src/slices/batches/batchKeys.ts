/**
 * The data keys of a batch: one record, whose tree has a seed for each chunk and below it one for
 * each subject, and whose secret is that of the batch's files. A chunk of which somebody was erased
 * has a record of its own, for the rest of its tree.
 *
 * Batches of a former release have none: their lines hold what was sent, and stay under their duty.
 */
import {
  type BlobStore,
  type DataKey,
  type DataKeys,
  LeafSeeds,
  type PutOptions,
  type SealedUnder,
  sealedPuts,
  seedAt,
  type TreePlace,
  type TreeSeed,
} from '#core/blobs';
import { type BatchId, DomainError, type TenantId } from '#core/kernel';
import type { Random } from '#platform/random';
import type { Batch, BatchChunk, StoredFile } from './batch.ts';
import { CHUNK_DEPTH, SUBJECT_DEPTH } from './subjectSeal.ts';

type BatchOf = Pick<Batch, 'batchId' | 'tenantId'>;

/** Files of a batch, each under a key of its own. */
export type BatchFile = 'source' | 'rejected' | 'csv' | 'xlsx';

export const batchKeyId = (batchId: BatchId): string => `batch/${batchId}`;
export const chunkKeyId = (batchId: BatchId, chunkNo: number): string =>
  `${batchKeyId(batchId)}/${chunkNo}`;

export const chunkPlace = (chunkNo: number): TreePlace => ({ depth: CHUNK_DEPTH, index: chunkNo });
/** In the tree of a chunk. */
export const subjectPlace = (at: number): TreePlace => ({ depth: SUBJECT_DEPTH, index: at });

/** Undefined for a batch of a former release. */
export function findBatchKey(
  keys: Pick<DataKeys, 'find'>,
  { batchId, tenantId }: { readonly batchId: BatchId; readonly tenantId: TenantId },
): Promise<DataKey | undefined> {
  return keys.find({ keyId: batchKeyId(batchId), tenantId });
}

/** The seed of a chunk; undefined where one of its subjects was erased, or it has none. */
export async function findChunkSeed(
  keys: Pick<DataKeys, 'find'>,
  batch: BatchOf,
  chunkNo: number,
): Promise<Buffer | undefined> {
  const key = await findBatchKey(keys, batch);
  return key && seedAt(key.seeds, chunkPlace(chunkNo));
}

/**
 * The seed of a chunk whose subjects are all there; undefined for a batch of a former release.
 * Throws `blob-damaged` where the key of the batch is gone.
 */
export async function chunkSeed(
  keys: Pick<DataKeys, 'find'>,
  batch: BatchOf & Pick<Batch, 'lineVersion'>,
  chunkNo: number,
): Promise<Buffer | undefined> {
  if (batch.lineVersion === undefined) return undefined;
  const seed = await findChunkSeed(keys, batch, chunkNo);
  if (seed !== undefined) return seed;
  const detail = `data key of chunk ${chunkNo} of batch ${batch.batchId}: it is gone`;
  throw new DomainError('blob-damaged', { detail });
}

/** Seeds of the subjects of a chunk: all of them, or of those who are left. */
export interface SubjectSeeds {
  readonly root?: Uint8Array;
  readonly left?: readonly TreeSeed[];
}

export async function subjectSeeds(
  keys: Pick<DataKeys, 'find'>,
  { batchId, tenantId }: BatchOf,
  { chunkNo }: Pick<BatchChunk, 'chunkNo'>,
): Promise<SubjectSeeds> {
  const root = await findChunkSeed(keys, { batchId, tenantId }, chunkNo);
  if (root !== undefined) return { root };
  const own = await keys.find({ keyId: chunkKeyId(batchId, chunkNo), tenantId });
  return own === undefined ? {} : { left: own.seeds };
}

/** The seed of a subject, by his place in the chunk; undefined where it is destroyed. */
export function seedsOf({ left, root }: SubjectSeeds): (at: number) => Buffer | undefined {
  if (root === undefined) return (at) => left && seedAt(left, subjectPlace(at));
  const leaves = new LeafSeeds(root, SUBJECT_DEPTH);
  return (at) => leaves.at(at);
}

/** What one of a batch's files is sealed under. */
export const underFile = ({ secret }: DataKey, file: BatchFile): SealedUnder => ({
  label: `batch-${file}`,
  secret,
});

/** Puts a file of a batch; without a key, as in batches of a former release, as it is. */
export async function putFile(
  ports: { readonly blobs: Pick<BlobStore, 'put'>; readonly random: Random },
  of: {
    readonly bytes: AsyncIterable<Uint8Array> | Uint8Array;
    readonly key: DataKey | undefined;
    readonly name: BatchFile;
  },
  options: PutOptions,
): Promise<StoredFile> {
  const { bytes: content, key, name } = of;
  if (key === undefined) {
    const { address, bytes } = await ports.blobs.put(content, options);
    return { address, bytes };
  }
  const puts = sealedPuts(ports, underFile(key, name));
  const { address, bytes, sealedBlob: blob } = await puts.put(content, options);
  return { address, bytes, sealed: { blob, keyId: key.keyId, keyVersion: key.version } };
}

/**
 * The same for a stored file. Undefined where it is not sealed, or the secret is gone: somebody of
 * the batch was erased since it was written.
 */
export async function underOf(
  keys: Pick<DataKeys, 'find'>,
  { tenantId }: Pick<Batch, 'tenantId'>,
  { sealed }: StoredFile,
  file: BatchFile,
): Promise<SealedUnder | undefined> {
  if (sealed === undefined) return undefined;
  const key = await keys.find({ keyId: sealed.keyId, tenantId });
  return key?.version === sealed.keyVersion ? underFile(key, file) : undefined;
}

/** What a chunk's subjects and its part wait under, until it is done. */
export const underChunk = (seed: Uint8Array, what: 'input' | 'part'): SealedUnder => ({
  label: `batch-chunk-${what}`,
  secret: seed,
});

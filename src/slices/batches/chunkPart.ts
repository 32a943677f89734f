/**
 * The done part of a chunk whose rest was handed back: costly subjects would keep a thread from
 * everybody else. Whoever takes the chunk next goes on behind it, and what comes out in the end is
 * the same to the byte, however often it was cut.
 *
 * The part lies in a blob that its row names, and is signed with all that it belongs to. A part
 * that is missing, was changed, or is of another key counts for nothing: the chunk begins anew.
 */
import { promisify } from 'node:util';
import { gunzip, gzipSync } from 'node:zlib';
import type { EventDraft } from '#core/audit';
import { type BlobStore, openSealed, putSealed } from '#core/blobs';
import { type BusEvent, DomainError } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import type { Clock, EpochMs } from '#platform/clock';
import type { Signer } from '#platform/ed25519';
import type { Random } from '#platform/random';
import type { Batch, BatchChunk, ChunkPart } from './batch.ts';
import { underChunk } from './batchKeys.ts';
import type { ChunkRest } from './chunkPorts.ts';
import type { ResultsSoFar } from './chunkResults.ts';
import { GZIP_LEVEL } from './resultLine.ts';

/** An event as it goes between threads and into a part: canonical texts lose their class. */
export interface PlainEvent extends Omit<EventDraft, 'members'> {
  readonly members: readonly (readonly [name: string, value: unknown, isText: boolean])[];
}

/** What a part holds. */
export interface PartOfChunk {
  /** From the chunk's first one on. */
  readonly subjects: number;
  readonly results: ResultsSoFar;
  readonly events: readonly PlainEvent[];
  readonly bus: readonly BusEvent[];
}

interface PartPorts {
  readonly blobs: Pick<BlobStore, 'get' | 'put'>;
  readonly random: Random;
  readonly signer: Pick<Signer, 'publicKey' | 'sign'>;
}

/** The blob store's times may be another clock's. */
const PUT_MARGIN_MS = 60_000;

type PartOf = Pick<BatchChunk, 'batchId' | 'chunkNo' | 'input'>;

const gunzipped = promisify(gunzip);

export const packPart = (part: PartOfChunk): Uint8Array =>
  gzipSync(JSON.stringify(part), { level: GZIP_LEVEL });

export const unpackPart = async (bytes: Uint8Array): Promise<PartOfChunk> =>
  JSON.parse((await gunzipped(bytes)).toString()) as PartOfChunk;

/** For the chunk's row. Sealed under the chunk's seed, where it has one. */
export async function putPart(
  { blobs, random, signer }: PartPorts,
  of: { readonly batch: Batch; readonly chunk: PartOf; readonly seed: Uint8Array | undefined },
  { part, subjects }: ChunkRest,
): Promise<ChunkPart> {
  const { batch, chunk, seed } = of;
  const blob =
    seed === undefined
      ? (await blobs.put(part)).address
      : await putSealed({ blobs, random }, part, underChunk(seed, 'part'));
  const message = partMessage(batch, chunk, { blob, subjects });
  const signature = Buffer.from(signer.sign(message)).toString('base64');
  return { blob, signature, subjects };
}

/** What `putPart` has put; undefined where the chunk has none, or none that counts. */
export async function getPart(
  { blobs, signer }: Pick<PartPorts, 'blobs' | 'signer'>,
  of: { readonly batch: Batch; readonly chunk: BatchChunk; readonly seed: Uint8Array | undefined },
): Promise<Uint8Array | undefined> {
  const { batch, chunk, seed } = of;
  const { part } = chunk;
  if (part === undefined) return undefined;
  const signature = Buffer.from(part.signature, 'base64');
  const isOurs = signer.publicKey.verify(partMessage(batch, chunk, part), signature);
  if (!isOurs) return undefined;
  const bytes = await blobs.get(part.blob).catch(unlessDamaged);
  if (bytes === undefined || seed === undefined) return bytes;
  return openSealed(bytes, underChunk(seed, 'part')).catch(unlessDamaged);
}

/**
 * Removes a part that no row names any more: a chunk of minutes leaves hundreds, and the sweep
 * waits a day. Where that fails it is the sweep's.
 */
export async function dropPart(
  { blobs, clock }: { readonly blobs: Pick<BlobStore, 'remove'>; readonly clock: Clock },
  part: ChunkPart | undefined,
): Promise<void> {
  if (part === undefined) return;
  const putBefore = (clock.now() + PUT_MARGIN_MS) as EpochMs;
  await blobs.remove(part.blob, { putBefore }).catch(() => false);
}

function unlessDamaged(error: unknown): undefined {
  if (error instanceof DomainError && error.code === 'blob-damaged') return undefined;
  throw error;
}

/** Lists and settings are the batch's, which never change once it runs. */
function partMessage(
  { listVersion = '', tenantId }: Batch,
  { batchId, chunkNo, input }: PartOf,
  { blob, subjects }: Pick<ChunkPart, 'blob' | 'subjects'>,
): Uint8Array {
  const statement = { batchId, blob, chunkNo, input, listVersion, subjects, tenantId };
  return Buffer.from(`batch-chunk-part-v1\0${canonicalJson(statement)}`);
}

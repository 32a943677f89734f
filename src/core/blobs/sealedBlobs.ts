/**
 * Blobs whose bytes are sealed under a secret of a data key, so that they are gone once it is.
 *
 *   16 bytes   salt; the key of the blob is HKDF-SHA-256(secret, salt, "sealed-blob-v1\0" ‖ label)
 *   frames     AES-256-GCM over 1 MiB each, the last one shorter, each with its tag of 16 bytes;
 *              the nonce is the frame's number (11 bytes) and 1 for the last frame, else 0
 *
 * Frames neither change places nor can the end be cut off. A salt is never used twice, so no two
 * blobs share key and nonce, even where the same file is written again after a crash.
 */
import { createCipheriv, createDecipheriv, createHash, hkdfSync } from 'node:crypto';
import { DomainError } from '#core/kernel';
import type { Random } from '#platform/random';
import type { BlobStore, PutBlob, PutOptions, StoredFile } from './ports.ts';

const CIPHER = 'aes-256-gcm';
const FRAME_BYTES = 1024 * 1024;
const SALT_BYTES = 16;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;

/** A secret, and what is sealed under it: no two purposes share a key. */
export interface SealedUnder {
  readonly secret: Uint8Array;
  readonly label: string;
}

/** What a put through a seal says: digest and length of the file, and its sealed blob. */
export interface SealedPut extends PutBlob {
  readonly sealedBlob: string;
}

/** Puts of a caller who does not know whether files are sealed. */
export interface FilePuts {
  put(
    bytes: Uint8Array | AsyncIterable<Uint8Array>,
    options?: PutOptions,
  ): Promise<PutBlob & Partial<SealedPut>>;
}

/** A store into which files go sealed, in pieces. */
export function sealedPuts(
  { blobs, random }: { readonly blobs: Pick<BlobStore, 'put'>; readonly random: Random },
  under: SealedUnder,
): { put(...of: Parameters<BlobStore['put']>): Promise<SealedPut> } {
  return {
    put: async (bytes, options) => {
      const digest = createHash('sha256');
      let length = 0;
      async function* heard(): AsyncGenerator<Uint8Array> {
        for await (const piece of bytes instanceof Uint8Array ? [bytes] : bytes) {
          digest.update(piece);
          length += piece.length;
          yield piece;
        }
      }
      const { address: sealedBlob } = await blobs.put(sealed(heard(), random, under), options);
      return { address: digest.digest('hex'), bytes: length, sealedBlob };
    },
  };
}

/** The same for bytes in memory; the address is the sealed blob's. */
export async function putSealed(
  { blobs, random }: { readonly blobs: Pick<BlobStore, 'put'>; readonly random: Random },
  bytes: Uint8Array,
  under: SealedUnder,
): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of sealed([bytes], random, under)) pieces.push(piece);
  return (await blobs.put(Buffer.concat(pieces))).address;
}

/** Throws `blob-damaged` where it was not sealed under this secret. */
export async function openSealed(bytes: Uint8Array, under: SealedUnder): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of unsealed([bytes], under)) pieces.push(piece);
  return Buffer.concat(pieces);
}

/**
 * A stored file in pieces, whether it is sealed or not. Undefined where its blob is absent. Throws
 * `blob-damaged` as it is read where it is not what was put; without a secret a sealed file cannot
 * be read, and the caller says why that is so.
 */
export async function openFile(
  blobs: Pick<BlobStore, 'open'>,
  { address, sealed: place }: StoredFile,
  under: SealedUnder | undefined,
): Promise<AsyncIterable<Uint8Array> | undefined> {
  if (place === undefined) return blobs.open(address);
  if (under === undefined) return undefined;
  const bytes = await blobs.open(place.blob);
  return bytes && unsealed(bytes, under);
}

async function* sealed(
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  random: Random,
  under: SealedUnder,
): AsyncGenerator<Uint8Array> {
  const salt = random.bytes(SALT_BYTES);
  const key = keyOf(under, salt);
  yield salt;
  let at = 0;
  for await (const { frame, isLast } of framed(bytes, FRAME_BYTES)) {
    const cipher = createCipheriv(CIPHER, key, nonceOf(at++, isLast));
    yield Buffer.concat([cipher.update(frame), cipher.final(), cipher.getAuthTag()]);
  }
}

async function* unsealed(
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  under: SealedUnder,
): AsyncGenerator<Uint8Array> {
  let key: Buffer | undefined;
  let at = 0;
  for await (const { frame, isLast } of framed(bytes, FRAME_BYTES + TAG_BYTES, SALT_BYTES)) {
    if (key === undefined) {
      key = keyOf(under, frame);
      continue;
    }
    yield opened(key, frame, nonceOf(at++, isLast));
  }
  if (at === 0) throw damaged('it ends before its first frame');
}

function opened(key: Buffer, frame: Uint8Array, nonce: Buffer): Buffer {
  try {
    const decipher = createDecipheriv(CIPHER, key, nonce).setAuthTag(frame.subarray(-TAG_BYTES));
    return Buffer.concat([decipher.update(frame.subarray(0, -TAG_BYTES)), decipher.final()]);
  } catch (cause) {
    throw damaged('a frame is not what was sealed', cause);
  }
}

const damaged = (detail: string, cause?: unknown): DomainError =>
  new DomainError('blob-damaged', { cause, detail: `sealed file: ${detail}` });

const keyOf = ({ label, secret }: SealedUnder, salt: Uint8Array): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, salt, `sealed-blob-v1\0${label}`, KEY_BYTES));

function nonceOf(frame: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(NONCE_BYTES);
  nonce.writeUIntBE(frame, NONCE_BYTES - 7, 6);
  nonce.writeUInt8(isLast ? 1 : 0, NONCE_BYTES - 1);
  return nonce;
}

/** Pieces of one length, after a first one of its own; the last is shorter, and may be empty. */
async function* framed(
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  frameBytes: number,
  firstBytes = frameBytes,
): AsyncGenerator<{ readonly frame: Uint8Array; readonly isLast: boolean }> {
  let held: Uint8Array[] = [];
  let length = 0;
  let wanted = firstBytes;
  for await (const piece of bytes) {
    held.push(piece);
    length += piece.length;
    // One byte more: whether a frame is the last is known before it is handed on.
    while (length > wanted) {
      const [first] = held;
      const whole = held.length === 1 && first !== undefined ? first : Buffer.concat(held);
      yield { frame: whole.subarray(0, wanted), isLast: false };
      held = [whole.subarray(wanted)];
      length -= wanted;
      wanted = frameBytes;
    }
  }
  yield { frame: Buffer.concat(held), isLast: true };
}

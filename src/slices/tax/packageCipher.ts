/**
 * The encryption of IDES: AES-256 in CBC with PKCS#7 padding under a key of its own for each
 * package; key and initialization vector together are wrapped by RSA (PKCS #1 v1.5) for each
 * receiver. None of this authenticates anything, so who wrote a package is known by its signature
 * alone, and a wrong key shows only in what comes out.
 */
import {
  constants,
  createCipheriv,
  createDecipheriv,
  type KeyObject,
  privateDecrypt,
  publicEncrypt,
} from 'node:crypto';
import type { Random } from '#platform/random';
import type { ReadableBytes } from '#platform/zipReading';

const ALGORITHM = 'aes-256-cbc';
const BLOCK_BYTES = 16;
const KEY_BYTES = 32;
/** Key and initialization vector, as they are wrapped. */
const SECRET_BYTES = KEY_BYTES + BLOCK_BYTES;

/** Key and initialization vector of one package. */
export interface PackageSecret {
  readonly key: Uint8Array;
  readonly iv: Uint8Array;
}

export const newSecret = (random: Random): PackageSecret => ({
  iv: random.bytes(BLOCK_BYTES),
  key: random.bytes(KEY_BYTES),
});

/** For the owner of a certificate. */
export const wrapSecret = ({ iv, key }: PackageSecret, publicKey: KeyObject): Buffer =>
  publicEncrypt({ key: publicKey, padding: constants.RSA_PKCS1_PADDING }, Buffer.concat([key, iv]));

/**
 * Undefined where it is no secret of a package. A key file that was made for somebody else gives
 * bytes that mean nothing (OpenSSL's implicit rejection), most often of another length.
 */
export function unwrapSecret(
  wrapped: Uint8Array,
  privateKey: KeyObject,
): PackageSecret | undefined {
  const modulusBits = privateKey.asymmetricKeyDetails?.modulusLength ?? 0;
  if (wrapped.length * 8 !== modulusBits) return undefined;
  const bytes = decrypted(wrapped, privateKey);
  if (bytes?.length !== SECRET_BYTES) return undefined;
  return { iv: bytes.subarray(KEY_BYTES), key: bytes.subarray(0, KEY_BYTES) };
}

function decrypted(wrapped: Uint8Array, key: KeyObject): Buffer | undefined {
  try {
    return privateDecrypt({ key, padding: constants.RSA_PKCS1_PADDING }, wrapped);
  } catch (error) {
    // A number beyond the modulus, as a key of somebody else may make it.
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code.startsWith('ERR_OSSL_')) return undefined;
    throw error;
  }
}

export async function* encrypted(
  pieces: AsyncIterable<Uint8Array>,
  { iv, key }: PackageSecret,
): AsyncGenerator<Uint8Array> {
  const cipher = createCipheriv(ALGORITHM, key, iv);
  for await (const piece of pieces) yield cipher.update(piece);
  yield cipher.final();
}

/**
 * What was encrypted, readable at any place: a block needs only the one before it. Nothing that is
 * deciphered touches a disk. Undefined where this cannot be the key.
 */
export async function deciphered(
  source: ReadableBytes,
  secret: PackageSecret,
): Promise<ReadableBytes | undefined> {
  const isWhole = source.bytes > 0 && source.bytes % BLOCK_BYTES === 0;
  if (!isWhole) return undefined;
  const last = await readBlocks(source, secret, {
    end: source.bytes,
    start: source.bytes - BLOCK_BYTES,
  });
  const padding = last.at(-1) ?? 0;
  const isPadded = padding > 0 && padding <= BLOCK_BYTES;
  if (!isPadded || last.subarray(-padding).some((byte) => byte !== padding)) return undefined;
  const bytes = source.bytes - padding;
  return {
    bytes,
    async read(at, count) {
      const until = Math.min(at + count, bytes);
      if (at >= until) return new Uint8Array();
      const start = at - (at % BLOCK_BYTES);
      const end = Math.ceil(until / BLOCK_BYTES) * BLOCK_BYTES;
      const plain = await readBlocks(source, secret, { end, start });
      return plain.subarray(at - start, until - start);
    },
  };
}

async function readBlocks(
  source: ReadableBytes,
  { iv, key }: PackageSecret,
  { end, start }: { readonly start: number; readonly end: number },
): Promise<Buffer> {
  const isFirst = start === 0;
  const from = isFirst ? 0 : start - BLOCK_BYTES;
  const read = await source.read(from, end - from);
  const before = isFirst ? iv : read.subarray(0, BLOCK_BYTES);
  const decipher = createDecipheriv(ALGORITHM, key, before).setAutoPadding(false);
  return Buffer.concat([
    decipher.update(isFirst ? read : read.subarray(BLOCK_BYTES)),
    decipher.final(),
  ]);
}

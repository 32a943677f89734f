/**
 * Verifies the bytes of a blob by its address, which is their SHA-256, or by the seal that its put
 * returned. The same for every place where blobs are stored.
 */
import assert from 'node:assert/strict';
import type { BlobSeal, PutBlob } from '#core/blobs';
import { DomainError } from '#core/kernel';
import { hashAside } from '#platform/hashAside';
import { Seal } from '#platform/seal';

/** SHA-256 in hex. */
export const ADDRESS = /^[0-9a-f]{64}$/;

export function assertAddress(address: string): void {
  assert(ADDRESS.test(address), 'blob address: expected 64 hex characters');
}

export function refuseOther(address: string, digest: string): void {
  if (digest === address) return;
  throw new DomainError('blob-damaged', {
    detail: `blob ${address}: its bytes have the digest ${digest}`,
  });
}

/** Passes them on as they come; whether they were right is known after the last one. */
export function verifiedPieces(
  pieces: AsyncIterable<Uint8Array>,
  { address, put }: { readonly address: string; readonly put: PutBlob | undefined },
): AsyncIterable<Uint8Array> {
  if (put?.seal === undefined) return verifiedByAddress(pieces, address);
  return verifiedBySeal(pieces, address, put.seal);
}

async function* verifiedBySeal(
  pieces: AsyncIterable<Uint8Array>,
  address: string,
  expected: BlobSeal,
): AsyncGenerator<Uint8Array> {
  const seal = new Seal(expected.key);
  for await (const piece of pieces) {
    seal.add(piece);
    yield piece;
  }
  if (seal.finish() === expected.tag) return;
  const detail = `blob ${address}: its bytes are not those that were written`;
  throw new DomainError('blob-damaged', { detail });
}

async function* verifiedByAddress(
  pieces: AsyncIterable<Uint8Array>,
  address: string,
): AsyncGenerator<Uint8Array> {
  const hash = hashAside();
  try {
    for await (const piece of pieces) {
      await hash.add(piece);
      yield piece;
    }
    refuseOther(address, (await hash.finish()).sha256);
  } finally {
    await hash.close();
  }
}

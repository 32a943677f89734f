/**
 * Reading an object: as one stream that is taken up again where it broke off, whole into memory, or
 * here and there. Nothing is read ahead of who takes it.
 */
import type { BlobRanges, BlobSeal } from '#core/blobs';
import { DomainError } from '#core/kernel';
import { hashAside } from '#platform/hashAside';
import { Seal } from '#platform/seal';
import {
  brokenOff,
  S3_ATTEMPTS_MAX,
  type S3Answer,
  type S3Client,
  unavailable,
} from './s3Client.ts';
import { refuseOther } from './verifyBlob.ts';

/** An answer whose body was not read yet; undefined where there is no such object. */
export async function begin(client: S3Client, key: string): Promise<S3Answer | undefined> {
  const answer = await client.send({ answers: [200, 404], key, method: 'GET' });
  if (answer.status === 200) return answer;
  await drained(answer);
  return undefined;
}

/**
 * The body in pieces. After a break it goes on by range. If the object is another one by then, its
 * digest is wrong, and the caller that verifies it notices.
 */
export async function* piecesOf(
  client: S3Client,
  key: string,
  first: S3Answer,
): AsyncGenerator<Uint8Array> {
  const bytes = Number(first.header('content-length'));
  let answer = first;
  let failed = 0;
  for (let at = 0; ; ) {
    try {
      for await (const piece of answer.body) {
        at += piece.length;
        failed = 0;
        yield piece;
      }
      if (at >= bytes) return;
      throw new Error('the body ended early');
    } catch (error) {
      failed++;
      if (failed >= S3_ATTEMPTS_MAX) throw unavailable(brokenOff(error));
    }
    if (at >= bytes) return;
    await client.backOff(failed);
    const headers = { range: `bytes=${at}-` };
    answer = await client.send({ answers: [206], headers, key, method: 'GET' });
  }
}

/** As `BlobStore.get`: verified by the seal, and where that is another one by the address. */
export async function readWhole<T extends ArrayBufferLike>(
  client: S3Client,
  of: { readonly address: string; readonly key: string; readonly seal: BlobSeal | undefined },
  allocate: (size: number) => Uint8Array<T>,
): Promise<Uint8Array<T> | undefined> {
  const first = await begin(client, of.key);
  if (first === undefined) return undefined;
  const bytes = allocate(Number(first.header('content-length')));
  const seal = of.seal && new Seal(of.seal.key);
  const hash = hashAside();
  let at = 0;
  try {
    for await (const piece of piecesOf(client, of.key, first)) {
      if (at + piece.length > bytes.length) throw longer(of.address);
      bytes.set(piece, at);
      if (seal) seal.add(piece);
      else await hash.add(piece);
      at += piece.length;
    }
    if (seal && seal.finish() === of.seal?.tag) return bytes;
    if (seal) await hash.add(bytes);
    refuseOther(of.address, (await hash.finish()).sha256);
    return bytes;
  } finally {
    await hash.close();
  }
}

const longer = (address: string) =>
  new DomainError('blob-damaged', { detail: `blob ${address}: more bytes than it said` });

export function rangesOf(client: S3Client, key: string, bytes: number): BlobRanges {
  return {
    close: async () => {},
    async read(start, count) {
      const end = Math.min(bytes, start + count);
      if (start >= end) return new Uint8Array();
      const headers = { range: `bytes=${start}-${end - 1}` };
      return client.sendForBytes({ answers: [206], headers, key, method: 'GET' }, end - start);
    },
  };
}

async function drained({ body }: S3Answer): Promise<void> {
  for await (const _ of body) {
    // An error's text: short, and its status says enough.
  }
}

/**
 * A blob as an answer: whole, or from a byte on where a download broke off. Its address is its
 * strong ETag, so ranges of it fit together for ever.
 */
import type { BlobStore } from '#core/blobs';
import { DomainError } from '#core/kernel';
import { rangeOf } from './byteRange.ts';
import { namesEtag } from './etags.ts';
import type { HttpReply, HttpRequest } from './http/port.ts';

/** What is served by its digest: a blob store, or what opens one file of it. */
export type ServedBlobs = Pick<BlobStore, 'size'> & {
  open(address: string): Promise<AsyncIterable<Uint8Array> | undefined>;
};

export interface ServedBlob {
  readonly address: string;
  readonly contentType: string;
  /** ASCII, without quotes. */
  readonly fileName: string;
}

/** Throws `not-found` where the blob is gone, `range-unsatisfiable` for a range past its end. */
export async function blobReply(
  blobs: ServedBlobs,
  request: Pick<HttpRequest, 'header'>,
  { address, contentType, fileName }: ServedBlob,
): Promise<HttpReply> {
  const size = await blobs.size(address);
  if (size === undefined) throw new DomainError('not-found');
  const etag = `"${address}"`;
  if (namesEtag(request.header('if-none-match'), etag)) {
    return { body: '', headers: [['etag', etag]], status: 304 };
  }
  const ifRange = request.header('if-range');
  const isSame = ifRange === undefined || ifRange === etag;
  const range = isSame ? rangeOf(request.header('range'), size) : undefined;
  const { from, to } = range ?? { from: 0, to: size - 1 };
  return {
    body: slice(blobs, address, { from, to }),
    bodyBytes: to - from + 1,
    headers: [
      ['content-type', contentType],
      ['content-disposition', `attachment; filename="${fileName}"`],
      ['etag', etag],
      ['accept-ranges', 'bytes'],
      ...(range === undefined ? [] : [['content-range', `bytes ${from}-${to}/${size}`] as const]),
    ],
    status: range === undefined ? 200 : 206,
  };
}

/**
 * Bytes `from` to `to`, both included. Read from the start, so that the digest is verified. The
 * blob is opened only at the first read: a reply to HEAD is never read, and would leave the file
 * open.
 */
async function* slice(
  blobs: Pick<ServedBlobs, 'open'>,
  address: string,
  { from, to }: { readonly from: number; readonly to: number },
): AsyncGenerator<Uint8Array> {
  const pieces = await blobs.open(address);
  if (pieces === undefined) throw new DomainError('not-found');
  let at = 0;
  for await (const piece of pieces) {
    const part = piece.subarray(Math.max(0, from - at), Math.max(0, to + 1 - at));
    at += piece.length;
    if (part.length > 0) yield part;
  }
}

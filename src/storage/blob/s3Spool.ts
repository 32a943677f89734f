/**
 * The key of a blob is the SHA-256 of all its bytes, which a stream has only at its end. So a
 * stream is written to a temporary file first, and uploaded from there part by part. The file has
 * no name once it is open, so the system removes what a killed process leaves. Bytes that are in
 * memory already stay there.
 */
import { createHash } from 'node:crypto';
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { PutBlob, PutOptions } from '#core/blobs';
import { draftOf } from '#platform/draftFile';
import { hashAside } from '#platform/hashAside';
import { Seal } from '#platform/seal';

export interface Spool {
  readonly put: PutBlob;
  /** Exactly these bytes. */
  read(start: number, bytes: number): Promise<Uint8Array>;
  close(): Promise<void>;
}

export interface SpoolOptions extends Pick<PutOptions, 'expectedBytes' | 'isPaced'> {
  readonly sealKey: Uint8Array;
}

export async function spool(
  bytes: Uint8Array | AsyncIterable<Uint8Array>,
  { directory, ...options }: SpoolOptions & { readonly directory: string },
): Promise<Spool> {
  if (bytes instanceof Uint8Array) return ofBytes(bytes, options.sealKey);
  const file = await openNameless(directory);
  try {
    const put = await written(file, bytes, options);
    return { close: () => file.close(), put, read: (start, count) => readAll(file, start, count) };
  } catch (error) {
    await file.close();
    throw error;
  }
}

function ofBytes(bytes: Uint8Array, sealKey: Uint8Array): Spool {
  const seal = new Seal(sealKey);
  seal.add(bytes);
  const address = createHash('sha256').update(bytes).digest('hex');
  return {
    close: async () => {},
    put: { address, bytes: bytes.length, seal: { key: sealKey, tag: seal.finish() } },
    read: async (start, count) => bytes.subarray(start, start + count),
  };
}

async function openNameless(directory: string): Promise<FileHandle> {
  await mkdir(directory, { mode: 0o700, recursive: true });
  const path = draftOf(join(directory, 'blob'), 'tmp');
  const file = await open(path, 'wx+', 0o600);
  await rm(path);
  return file;
}

async function written(
  file: FileHandle,
  bytes: AsyncIterable<Uint8Array>,
  options: SpoolOptions,
): Promise<PutBlob> {
  const hash = hashAside(options);
  let total = 0;
  try {
    for await (const piece of bytes) {
      await Promise.all([file.writeFile(piece), hash.add(piece)]);
      total += piece.length;
    }
    const sums = await hash.finish();
    return {
      address: sums.sha256,
      bytes: total,
      seal: { key: options.sealKey, tag: sums.seal ?? '' },
    };
  } finally {
    await hash.close();
  }
}

async function readAll(file: FileHandle, start: number, bytes: number): Promise<Uint8Array> {
  const buffer = Buffer.allocUnsafeSlow(bytes);
  for (let at = 0; at < bytes; ) {
    const { bytesRead } = await file.read(buffer, at, bytes - at, start + at);
    if (bytesRead === 0) throw new Error('the spool file ends before what was written to it');
    at += bytesRead;
  }
  return buffer;
}

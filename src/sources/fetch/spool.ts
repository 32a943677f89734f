/**
 * A private file that a run's list is brought into, whole, before anything parses it. Hashed
 * and counted while it is written; removed by the run, and by the sweep of drafts where a crash
 * left it.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DomainError } from '#core/kernel';
import { draftOf } from '#platform/draftFile';

/** The largest list file that is read, after any content encoding. */
export const LIST_FILE_BYTES_MAX = 8 * 1024 ** 3;

export interface SpooledFile {
  readonly path: string;
  readonly bytes: number;
  /** Hex. */
  readonly sha256: string;
  read(): AsyncIterable<Uint8Array>;
  remove(): Promise<void>;
}

interface SpoolOptions {
  readonly bytesMax?: number;
  readonly onBytes?: (bytes: number) => void;
  readonly onChunk?: (chunk: Uint8Array) => void;
}

/** Rejects with what `chunks` fails with; then no file is left. */
export async function spool(
  chunks: AsyncIterable<Uint8Array>,
  to: SpoolOptions & { readonly directory: string },
): Promise<SpooledFile> {
  await mkdir(to.directory, { mode: 0o700, recursive: true });
  const path = draftOf(join(to.directory, 'list'), 'tmp');
  const remove = () => rm(path, { force: true });
  const file = await open(path, 'wx', 0o600);
  try {
    const { bytes, sha256 } = await copy(chunks, file, to);
    await file.close();
    return { bytes, path, read: () => createReadStream(path), remove, sha256 };
  } catch (error) {
    await file.close().catch(() => undefined); // closed already, or lost: the file goes anyway
    await remove();
    throw error;
  }
}

async function copy(
  chunks: AsyncIterable<Uint8Array>,
  file: FileHandle,
  to: SpoolOptions,
): Promise<{ bytes: number; sha256: string }> {
  const bytesMax = to.bytesMax ?? LIST_FILE_BYTES_MAX;
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > bytesMax) {
      throw new DomainError('list-damaged', { detail: `file: expected at most ${bytesMax} bytes` });
    }
    hash.update(chunk);
    to.onChunk?.(chunk);
    await file.writeFile(chunk);
    to.onBytes?.(bytes);
  }
  return { bytes, sha256: hash.digest('hex') };
}

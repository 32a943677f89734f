/**
 * Copies of files and folders that are on the disk when the copy resolves, digested on the way. A
 * file that goes away meanwhile is passed over: what is removed while a backup runs is no part of
 * it.
 */
import { createHash } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rename, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { draftOf } from '#platform/draftFile';

const CHUNK_BYTES = 1024 * 1024;
const FOLDER_MODE = 0o700;

export interface Copied {
  readonly bytes: number;
  readonly sha256: string;
}

/**
 * Undefined where there is no such file. The copy keeps mode and time, and is renamed into place.
 */
export async function copyFile(
  from: string,
  to: string,
  check: (copied: Copied) => void = () => undefined,
): Promise<Copied | undefined> {
  const source = await open(from, 'r').catch(unlessMissing);
  if (source === undefined) return undefined;
  try {
    const { mode, mtime } = await source.stat();
    await mkdir(dirname(to), { mode: FOLDER_MODE, recursive: true });
    const draft = draftOf(to, 'tmp');
    const target = await open(draft, 'wx', mode & 0o777);
    const copied = await copyBytes(source, target).finally(() => target.close());
    check(copied);
    await utimes(draft, mtime, mtime);
    await rename(draft, to);
    return copied;
  } finally {
    await source.close();
  }
}

async function copyBytes(source: FileHandle, target: FileHandle): Promise<Copied> {
  const digest = createHash('sha256');
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  let bytes = 0;
  for (;;) {
    const { bytesRead } = await source.read(chunk, 0, CHUNK_BYTES, bytes);
    if (bytesRead === 0) break;
    const part = chunk.subarray(0, bytesRead);
    digest.update(part);
    await target.write(part);
    bytes += bytesRead;
  }
  await target.sync();
  return { bytes, sha256: digest.digest('hex') };
}

/** Paths of the files below a folder, relative and in order; none where it is not there. */
export async function* filesBelow(folder: string, below = ''): AsyncGenerator<string> {
  const entries = await readdir(join(folder, below), { withFileTypes: true }).catch(unlessMissing);
  const sorted = (entries ?? []).sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of sorted) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) yield* filesBelow(folder, path);
    else if (entry.isFile()) yield path;
  }
}

export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

export function unlessMissing(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
  throw error;
}

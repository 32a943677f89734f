/**
 * Blobs in a folder, each under the SHA-256 of its bytes: sha256/ab/cdef….
 *
 * A blob is written to a temporary file, synced, renamed, and its folder synced, so that a name
 * that can be seen always has its whole content behind it. Files are read-only, and the digest is
 * checked on every read: a disk that lies is noticed before a list is served from it.
 * Several processes share the folder; a temporary file names its process, and what a dead one left
 * behind is removed at the next opening.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DomainError } from '#domain/kernel';
import type { BlobStore } from '#domain/lists';

/** Read and hashed at once: small enough that the event loop is not held for long. */
const CHUNK_BYTES = 1024 * 1024;
const ADDRESS = /^[0-9a-f]{64}$/;
const TEMPORARY = /^(\d+)-\d+\.tmp$/;

/** Names that this process is writing now; a restarted one may have its predecessor's number. */
const writing = new Set<string>();
let lastTemporary = 0;

export async function openFolderBlobStore(options: { directory: string }): Promise<BlobStore> {
  const root = options.directory;
  const temporaryFolder = join(root, 'tmp');
  await mkdir(temporaryFolder, { recursive: true, mode: 0o700 });
  await mkdir(join(root, 'sha256'), { recursive: true, mode: 0o700 });
  await removeAbandoned(temporaryFolder);
  const pathOf = (address: string): string => {
    assert(ADDRESS.test(address), 'blob address: expected 64 hex characters');
    return join(root, 'sha256', address.slice(0, 2), address.slice(2));
  };

  return {
    async put(bytes) {
      const path = await reserveTemporary(temporaryFolder);
      try {
        const written = await writeTemporary(path, bytes);
        await publish(path, pathOf(written.address), written.bytes);
        return written;
      } finally {
        await rm(path, { force: true });
        writing.delete(path);
      }
    },
    get: (address) => read(pathOf(address), address, (size) => new Uint8Array(size)),
    async getShared(address) {
      const allocate = (size: number) => new Uint8Array(new SharedArrayBuffer(size));
      return (await read(pathOf(address), address, allocate))?.buffer;
    },
    has: async (address) => (await sizeOf(pathOf(address))) !== undefined,
  };
}

async function reserveTemporary(folder: string): Promise<string> {
  for (;;) {
    lastTemporary += 1;
    const path = join(folder, `${process.pid}-${lastTemporary}.tmp`);
    if ((await sizeOf(path)) !== undefined) continue;
    writing.add(path);
    return path;
  }
}

async function writeTemporary(
  path: string,
  bytes: Uint8Array | AsyncIterable<Uint8Array>,
): Promise<{ address: string; bytes: number }> {
  const file = await open(path, 'wx', 0o444);
  const hash = createHash('sha256');
  let total = 0;
  try {
    for await (const chunk of bytes instanceof Uint8Array ? chunksOf(bytes) : bytes) {
      hash.update(chunk);
      await file.writeFile(chunk);
      total += chunk.length;
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return { address: hash.digest('hex'), bytes: total };
}

function* chunksOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    yield bytes.subarray(at, at + CHUNK_BYTES);
  }
}

/** A file of another size under this address is damaged: the good copy takes its place. */
async function publish(temporary: string, path: string, bytes: number): Promise<void> {
  if ((await sizeOf(path)) !== bytes) {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await rename(temporary, path);
  }
  // Also when it was there: whoever put it first may not have come to this line yet.
  await syncFolder(dirname(path));
  await syncFolder(dirname(dirname(path)));
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

async function read<T extends ArrayBufferLike>(
  path: string,
  address: string,
  allocate: (size: number) => Uint8Array<T>,
): Promise<Uint8Array<T> | undefined> {
  const file = await openIfThere(path);
  if (file === undefined) return undefined;
  try {
    const bytes = allocate((await file.stat()).size);
    const digest = await fill(file, bytes);
    if (digest === address) return bytes;
    throw new DomainError('list-damaged', {
      detail: `blob ${address}: its bytes have the digest ${digest}`,
    });
  } finally {
    await file.close();
  }
}

async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** The digest of what was read, chunk by chunk as it comes. */
async function fill(file: FileHandle, bytes: Uint8Array): Promise<string> {
  const hash = createHash('sha256');
  let at = 0;
  while (at < bytes.length) {
    const length = Math.min(CHUNK_BYTES, bytes.length - at);
    const { bytesRead } = await file.read(bytes, at, length, at);
    // Shorter than it was when it was opened: the digest will say so.
    if (bytesRead === 0) break;
    hash.update(bytes.subarray(at, at + bytesRead));
    at += bytesRead;
  }
  return hash.digest('hex');
}

async function removeAbandoned(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const pid = TEMPORARY.exec(name)?.[1];
    const path = join(folder, name);
    const isInUse = pid !== undefined && isWriting(Number(pid), path);
    if (!isInUse) await rm(path, { force: true });
  }
}

function isWriting(pid: number, path: string): boolean {
  if (pid === process.pid) return writing.has(path);
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: it lives under another user, which may be how this service is set up.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

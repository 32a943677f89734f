/**
 * Blobs in a folder, each under the SHA-256 of its bytes: sha256/ab/cdef….
 *
 * A blob is written to a temporary file, synced, renamed, and its folder synced, so that a name
 * that can be seen always has its whole content behind it. Files are read-only, and the digest is
 * checked on every read: a disk that lies is noticed before a list is served from it.
 * Several processes share the folder; what a dead one left behind is removed, once it is old, at an
 * opening.
 */
import { type FileHandle, mkdir, open, opendir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { BlobRanges, BlobSeal, BlobStore, PutBlob, PutOptions, StoredBlob } from '#core/blobs';
import { type Clock, type EpochMs, systemClock } from '#platform/clock';
import { draftOf, removeAbandonedDrafts } from '#platform/draftFile';
import { hashAside } from '#platform/hashAside';
import { systemRandom } from '#platform/random';
import { SEAL_KEY_BYTES, Seal } from '#platform/seal';
import { endRetention, retain } from './folderRetention.ts';
import { ADDRESS, assertAddress, refuseOther, verifiedPieces } from './verifyBlob.ts';

/** Bytes that are read and hashed at once. */
const CHUNK_BYTES = 1024 * 1024;

export async function openFolderBlobStore(options: {
  readonly directory: string;
  /** Says when a retention is over. */
  readonly clock?: Clock;
}): Promise<BlobStore> {
  const { clock = systemClock, directory: root } = options;
  const temporaryFolder = join(root, 'tmp');
  await mkdir(temporaryFolder, { recursive: true, mode: 0o700 });
  await mkdir(join(root, 'sha256'), { recursive: true, mode: 0o700 });
  removeAbandonedDrafts(temporaryFolder);
  const pathOf = (address: string): string => {
    assertAddress(address);
    return join(root, 'sha256', address.slice(0, 2), address.slice(2));
  };

  return {
    async put(bytes, { retainUntil, ...given } = {}) {
      const path = draftOf(join(temporaryFolder, 'blob'), 'tmp');
      try {
        const sealKey = given.sealKey ?? systemRandom.bytes(SEAL_KEY_BYTES);
        const written = await writeTemporary(path, bytes, { ...given, sealKey });
        await publish(path, pathOf(written.address), retainUntil);
        return written;
      } finally {
        await rm(path, { force: true });
      }
    },
    get: (address, seal) =>
      read(pathOf(address), { address, seal }, (size) => new Uint8Array(size)),
    async getShared(address, allocate = (size) => new SharedArrayBuffer(size), seal = undefined) {
      const view = (size: number) => new Uint8Array(allocate(size), 0, size);
      return (await read(pathOf(address), { address, seal }, view))?.buffer;
    },
    async open(address, put) {
      const file = await openIfThere(pathOf(address));
      if (file === undefined) return undefined;
      return verifiedPieces(closedAfter(file), { address, put });
    },
    async openRanges(address) {
      const file = await openIfThere(pathOf(address));
      return file && rangesOf(file);
    },
    has: async (address) => (await statOf(pathOf(address))) !== undefined,
    size: async (address) => (await statOf(pathOf(address)))?.size,
    list: () => {
      removeAbandonedDrafts(temporaryFolder); // a caller that lists them all is cleaning up
      return stored(join(root, 'sha256'), pathOf);
    },
    remove: (address, { putBefore }) =>
      removeOld(pathOf(address), {
        aside: draftOf(join(temporaryFolder, 'gone'), 'tmp'),
        now: clock.now(),
        putBefore,
      }),
  };
}

async function writeTemporary(
  path: string,
  bytes: Uint8Array | AsyncIterable<Uint8Array>,
  options: PutOptions & { readonly sealKey: Uint8Array },
): Promise<PutBlob> {
  const file = await open(path, 'wx', 0o444);
  const hash = hashAside(options);
  let total = 0;
  try {
    for await (const chunk of bytes instanceof Uint8Array ? chunksOf(bytes) : bytes) {
      const written = file.writeFile(chunk);
      await Promise.all([written, hash.add(chunk)]); // while the system writes
      total += chunk.length;
    }
    const [sums] = await Promise.all([hash.finish(), file.sync()]);
    return {
      address: sums.sha256,
      bytes: total,
      seal: { key: options.sealKey, tag: sums.seal ?? '' },
    };
  } finally {
    await hash.close();
    await file.close();
  }
}

function* chunksOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    yield bytes.subarray(at, at + CHUNK_BYTES);
  }
}

/** Over a file that is there already, too: that one may be damaged, and this one is whole. */
async function publish(
  temporary: string,
  path: string,
  retainUntil: EpochMs | undefined,
): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  if (retainUntil !== undefined) await retain(path, retainUntil);
  await rename(temporary, path);
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

async function statOf(path: string): Promise<{ size: number; mtimeMs: number } | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

async function* stored(
  folder: string,
  pathOf: (address: string) => string,
): AsyncGenerator<StoredBlob> {
  for await (const group of await opendir(folder)) {
    for await (const entry of await opendir(join(folder, group.name))) {
      const address = group.name + entry.name;
      if (!ADDRESS.test(address)) continue;
      const found = await statOf(pathOf(address));
      if (!found) continue; // gone since the folder was read
      yield { address, bytes: found.size, putAt: Math.floor(found.mtimeMs) as EpochMs };
    }
  }
}

/**
 * Every put moves a new file into place, so its time is that of the last put. It is checked once
 * more under another name, where no put can replace it any more; a blob that was put in between is
 * moved back.
 */
async function removeOld(
  path: string,
  { aside, now, putBefore }: { aside: string; now: EpochMs; putBefore: EpochMs },
): Promise<boolean> {
  const isOld = (found: { mtimeMs: number } | undefined) =>
    found !== undefined && found.mtimeMs < putBefore;
  if (!isOld(await statOf(path)) || !(await endRetention(path, now))) return false;
  try {
    await rename(path, aside);
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
  if (isOld(await statOf(aside)) && (await endRetention(path, now))) {
    await rm(aside, { force: true });
    return true;
  }
  await rename(aside, path);
  return false;
}

async function* chunksIn(file: FileHandle): AsyncGenerator<Uint8Array> {
  for (;;) {
    const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
    const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
  }
}

async function* closedAfter(file: FileHandle): AsyncGenerator<Uint8Array> {
  try {
    yield* chunksIn(file);
  } finally {
    await file.close();
  }
}

function rangesOf(file: FileHandle): BlobRanges {
  return {
    close: () => file.close(),
    async read(start, bytes) {
      const buffer = Buffer.allocUnsafeSlow(bytes);
      const { bytesRead } = await file.read(buffer, 0, bytes, start);
      return buffer.subarray(0, bytesRead);
    },
  };
}

async function read<T extends ArrayBufferLike>(
  path: string,
  { address, seal }: { readonly address: string; readonly seal: BlobSeal | undefined },
  allocate: (size: number) => Uint8Array<T>,
): Promise<Uint8Array<T> | undefined> {
  const file = await openIfThere(path);
  if (file === undefined) return undefined;
  try {
    const bytes = allocate((await file.stat()).size);
    if (seal && (await fillSealed(file, bytes, seal))) return bytes;
    refuseOther(address, await fill(file, bytes));
    return bytes;
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

/** Whether the bytes read are the sealed ones; if not, the address is verified instead. */
async function fillSealed(file: FileHandle, bytes: Uint8Array, of: BlobSeal): Promise<boolean> {
  const seal = new Seal(of.key);
  for (let at = 0; at < bytes.length; ) {
    const length = Math.min(CHUNK_BYTES, bytes.length - at);
    const { bytesRead } = await file.read(bytes, at, length, at);
    if (bytesRead === 0) return false;
    seal.add(bytes.subarray(at, at + bytesRead));
    at += bytesRead;
  }
  return seal.finish() === of.tag;
}

/** The digest of the bytes, chunk by chunk as they are read. */
async function fill(file: FileHandle, bytes: Uint8Array): Promise<string> {
  const hash = hashAside();
  try {
    for (let at = 0; at < bytes.length; ) {
      const length = Math.min(CHUNK_BYTES, bytes.length - at);
      const { bytesRead } = await file.read(bytes, at, length, at);
      // The file is shorter than when it was opened: the digest will show it.
      if (bytesRead === 0) break;
      await hash.add(bytes.subarray(at, at + bytesRead));
      at += bytesRead;
    }
    return (await hash.finish()).sha256;
  } finally {
    await hash.close();
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

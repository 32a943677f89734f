/**
 * Files that the command line reads and writes, with failures as one sentence. An output file is
 * whole or absent: it is written beside its name, made durable, then renamed.
 */
import { createReadStream } from 'node:fs';
import { open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

export class FileFailure extends Error {
  override readonly name = 'FileFailure';
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EISDIR: 'it is a directory',
  ENOENT: 'no such file or directory',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of the path is no directory',
  EROFS: 'the file system is read-only',
};
const DOCUMENT_BYTES_MAX = 16 * 1_048_576;

export interface InputFile {
  readonly bytes: number;
  readonly chunks: AsyncIterable<Uint8Array>;
}

export async function openInput(path: string): Promise<InputFile> {
  const { size } = await guarded(path, stat(path));
  return { bytes: size, chunks: guardedChunks(path) };
}

async function* guardedChunks(path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path, { highWaterMark: 1_048_576 });
  } catch (error) {
    throw failureOf(path, error);
  }
}

/** A small JSON document, such as a key set. */
export async function readDocument(path: string): Promise<string> {
  return (await readSmallFile(path)).toString('utf8');
}

/** Whole, of at most DOCUMENT_BYTES_MAX. */
export async function readSmallFile(path: string): Promise<Buffer> {
  const { size } = await guarded(path, stat(path));
  if (size > DOCUMENT_BYTES_MAX) {
    throw new FileFailure(`${path}: expected at most ${DOCUMENT_BYTES_MAX} bytes, got ${size}`);
  }
  return guarded(path, readFile(path));
}

/** Mode 0600: an export contains what was searched for. Answers the bytes written. */
export async function writeWhole(
  path: string,
  parts: AsyncIterable<string | Uint8Array>,
): Promise<number> {
  const draft = `${path}.${process.pid}.part`;
  const file = await guarded(path, open(draft, 'wx', 0o600));
  let bytes = 0;
  try {
    for await (const part of parts) {
      bytes += Buffer.byteLength(part);
      await guarded(path, file.writeFile(part));
    }
    await guarded(path, file.sync());
    await file.close();
    await guarded(path, rename(draft, path));
  } catch (error) {
    await file.close();
    await rm(draft, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
  return bytes;
}

async function syncFolder(path: string): Promise<void> {
  const folder = await guarded(path, open(path, 'r'));
  await folder.sync();
  await folder.close();
}

async function guarded<Value>(path: string, work: Promise<Value>): Promise<Value> {
  try {
    return await work;
  } catch (error) {
    throw failureOf(path, error);
  }
}

function failureOf(path: string, error: unknown): FileFailure {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  return new FileFailure(`${path}: ${REASONS[code] ?? code}`, { cause: error });
}

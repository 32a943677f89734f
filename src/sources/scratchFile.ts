/**
 * What a reader lays down to read it a second time: blocks of bytes that stay in memory while they
 * are few, and go to a file of the scratch folder from then on. Without a folder all of them stay
 * in memory.
 *
 * The file has no name once it is open, so that nothing stays behind however the process ends; one
 * that died between the two leaves an empty draft, which the next import removes once it is old.
 */
import { type FileHandle, mkdir, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { DomainError } from '#core/kernel';
import { draftOf } from '#platform/draftFile';

/** More than what waits for the end of any list that is published today. */
const KEPT_BYTES_MAX = 16 * 1024 * 1024;
const NOTHING = Buffer.alloc(0);

export interface ScratchOptions {
  readonly folder?: string | undefined;
  /** Bytes of blocks that are kept in memory although there is a folder. */
  readonly keptBytesMax?: number | undefined;
}

export interface ScratchBlock {
  readonly bytes: number;
  /** In memory, or its position in the file. */
  content: Buffer | number;
}

export class ScratchFile {
  readonly keptBytesMax: number;
  readonly #folder: string | undefined;
  /** Blocks that may have to go to the file. */
  #kept: ScratchBlock[] = [];
  #keptBytes = 0;
  #file: FileHandle | undefined;
  #written = 0;

  constructor({ folder, keptBytesMax = KEPT_BYTES_MAX }: ScratchOptions = {}) {
    this.#folder = folder;
    this.keptBytesMax = keptBytesMax;
  }

  /** Whether any block has gone to the disk. */
  get isOnDisk(): boolean {
    return this.#file !== undefined;
  }

  /** Not copied: the bytes are the file's from now on. */
  keep(content: Buffer): ScratchBlock {
    const block = { bytes: content.length, content };
    if (this.#folder === undefined) return block;
    this.#kept.push(block);
    this.#keptBytes += block.bytes;
    return block;
  }

  /** To be awaited now and then: blocks that are not on the disk yet are in memory. */
  async settle(): Promise<void> {
    const mayStay = this.#file === undefined && this.#keptBytes <= this.keptBytesMax;
    if (mayStay || this.#folder === undefined) return;
    this.#file ??= await openNameless(this.#folder);
    for (const block of this.#kept.splice(0)) {
      if (typeof block.content === 'number') continue;
      const position = this.#written;
      this.#written += await writeAll(this.#file, block.content, position);
      block.content = position;
    }
    this.#keptBytes = 0;
  }

  /**
   * May be called once per block: a block in memory is released. The bytes begin at the start of
   * their buffer.
   */
  async take(block: ScratchBlock): Promise<Buffer> {
    const { bytes, content } = block;
    if (typeof content !== 'number') {
      block.content = NOTHING;
      return content;
    }
    const buffer = Buffer.allocUnsafeSlow(bytes);
    const read = await this.#file?.read(buffer, 0, bytes, content);
    if (read?.bytesRead !== bytes) {
      throw new DomainError('internal', { detail: 'the scratch file lost bytes' });
    }
    return buffer;
  }

  async close(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    this.#kept = [];
    await file?.close();
  }
}

/** Opened and unlinked at once: the descriptor is all that is left of it. */
async function openNameless(folder: string): Promise<FileHandle> {
  await mkdir(folder, { mode: 0o700, recursive: true });
  const path = draftOf(join(folder, 'scratch'), 'tmp');
  const file = await open(path, 'wx+', 0o600);
  try {
    await unlink(path);
  } catch (error) {
    await file.close();
    throw error;
  }
  return file;
}

async function writeAll(file: FileHandle, bytes: Buffer, position: number): Promise<number> {
  for (let at = 0; at < bytes.length; ) {
    at += (await file.write(bytes, at, bytes.length - at, position + at)).bytesWritten;
  }
  return bytes.length;
}

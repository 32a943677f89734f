/**
 * Lines laid down to be read a second time, compressed: a relation may stand before or after the
 * entities that it joins, so no entity can be handed on before the last line was seen.
 *
 * With a folder the blocks go to a file that has no name once it is open, so that nothing stays
 * behind however the process ends; without one they stay in memory, at about a fifth of the file.
 * Compressing costs less than reading JSON once, and halves what the disk is asked for.
 */
import { type FileHandle, mkdir, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { DomainError } from '#domain/kernel';

const BLOCK_BYTES = 1024 * 1024;
const LEVEL = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

interface Block {
  readonly bytes: number;
  /** Where it is: in memory, or where the file has it. */
  content: Buffer | { readonly position: number };
  readonly lineEnds: Uint32Array;
  readonly lineNumbers: Uint32Array;
}

export class LineSpool {
  readonly #folder: string | undefined;
  readonly #blocks: Block[] = [];
  /** The block that is being filled. */
  #open = Buffer.allocUnsafeSlow(BLOCK_BYTES);
  #ends: number[] = [];
  #numbers: number[] = [];
  #bytes = 0;
  #file: FileHandle | undefined;
  #written = 0;
  #unwritten: Block[] = [];

  constructor(folder: string | undefined) {
    this.#folder = folder;
  }

  /** Copied: the line is its giver's again afterwards. */
  add(line: Buffer, number: number): void {
    if (this.#bytes + line.length > this.#open.length) {
      this.#close();
      // A line longer than a block has one of its own.
      if (line.length > BLOCK_BYTES) this.#open = Buffer.allocUnsafeSlow(line.length);
    }
    line.copy(this.#open, this.#bytes);
    this.#bytes += line.length;
    this.#ends.push(this.#bytes);
    this.#numbers.push(number);
  }

  /** To be awaited from time to time: what was added and is not on the disk yet is in memory. */
  async settle(): Promise<void> {
    if (this.#folder === undefined) return;
    for (const block of this.#unwritten.splice(0)) {
      if (!Buffer.isBuffer(block.content)) continue;
      this.#file ??= await openNameless(this.#folder);
      const position = this.#written;
      await this.#file.write(block.content, 0, block.bytes, position);
      this.#written += block.bytes;
      block.content = { position };
    }
  }

  /** Every line in the order of adding, block by block. */
  async *read(): AsyncGenerator<readonly { readonly line: Buffer; readonly number: number }[]> {
    this.#close();
    await this.settle();
    for (const block of this.#blocks) {
      const text = zstdDecompressSync(await this.#contentOf(block));
      let start = 0;
      yield [...block.lineEnds].map((end, index) => {
        const line = text.subarray(start, end);
        start = end;
        return { line, number: block.lineNumbers[index] ?? 0 };
      });
    }
  }

  async close(): Promise<void> {
    await this.#file?.close();
    this.#file = undefined;
    this.#blocks.length = 0;
  }

  async #contentOf(block: Block): Promise<Buffer> {
    if (Buffer.isBuffer(block.content)) return block.content;
    const buffer = Buffer.allocUnsafe(block.bytes);
    const read = await this.#file?.read(buffer, 0, block.bytes, block.content.position);
    if (read?.bytesRead !== block.bytes) {
      throw new DomainError('internal', { detail: 'the scratch file lost bytes' });
    }
    return buffer;
  }

  #close(): void {
    if (this.#bytes === 0) return;
    const content = zstdCompressSync(this.#open.subarray(0, this.#bytes), LEVEL);
    const block = {
      bytes: content.length,
      content,
      lineEnds: Uint32Array.from(this.#ends),
      lineNumbers: Uint32Array.from(this.#numbers),
    };
    this.#blocks.push(block);
    if (this.#folder !== undefined) this.#unwritten.push(block);
    if (this.#open.length > BLOCK_BYTES) this.#open = Buffer.allocUnsafeSlow(BLOCK_BYTES);
    this.#ends = [];
    this.#numbers = [];
    this.#bytes = 0;
  }
}

let opened = 0;

/** Opened and unlinked at once: the descriptor is all that is left of it. */
async function openNameless(folder: string): Promise<FileHandle> {
  await mkdir(folder, { mode: 0o700, recursive: true });
  const path = join(folder, `ftm-${process.pid}-${opened++}.spool`);
  const file = await open(path, 'wx+', 0o600);
  await unlink(path);
  return file;
}

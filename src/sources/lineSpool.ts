/**
 * Lines stored compressed, to be read a second time. Some formats allow a line to be passed on only
 * once the last one was seen: a relation of FollowTheMoney may stand before or after the entities
 * that it joins, and a vendor's feed may state a record again.
 *
 * With a folder all blocks go to a scratch file; without one they stay in memory, at about a fifth
 * of the file. Compressing costs less than reading JSON once, and halves the reads and writes of
 * the disk.
 */
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { type ScratchBlock, ScratchFile } from './scratchFile.ts';

const BLOCK_BYTES = 1024 * 1024;
const LEVEL = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

interface Block {
  readonly content: ScratchBlock;
  readonly lineEnds: Uint32Array<ArrayBuffer>;
  readonly lineNumbers: Uint32Array<ArrayBuffer>;
}

/** Lines as they were laid down, for linesOf. */
export interface SpooledBlock extends Omit<Block, 'content'> {
  readonly content: Buffer;
}

export interface NumberedLine {
  readonly line: Buffer;
  /** In the file, from 1. */
  readonly number: number;
}

export function* linesOf({
  content,
  lineEnds,
  lineNumbers,
}: SpooledBlock): Generator<NumberedLine> {
  const text = zstdDecompressSync(content);
  let start = 0;
  for (let at = 0; at < lineEnds.length; at++) {
    const end = lineEnds[at] ?? start;
    yield { line: text.subarray(start, end), number: lineNumbers[at] ?? 0 };
    start = end;
  }
}

export class LineSpool {
  readonly #scratch: ScratchFile;
  readonly #blocks: Block[] = [];
  /** The block that is being filled. */
  #open = Buffer.allocUnsafeSlow(BLOCK_BYTES);
  #ends: number[] = [];
  #numbers: number[] = [];
  #bytes = 0;
  #lineBytes = 0;

  constructor(folder: string | undefined) {
    this.#scratch = new ScratchFile({ folder, keptBytesMax: 0 });
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
    this.#lineBytes += line.length;
    this.#ends.push(this.#bytes);
    this.#numbers.push(number);
  }

  /** To be awaited now and then: lines that are not on the disk yet are in memory. */
  settle(): Promise<void> {
    return this.#scratch.settle();
  }

  /** Bytes of all lines. */
  get lineBytes(): number {
    return this.#lineBytes;
  }

  /** Every line in the order of adding, once; a block is its taker's. */
  async *blocks(): AsyncGenerator<SpooledBlock> {
    this.#close();
    await this.settle();
    for (const block of this.#blocks) {
      yield { ...block, content: await this.#scratch.take(block.content) };
    }
  }

  async close(): Promise<void> {
    this.#blocks.length = 0;
    await this.#scratch.close();
  }

  #close(): void {
    if (this.#bytes === 0) return;
    const content = zstdCompressSync(this.#open.subarray(0, this.#bytes), LEVEL);
    this.#blocks.push({
      content: this.#scratch.keep(content),
      lineEnds: Uint32Array.from(this.#ends),
      lineNumbers: Uint32Array.from(this.#numbers),
    });
    if (this.#open.length > BLOCK_BYTES) this.#open = Buffer.allocUnsafeSlow(BLOCK_BYTES);
    this.#ends = [];
    this.#numbers = [];
    this.#bytes = 0;
  }
}

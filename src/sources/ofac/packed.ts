/**
 * What must wait until the end of the file, in bytes instead of objects: the format gives parties
 * before their relations and sanctions, and locations and documents before their parties. 200,000
 * parties as objects are a gigabyte; so they take a tenth of it.
 */
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { ScratchBlock, ScratchFile } from '../scratchFile.ts';
import { NumberMap } from './numberMap.ts';

const PHRASES_MAX = 50_000;
const PHRASE_CHARS_MAX = 64;
const BLOCK_CHARS = 1024 * 1024;
const BATCH_RECORDS = 1_000;
const CHUNK_BYTES = 1024 * 1024;
/** [place of the record before, plus 1][bytes], both 32 bits, then the record as JSON. */
const HEADER_BYTES = 8;

const LEVEL = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

/**
 * Records in the order in which they came. As text, since the collector copies one text faster than
 * the forty objects of a record; many of them are compressed block by block, and go to the disk
 * where the scratch file does.
 */
export class PackedRecords<T> {
  readonly #scratch: ScratchFile;
  readonly #blocks: ScratchBlock[] = [];
  #loose: string[] = [];
  #looseChars = 0;
  /** A list of the usual size is never compressed. */
  #looseCharsMax: number;

  constructor(scratch: ScratchFile) {
    this.#scratch = scratch;
    this.#looseCharsMax = scratch.keptBytesMax;
  }

  add(record: T): void {
    const text = JSON.stringify(record);
    this.#loose.push(text);
    this.#looseChars += text.length;
    if (this.#looseChars >= this.#looseCharsMax) this.#pack();
  }

  /**
   * May be called once. Values come some at a time, and each block is released when it was read.
   */
  async *take(): AsyncGenerator<readonly T[]> {
    for (const block of this.#blocks.splice(0)) {
      const packed = await this.#scratch.take(block);
      yield JSON.parse(zstdDecompressSync(packed).toString()) as T[];
    }
    const loose = this.#loose.splice(0);
    for (let from = 0; from < loose.length; from += BATCH_RECORDS) {
      yield loose.slice(from, from + BATCH_RECORDS).map((text) => JSON.parse(text) as T);
    }
  }

  #pack(): void {
    const perBlock = Math.ceil((this.#loose.length * BLOCK_CHARS) / this.#looseChars);
    for (let from = 0; from < this.#loose.length; from += perBlock) {
      const texts = this.#loose.slice(from, from + perBlock);
      this.#blocks.push(this.#scratch.keep(zstdCompressSync(`[${texts.join(',')}]`, LEVEL)));
    }
    this.#loose = [];
    this.#looseChars = 0;
    this.#looseCharsMax = Math.min(this.#looseCharsMax, BLOCK_CHARS);
  }
}

/** Records under a number, any count of them. */
export class KeyedRecords<T> {
  readonly #chunks: Buffer[] = [];
  readonly #lastByKey = new NumberMap();
  #used = CHUNK_BYTES;

  add(key: number, record: T): void {
    const text = JSON.stringify(record);
    const bytes = HEADER_BYTES + Buffer.byteLength(text);
    if (this.#used + bytes > CHUNK_BYTES) {
      this.#chunks.push(Buffer.allocUnsafeSlow(Math.max(bytes, CHUNK_BYTES)));
      this.#used = 0;
    }
    const chunk = this.#chunks.at(-1) ?? Buffer.alloc(0);
    const place = (this.#chunks.length - 1) * CHUNK_BYTES + this.#used;
    chunk.writeUInt32LE((this.#lastByKey.get(key) ?? -1) + 1, this.#used);
    chunk.writeUInt32LE(bytes - HEADER_BYTES, this.#used + 4);
    chunk.write(text, this.#used + HEADER_BYTES);
    this.#lastByKey.set(key, place);
    this.#used += bytes;
  }

  /** In the order in which they came. */
  get(key: number): T[] {
    const records: T[] = [];
    let next = (this.#lastByKey.get(key) ?? -1) + 1;
    while (next > 0) {
      const chunk = this.#chunks[Math.floor((next - 1) / CHUNK_BYTES)] ?? Buffer.alloc(0);
      const start = (next - 1) % CHUNK_BYTES;
      const from = start + HEADER_BYTES;
      records.push(JSON.parse(chunk.toString('utf8', from, from + chunk.readUInt32LE(start + 4))));
      next = chunk.readUInt32LE(start);
    }
    return records.reverse();
  }
}

/** Texts that come again and again, as numbers. */
export class Phrases {
  readonly #texts: string[] = [];
  readonly #numbers = new Map<string, number>();

  /** The text itself where it is long, or one too many. */
  pack(text: string): number | string {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    if (text.length > PHRASE_CHARS_MAX || this.#texts.length === PHRASES_MAX) return text;
    this.#numbers.set(text, this.#texts.length);
    this.#texts.push(text);
    return this.#texts.length - 1;
  }

  unpack(packed: number | string): string {
    return typeof packed === 'string' ? packed : (this.#texts[packed] ?? '');
  }
}

/**
 * Splits bytes into lines without decoding them. Formats of one record a line are read at the speed
 * of a memory search, and a line that is not parsed costs nothing more.
 *
 * A line is passed on without its line feed; the bytes are the caller's until the next `feed`.
 */
import { DomainError } from '#core/kernel';

const LINE_FEED = 10;
const BOM = [0xef, 0xbb, 0xbf];

/** Bytes of one line, and its number from 1. */
export type OnLine = (line: Buffer, number: number) => void;

export class LineSplitter {
  readonly #onLine: OnLine;
  readonly #lineBytesMax: number;
  #rest: Buffer[] = [];
  #restBytes = 0;
  #number = 0;

  constructor(onLine: OnLine, options: { readonly lineBytesMax: number }) {
    this.#onLine = onLine;
    this.#lineBytesMax = options.lineBytesMax;
  }

  feed(chunk: Uint8Array): void {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    let start = 0;
    for (let end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED, start)) {
      this.#take(bytes.subarray(start, end));
      start = end + 1;
    }
    if (start < bytes.length) this.#keep(bytes.subarray(start));
  }

  /** The rest after the last line feed, and its number; undefined where there is none. */
  finish(): { readonly line: Buffer; readonly number: number } | undefined {
    if (this.#restBytes === 0) return undefined;
    return { line: this.#joined(), number: this.#number + 1 };
  }

  #take(piece: Buffer): void {
    if (this.#restBytes > 0) {
      this.#keep(piece);
      this.#emit(this.#joined());
      this.#rest = [];
      this.#restBytes = 0;
    } else this.#emit(piece);
  }

  #emit(line: Buffer): void {
    this.#number++;
    const hasBom = this.#number === 1 && BOM.every((byte, index) => line[index] === byte);
    this.#onLine(hasBom ? line.subarray(BOM.length) : line, this.#number);
  }

  /** Copied: the chunk is its giver's again afterwards. */
  #keep(piece: Buffer): void {
    this.#restBytes += piece.length;
    if (this.#restBytes > this.#lineBytesMax) {
      const detail = `line ${this.#number + 1}: longer than ${this.#lineBytesMax} bytes`;
      throw new DomainError('list-damaged', { detail });
    }
    this.#rest.push(Buffer.from(piece));
  }

  #joined(): Buffer {
    return Buffer.concat(this.#rest);
  }
}

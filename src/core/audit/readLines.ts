/** Splits bytes into lines, chunk by chunk, so that an export of any length fits into memory. */

/** A line of the input, without its line feed. `bytes` is valid until the next line is read. */
export interface Line {
  /** Counts from 1. */
  readonly number: number;
  readonly bytes: Buffer;
}

/**
 * Bytes of one line of an export. Longer than any event can be; a file without line feeds must not
 * fill the memory.
 */
export const LINE_BYTES_MAX = 16 * 1024 * 1024;
const LINE_FEED = 0x0a;

/** A line is longer than LINE_BYTES_MAX; `line` counts from 1. */
export class LineTooLong extends Error {
  override readonly name = 'LineTooLong';
  readonly line: number;

  constructor(line: number) {
    super(`line ${line} is longer than ${LINE_BYTES_MAX} bytes`);
    this.line = line;
  }
}

/**
 * Yields the lines that end in each chunk. A last line without line feed counts, an empty rest does
 * not. Throws LineTooLong.
 */
export async function* readLines(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Line[]> {
  let number = 0;
  let parts: Buffer[] = [];
  let partBytes = 0;
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    const lines: Line[] = [];
    let from = 0;
    for (let to = bytes.indexOf(LINE_FEED); to >= 0; to = bytes.indexOf(LINE_FEED, from)) {
      const rest = bytes.subarray(from, to);
      const whole = parts.length > 0 ? Buffer.concat([...parts, rest]) : rest;
      lines.push({ number: ++number, bytes: whole });
      parts = [];
      partBytes = 0;
      from = to + 1;
    }
    if (from < bytes.length) {
      // A copy: the reader of the file may use the chunk's memory again.
      parts.push(Buffer.from(bytes.subarray(from)));
      partBytes += bytes.length - from;
      if (partBytes > LINE_BYTES_MAX) throw new LineTooLong(number + 1);
    }
    // All lines of a chunk at once: an await for every line would cost more than hashing it.
    if (lines.length > 0) yield lines;
  }
  if (partBytes > 0) yield [{ number: number + 1, bytes: Buffer.concat(parts) }];
}

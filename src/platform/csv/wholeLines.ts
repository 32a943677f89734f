/**
 * A stream of bytes in pieces that end where a line ends, so that no character and no line is cut
 * between two of them. The last piece is the rest, with or without its line break.
 *
 * A line longer than LINE_KEPT_BYTES is cut and ended at once: no reader accepts such a line, and
 * it is enough to know that it is too long. So memory is bounded for any input. Pieces of one byte
 * cost no more than large ones: they are processed once GATHERED_BYTES have come.
 */
const GATHERED_BYTES = 64 * 1024;
/** More than three bytes for each UTF-16 unit that a record may have (csvSplitter.ts). */
export const LINE_KEPT_BYTES = 200 * 1024;
const NEWLINE = 0x0a;

export async function* wholeLines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  const gathered = new WholeLines();
  for await (const chunk of bytes) {
    const piece = gathered.take(chunk);
    if (piece !== undefined) yield piece;
  }
  const rest = gathered.rest();
  if (rest.length > 0) yield rest;
}

/** The same for a stream that is pushed; pieces are held and must not be written to again. */
export class WholeLines {
  #chunks: Uint8Array[] = [];
  #bytes = 0;
  #hasNewline = false;
  /** The rest of a line that is too long is being skipped. */
  #isDropping = false;

  take(chunk: Uint8Array): Buffer | undefined {
    const newlineAt = chunk.indexOf(NEWLINE);
    if (this.#isDropping) {
      if (newlineAt === -1) return undefined;
      this.#isDropping = false;
      return this.take(chunk.subarray(newlineAt + 1));
    }
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    this.#hasNewline ||= newlineAt !== -1;
    if (this.#hasNewline) return this.#bytes < GATHERED_BYTES ? undefined : this.#wholeLines();
    return this.#bytes > LINE_KEPT_BYTES ? this.#cut() : undefined;
  }

  rest(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  #wholeLines(): Buffer {
    const joined = Buffer.concat(this.#chunks);
    const end = joined.lastIndexOf(NEWLINE) + 1;
    this.#restart(joined.subarray(end));
    return joined.subarray(0, end);
  }

  #cut(): Buffer {
    const joined = Buffer.concat(this.#chunks);
    let end = LINE_KEPT_BYTES;
    // Back to the first byte of a character: 10xxxxxx goes on with one.
    while (end > LINE_KEPT_BYTES - 4 && ((joined[end] ?? 0) & 0xc0) === 0x80) end--;
    this.#restart(Buffer.of());
    this.#isDropping = true;
    return Buffer.concat([joined.subarray(0, end), Buffer.of(NEWLINE)]);
  }

  #restart(left: Buffer): void {
    this.#chunks = [left];
    this.#bytes = left.length;
    this.#hasNewline = false;
  }
}

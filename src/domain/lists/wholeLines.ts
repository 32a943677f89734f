/** Pieces of text that hold whole lines, as a merge gives them out. */

const LINE_FEED = 0x0a;

/** Each without its line feed, as a view of the piece. */
export function* linesIn(piece: Uint8Array): Generator<Buffer> {
  const lines = Buffer.from(piece.buffer, piece.byteOffset, piece.length);
  let start = 0;
  for (let end = lines.indexOf(LINE_FEED); end >= 0; end = lines.indexOf(LINE_FEED, start)) {
    yield lines.subarray(start, end);
    start = end + 1;
  }
}

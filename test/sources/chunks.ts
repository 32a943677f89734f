/** Bytes as a file or a socket would bring them. */
export async function* chunksOf(
  content: string | Uint8Array,
  chunkBytes = 64 * 1024,
): AsyncGenerator<Uint8Array> {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  for (let start = 0; start < bytes.length; start += chunkBytes) {
    yield bytes.subarray(start, start + chunkBytes);
  }
}

/** One piece of text over and over: what is too large to hold is made while it is read. */
export async function* repeated(parts: {
  head: string;
  piece: string;
  times: number;
  tail: string;
}): AsyncGenerator<Uint8Array> {
  yield Buffer.from(parts.head);
  const piece = Buffer.from(parts.piece);
  for (let count = 0; count < parts.times; count++) yield piece;
  yield Buffer.from(parts.tail);
}

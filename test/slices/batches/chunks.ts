/** Bytes as they come over a wire. */
export async function* inChunks(
  content: string | Uint8Array,
  chunkBytes = 1 << 20,
): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(content);
  for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
}

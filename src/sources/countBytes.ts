/** The same chunks, and how many bytes they come to so far: for readers that hand them on whole. */
export async function* countBytes(
  chunks: AsyncIterable<Uint8Array>,
  onBytes: ((bytes: number) => void) | undefined,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    yield chunk;
    onBytes?.(bytes);
  }
}

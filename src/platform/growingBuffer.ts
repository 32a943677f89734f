/** Room in buffers that grow. */

/** The buffer, or a larger one with its first `used` bytes. */
export function withRoom(buffer: Buffer, used: number, bytes: number): Buffer {
  if (used + bytes <= buffer.length) return buffer;
  const grown = Buffer.allocUnsafeSlow(Math.max(used + bytes, buffer.length * 2));
  buffer.copy(grown, 0, 0, used);
  return grown;
}

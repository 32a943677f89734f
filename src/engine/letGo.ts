/**
 * Makes V8 look for a list that was let go. It frees a WebAssembly memory with its wrapper, but
 * does not count a shared one as garbage worth a collection, so that ten refreshes of a large list
 * may leave ten lists in memory. Ordinary buffers it does count: one as large as the list, dropped
 * at once and never written, so that it takes no memory, brings the next collection forward. That
 * one runs in small steps, as always; a forced one would stop the thread.
 */

/** Twice what V8 lets pile up before it looks: more gains nothing. */
const BYTES_MAX = 128 * 2 ** 20;

/** After the last reference to a memory of so many bytes on this thread is gone. */
export function hastenCollection(bytes: number): void {
  try {
    const counted = new ArrayBuffer(Math.min(bytes, BYTES_MAX));
    // Read, so that no compiler leaves the buffer out.
    if (counted.byteLength < 0) throw new Error('a buffer has a length');
  } catch (error) {
    // No address space for it: V8 has just collected all it could, then.
    if (!(error instanceof RangeError)) throw error;
  }
}

/**
 * Small arrays laid end to end in few large ones, so that letting go of those gives the memory
 * back. A C library keeps what was freed in pieces for itself: of a million entities a third of a
 * gigabyte of texts stayed in the process while their snapshot was written beside it. Slabs are of
 * a size that it asks the system for, and returns, each on its own.
 */

/** glibc's DEFAULT_MMAP_THRESHOLD_MAX: never taken from a heap. */
const SLAB_BYTES = 32 * 1024 * 1024;
const SLAB_BYTES_MIN = 64 * 1024;

/** Append-only bytes. */
export class Slabs {
  #slab = new Uint8Array(0);
  #used = 0;
  #total = 0;

  /** A copy of the bytes, in a slab that others share. */
  keep(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
    const { length } = bytes;
    if (this.#used + length > this.#slab.length) {
      // As much again as there is: a small list takes little.
      const room = Math.min(Math.max(this.#total, SLAB_BYTES_MIN), SLAB_BYTES);
      this.#slab = new Uint8Array(Math.max(length, room));
      this.#used = 0;
    }
    const kept = this.#slab.subarray(this.#used, this.#used + length);
    kept.set(bytes);
    this.#used += length;
    this.#total += length;
    return kept;
  }
}

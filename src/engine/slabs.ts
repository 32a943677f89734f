/**
 * Small arrays, end to end in few large ones, so that dropping those returns the memory. A C
 * library keeps small freed pieces for itself: with a million entities, a third of a gigabyte of
 * texts stayed in the process while their snapshot was written beside it. A slab has a size that
 * the library asks the system for, and returns, each on its own.
 */

/** glibc's DEFAULT_MMAP_THRESHOLD_MAX: never taken from a heap. */
const SLAB_BYTES = 32 * 1024 * 1024;
const SLAB_BYTES_MIN = 64 * 1024;

/** Append-only copies of byte arrays, in slabs of 64 KiB to 32 MiB. */
export class Slabs {
  #slab = new Uint8Array(0);
  #used = 0;
  #total = 0;

  /** Returns a copy of the bytes, a view of a slab that other copies share. */
  keep(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
    const { length } = bytes;
    if (this.#used + length > this.#slab.length) {
      // The new slab is as large as all so far: a small list takes little.
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

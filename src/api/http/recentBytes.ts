/**
 * Bytes of a body within the last while of its client's own time. A mean over the whole body would
 * let a client that sent much at first hold its place for hours with a byte every few seconds.
 *
 * Time stands in slices, and the one in which a window begins counts whole: an error in the
 * client's favour.
 */
const SLICES = 8;

export class RecentBytes {
  readonly #windowMs: number;
  readonly #sliceMs: number;
  /** The slices of the window, and one more that the window may begin in. */
  readonly #bytes = new Float64Array(SLICES + 1);
  #slice = 0;

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
    this.#sliceMs = windowMs / SLICES;
  }

  /** `atMs` counts from the beginning and never goes back. */
  add(bytes: number, atMs: number): void {
    this.#turnTo(atMs);
    const place = this.#slice % this.#bytes.length;
    this.#bytes[place] = (this.#bytes[place] ?? 0) + bytes;
  }

  /** Whether fewer bytes came in the last window; never before a whole one has passed. */
  isBelow(bytesPerSecond: number, atMs: number): boolean {
    if (atMs < this.#windowMs) return false;
    this.#turnTo(atMs);
    const bytes = this.#bytes.reduce((sum, some) => sum + some, 0);
    return bytes < (this.#windowMs / 1_000) * bytesPerSecond;
  }

  #turnTo(atMs: number): void {
    const slice = Math.floor(atMs / this.#sliceMs);
    const passed = Math.min(slice - this.#slice, this.#bytes.length);
    for (let one = 1; one <= passed; one++) {
      this.#bytes[(this.#slice + one) % this.#bytes.length] = 0;
    }
    this.#slice = slice;
  }
}

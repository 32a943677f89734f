/**
 * Blocks the calling thread. Only for the storage threads, which are synchronous by nature (and for
 * opening, which they do); on the event loop it would stop the process.
 */
const cell = new Int32Array(new SharedArrayBuffer(4));

export function sleepSync(milliseconds: number): void {
  Atomics.wait(cell, 0, 0, milliseconds);
}

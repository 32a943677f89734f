/**
 * Makes V8 free the memory of released lists. V8 frees a WebAssembly memory with its wrapper, but
 * does not count a shared one as garbage worth a collection, so ten refreshes of a large list may
 * leave ten lists in memory. A memory is freed once every thread has dropped its wrapper.
 *
 * The main thread answers callers, so its collection must not stop them. It allocates a buffer
 * larger than V8 lets pile up, and drops it at once. The buffer is never written and takes no
 * memory, but V8 counts ordinary buffers and begins a collection. That runs in small steps between
 * other work, as always; a forced one would stop everything.
 *
 * A pool's thread has no turns between which such steps could run: it sleeps in Atomics.wait, and a
 * collection begun there may never end. It is idle at that time, and its heap has megabytes (tens
 * of them where it screens chunks), so a forced collection costs milliseconds.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

/** Released bytes that may wait for a collection that comes by itself. */
const WAITING_BYTES_MAX = 32 * 1024 * 1024;
/**
 * Twice what V8 lets pile up before it looks; a smaller buffer may be gone before the limit is met.
 */
const COUNTED_BYTES = 128 * 1024 * 1024;

let waitingBytes = 0;
let collect: (() => void) | undefined;

/**
 * Reports that this thread has dropped its last reference to a memory of `bytes`. Starts a garbage
 * collection once 32 MiB have been reported since the last one.
 */
export function releaseMemory(bytes: number): void {
  waitingBytes += bytes;
  if (waitingBytes < WAITING_BYTES_MAX) return;
  waitingBytes = 0;
  if (isMainThread) beginCollection();
  else collectNow();
}

function beginCollection(): void {
  try {
    const counted = new ArrayBuffer(COUNTED_BYTES);
    // The buffer is read, so that no compiler removes it.
    if (counted.byteLength < 0) throw new Error('a buffer has a length');
  } catch (error) {
    // There is no address space for it: V8 has then just collected all it could.
    if (!(error instanceof RangeError)) throw error;
  }
}

function collectNow(): void {
  if (collect === undefined) {
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as () => void;
  }
  collect();
}

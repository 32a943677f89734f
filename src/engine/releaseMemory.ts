/**
 * Makes V8 free lists that were let go. It frees a WebAssembly memory with its wrapper, but does
 * not count a shared one as garbage worth a collection, so that ten refreshes of a large list may
 * leave ten lists in memory. A memory goes once every thread has dropped its wrapper.
 *
 * The main thread answers callers: there, a buffer larger than V8 lets pile up, dropped at once and
 * never written, so that it takes no memory, begins a collection, since ordinary buffers count. It
 * runs in small steps between other work, as always; a forced one would stop everybody.
 *
 * A pool's thread has no turns between which such steps could run: it sleeps in Atomics.wait, and a
 * collection that was begun there may never end. It has no work then, and a heap of megabytes (tens
 * of them where it screens chunks), so that a forced one costs milliseconds.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

/** What may wait for a collection that comes by itself. */
const WAITING_BYTES_MAX = 32 * 1024 * 1024;
/** Twice what V8 lets pile up before it looks; less may be forgotten before the limit is met. */
const COUNTED_BYTES = 128 * 1024 * 1024;

let waitingBytes = 0;
let collect: (() => void) | undefined;

/** After the last reference to a memory of so many bytes on this thread is gone. */
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
    // Read, so that no compiler leaves the buffer out.
    if (counted.byteLength < 0) throw new Error('a buffer has a length');
  } catch (error) {
    // No address space for it: V8 has just collected all it could, then.
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

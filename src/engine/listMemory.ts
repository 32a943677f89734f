/**
 * A list in memory that all threads of the process share: the snapshot from address 0, and behind
 * it a scratch for each thread that may read it. Where the machine has shared WebAssembly memories
 * it is one, so that kernels read the snapshot in place; it is dropped whole with the list.
 *
 * A snapshot that is read from a disk is read into such a memory directly (`allocateForList`).
 * While a list is refreshed there are two copies of it, never three.
 */
import { scratchBytes } from './kernelHost.ts';
import { sharedMemory } from './sharedMemory.ts';
import { openSnapshot, snapshotLength } from './snapshotFormat.ts';

const PAGE_BYTES = 65_536;

/** A list laid out for the threads. It is posted to them as it is, and nothing of it is copied. */
export interface ListMemory {
  readonly buffer: SharedArrayBuffer;
  /** Undefined where WebAssembly has no shared memory: the kernels' twin runs. */
  readonly memory: WebAssembly.Memory | undefined;
  readonly scratchStart: number;
  /** Scratches behind the snapshot: one for each thread, numbered from 0. */
  readonly slots: number;
}

const PAGES_MAX = 65_536;
/** Threads that one list is laid out for: 64, and one for long queries. */
const SLOTS_MAX = 65;
/** Fewest bytes of a snapshot that one entity takes. */
const ENTITY_BYTES_MIN = 16;

/** Memories that were allocated to be filled, by the buffer that their caller fills. */
const allocated = new WeakMap<
  SharedArrayBuffer,
  { readonly memory: WebAssembly.Memory; readonly bytes: number }
>();

/**
 * A zeroed buffer of at least `bytes` to read a snapshot into; layOutList then takes it over
 * without a copy. May grow up to 4 GiB, with scratch for 65 threads.
 */
export function allocateForList(bytes: number): SharedArrayBuffer {
  const pages = Math.ceil(bytes / PAGE_BYTES);
  const scratch = (SLOTS_MAX * scratchBytes(bytes / ENTITY_BYTES_MIN)) / PAGE_BYTES;
  const memory = sharedMemory(pages, Math.min(PAGES_MAX, pages + scratch));
  if (memory === undefined) return new SharedArrayBuffer(bytes);
  const buffer = memory.buffer;
  allocated.set(buffer, { memory, bytes });
  return buffer;
}

/**
 * Bytes that were asked for from allocateForList; the buffer itself goes to the end of a page. For
 * any other buffer its length.
 */
export function bytesAskedFor(buffer: SharedArrayBuffer): number {
  return allocated.get(buffer)?.bytes ?? buffer.byteLength;
}

/**
 * Lays a checked snapshot out for `slots` threads: in place where allocateForList made its buffer,
 * else as a copy. `twin` does without WebAssembly.
 */
export function layOutList(
  snapshot: SharedArrayBuffer,
  options: { readonly slots: number; readonly twin?: boolean },
): ListMemory {
  const length = snapshotLength(snapshot);
  const scratchStart = Math.ceil(length / PAGE_BYTES) * PAGE_BYTES;
  const entities = openSnapshot(snapshot).entitySchema.length;
  const bytes = scratchStart + options.slots * scratchBytes(entities);
  const own = options.twin === true ? undefined : allocated.get(snapshot)?.memory;
  if (own !== undefined) {
    const missing = bytes - own.buffer.byteLength;
    if (missing > 0) own.grow(missing / PAGE_BYTES);
    const buffer = own.buffer;
    return { buffer, memory: own, scratchStart, slots: options.slots };
  }
  const memory = options.twin === true ? undefined : sharedMemory(bytes / PAGE_BYTES);
  const buffer = memory?.buffer ?? new SharedArrayBuffer(bytes);
  new Uint8Array(buffer).set(new Uint8Array(snapshot, 0, length));
  return { buffer, memory, scratchStart, slots: options.slots };
}

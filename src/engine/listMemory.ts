/**
 * A list in memory that all threads of the process share: the snapshot from address 0, behind it a
 * scratch for each thread that may read it. A WebAssembly.Memory where the machine has shared ones,
 * so that kernels read the snapshot where it lies; it is dropped whole with the list.
 */
import { scratchBytes } from './kernelHost.ts';
import { openSnapshot, snapshotLength } from './snapshotFormat.ts';

const PAGE_BYTES = 65_536;

/** Handed to threads as it is: nothing of it is copied. */
export interface ListMemory {
  readonly buffer: SharedArrayBuffer;
  /** Undefined where WebAssembly has no shared memory: the kernels' twin runs. */
  readonly memory: WebAssembly.Memory | undefined;
  readonly scratchStart: number;
  /** Scratches behind it: one for each thread, numbered from 0. */
  readonly slots: number;
}

function sharedMemory(pages: number): WebAssembly.Memory | undefined {
  try {
    return new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
  } catch (error) {
    // A machine without shared memories says so by these; anything else is a fault.
    if (error instanceof TypeError || error instanceof WebAssembly.CompileError) return undefined;
    throw error;
  }
}

/** Lays a checked snapshot out for `slots` threads; `twin` does without WebAssembly. */
export function layOutList(
  snapshot: SharedArrayBuffer,
  options: { readonly slots: number; readonly twin?: boolean },
): ListMemory {
  const length = snapshotLength(snapshot);
  const scratchStart = Math.ceil(length / PAGE_BYTES) * PAGE_BYTES;
  const entities = openSnapshot(snapshot).entitySchema.length;
  const bytes = scratchStart + options.slots * scratchBytes(entities);
  const memory = options.twin === true ? undefined : sharedMemory(bytes / PAGE_BYTES);
  const buffer = memory?.buffer ?? new SharedArrayBuffer(bytes);
  new Uint8Array(buffer).set(new Uint8Array(snapshot, 0, length));
  return { buffer, memory, scratchStart, slots: options.slots };
}

/** Memories that WebAssembly and all threads of the process share, where the machine has them. */

/** A shared memory of so many pages of 65,536 bytes; undefined where there are none. */
export function sharedMemory(pages: number, maximum = pages): WebAssembly.Memory | undefined {
  try {
    return new WebAssembly.Memory({ initial: pages, maximum, shared: true });
  } catch (error) {
    // A machine without shared memories throws one of these; any other error is a fault.
    if (error instanceof TypeError || error instanceof WebAssembly.CompileError) return undefined;
    throw error;
  }
}

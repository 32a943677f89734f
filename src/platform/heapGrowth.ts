/**
 * How far V8 lets the heaps of a process grow before it collects. The default is a multiple of the
 * live data, sized for a machine with one program; a worker with its threads then holds twice of
 * what it needs, at the same speed (docs/performance.md).
 */
import { setFlagsFromString } from 'node:v8';

/**
 * Flags of Node for a worker. V8 fixes the young generation of the main thread before any code
 * runs: 48 MB of it, of which a worker at work fills 34, are 12 by this, at the same speed.
 */
export const WORKER_FLAGS = ['--max-semi-space-size=4'] as const;

/** Per cent of the live data after the last collection. */
const GROWTH_PERCENT = 40;
/** The first collection of a new heap is due by then. */
const INITIAL_HEAP_MB = 48;

/** For all heaps of the process, including those of later threads. Call it before any starts. */
export function growHeapsSlowly(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
  setFlagsFromString(`--initial-heap-size=${INITIAL_HEAP_MB}`);
}

/**
 * Threads from here on have V8's own young generation, or the one that they say: a worker's flag is
 * for its main thread and those of its store, and would slow down the threads that screen.
 */
export function leaveYoungGenerations(): void {
  setFlagsFromString('--max-semi-space-size=0');
}

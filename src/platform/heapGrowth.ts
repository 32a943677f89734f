/**
 * How far V8 lets the heaps of a process grow before it collects. The default is a multiple of the
 * live data, sized for a machine with one program; a worker with its threads then holds twice of
 * what it needs, at the same speed (docs/performance.md).
 */
import { setFlagsFromString } from 'node:v8';

/** Per cent of the live data after the last collection. */
const GROWTH_PERCENT = 40;
/** The first collection of a new heap is due by then. */
const INITIAL_HEAP_MB = 48;

/** For all heaps of the process, including those of later threads. Call it before any starts. */
export function growHeapsSlowly(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
  setFlagsFromString(`--initial-heap-size=${INITIAL_HEAP_MB}`);
}

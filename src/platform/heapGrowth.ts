/**
 * How far V8 lets the heaps of a process grow before it collects. By default to a multiple of what
 * lives in them, sized for a machine that is one program's; a worker with its threads then holds
 * twice of what it needs, at the same speed (docs/performance.md).
 */
import { setFlagsFromString } from 'node:v8';

/** Of what lived after the last collection. */
const GROWTH_PERCENT = 40;
/** A new heap's first collection is due by then. */
const INITIAL_HEAP_MB = 48;

/** For all heaps of the process, threads that start later included. Before any starts. */
export function growHeapsSlowly(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
  setFlagsFromString(`--initial-heap-size=${INITIAL_HEAP_MB}`);
}

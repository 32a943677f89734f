/**
 * The thread that ends a process of bounded work (boundedChild.ts): at its bound of memory, and
 * where its parent is gone, which otherwise ends it by the clock.
 */
import { workerData } from 'node:worker_threads';
import type { BoundedOrder } from './boundedWork.ts';

const LOOK_EVERY_MS = 50;
/** Past its time, which the parent keeps. */
const LATE_MS = 5_000;

const { memoryBytes, parentPid, timeMs } = workerData as BoundedOrder;
const begunAtMs = performance.now();

setInterval(() => {
  const isOver =
    process.memoryUsage.rss() > memoryBytes ||
    process.ppid !== parentPid ||
    performance.now() - begunAtMs > timeMs + LATE_MS;
  if (isOver) process.kill(process.pid, 'SIGKILL');
}, LOOK_EVERY_MS);

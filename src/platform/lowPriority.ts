/**
 * Niceness of a process whose work comes after that of others on the same machine.
 *
 * On Linux priorities are the threads' own, and what a thread starts inherits its: a process that
 * lowers its priority lowers one thread. V8's helpers, which compile and collect for all others,
 * and libuv's, which pack and hash, go on beside the requests of others as their equals.
 */
import { readdirSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { getPriority, setPriority } from 'node:os';

const THREADS = '/proc/self/task';

/**
 * Lowers all of this process but the threads that `start` starts: for those that hold what others
 * wait for, such as the store's one lock, and must never wait for a processor themselves. Before
 * any other thread is started; those started later are lowered, too.
 */
export async function lowerPriority<Started>(
  niceness: number,
  { start }: { readonly start: () => Promise<Started> },
): Promise<Started> {
  await stat('.'); // with the first such call all of libuv's threads are there
  for (const thread of otherThreads()) lower(thread, niceness);
  const started = await start();
  lower(process.pid, niceness);
  return started;
}

/** One that is lower already stays so: only the system's administrator may raise it. */
function lower(thread: number, niceness: number): void {
  try {
    if (getPriority(thread) < niceness) setPriority(thread, niceness);
  } catch (error) {
    if (!isGone(error)) throw error; // it has ended meanwhile
  }
}

/** os says what the system said in `info`. */
function isGone(error: unknown): boolean {
  const info = error instanceof Error && 'info' in error ? error.info : undefined;
  return typeof info === 'object' && info !== null && 'code' in info && info.code === 'ESRCH';
}

/** None where the system does not tell: priorities are the process's there. */
function otherThreads(): readonly number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync(THREADS)
    .map(Number)
    .filter((thread) => thread !== process.pid);
}

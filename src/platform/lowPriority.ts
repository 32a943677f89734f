/**
 * Niceness of a process whose work comes after that of others on the same machine.
 *
 * On Linux each thread has its own priority, which new threads inherit. A process that lowers its
 * priority therefore lowers one thread. V8's helpers, which compile and collect for all others, and
 * libuv's, which pack and hash, would go on as equals of the threads that serve requests.
 */
import { readdirSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { getPriority, setPriority } from 'node:os';

const THREADS = '/proc/self/task';

/**
 * Lowers all threads of this process except those that `start` starts. Those hold what others wait
 * for, such as the store's one lock, and must never wait for a processor themselves. Call it before
 * any other thread is started; later ones are lowered, too.
 */
export async function lowerPriority<Started>(
  niceness: number,
  { start }: { readonly start: () => Promise<Started> },
): Promise<Started> {
  await stat('.'); // after the first such call all of libuv's threads exist
  for (const thread of otherThreads()) lower(thread, niceness);
  const started = await start();
  lower(process.pid, niceness);
  return started;
}

/** A lower priority stays: only the system's administrator may raise it. */
function lower(thread: number, niceness: number): void {
  try {
    if (getPriority(thread) < niceness) setPriority(thread, niceness);
  } catch (error) {
    if (!isGone(error)) throw error; // it has ended meanwhile
  }
}

/** node:os puts the system's error into `info`. */
function isGone(error: unknown): boolean {
  const info = error instanceof Error && 'info' in error ? error.info : undefined;
  return typeof info === 'object' && info !== null && 'code' in info && info.code === 'ESRCH';
}

/** Empty where the system does not tell: there the process has one priority. */
function otherThreads(): readonly number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync(THREADS)
    .map(Number)
    .filter((thread) => thread !== process.pid);
}

/**
 * Keeps a pool of Piscina alive. Piscina starts a thread for one that died; if that one fails
 * before it is ready, it starts no other, and waiting tasks wait for ever. The next requested task
 * makes it try again, but where every caller waits, none is requested.
 */

/** The cause (memory, file descriptors) needs a moment to pass. */
const PAUSE_MS = 200;

/** Watches a pool; `runNothing` is the cheapest task that it has. */
export function keepAlive(
  pool: { on(event: 'error', listener: () => void): unknown },
  runNothing: () => Promise<unknown>,
): void {
  // A dead thread rejects its task, so the task's caller gets the error. Without a listener an
  // error would end the process.
  const ask = (): void => void runNothing().catch(() => undefined);
  pool.on('error', () => setTimeout(ask, PAUSE_MS).unref());
}

/**
 * Piscina starts a thread for one that died. Where that one fails before it is ready, it starts no
 * other, and tasks that wait for it wait for ever: the next task that is asked for makes it try
 * again, and where every caller waits, none is.
 */

/** What failed (memory, file descriptors) needs a moment. */
const PAUSE_MS = 200;

/** Of a pool; `runNothing` is the cheapest task that it has. */
export function keepAlive(
  pool: { on(event: 'error', listener: () => void): unknown },
  runNothing: () => Promise<unknown>,
): void {
  // What died rejects its task, and whoever asked for that hears of it. Without a listener an error
  // would end the process.
  const ask = (): void => void runNothing().catch(() => undefined);
  pool.on('error', () => setTimeout(ask, PAUSE_MS).unref());
}

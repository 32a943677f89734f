/**
 * Pieces of work on one thread, each in an iteration of the event loop of its own: sockets and
 * timers are served between two pieces, however many callers have one ready at the same time.
 */
const waiting: (() => void)[] = [];

function next(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(next);
}

/**
 * Resolves when the caller may do one piece of at most some milliseconds. The caller does it before
 * it waits for anything else.
 */
export function loopTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(next);
  });
}

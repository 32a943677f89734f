/**
 * How a process of ours learns that it must stop, the same for the gateway and the workers.
 *
 * Under the supervisor a child obeys only the message `stop`: the terminal's Ctrl-C reaches every
 * process of its group, but the supervisor decides the order of the stop. If the supervisor dies
 * (the channel closes), the child stops by itself. For a process started alone, signals are the
 * request.
 */
import assert from 'node:assert/strict';

/** From the supervisor to a child. */
export type ToChild = { readonly type: 'stop' };
/** From a child to the supervisor: it is ready for its work. */
export type FromChild = { readonly type: 'ready'; readonly port?: number };

export interface StopRequest {
  /** Resolves with the reason of the stop, for the log. */
  readonly asked: Promise<string>;
  /** Fires on a second request: finish at once. */
  readonly urgent: AbortSignal;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export const isSupervised = (): boolean => process.send !== undefined;

/**
 * Call it once per process, before the first await of main: an earlier signal would just kill it.
 */
export function listenForStop(): StopRequest {
  const asked = Promise.withResolvers<string>();
  const urgent = new AbortController();
  let isAsked = false;
  const ask = (reason: string): void => {
    if (isAsked) urgent.abort();
    isAsked = true;
    asked.resolve(reason);
  };
  if (isSupervised()) {
    for (const signal of SIGNALS) process.on(signal, () => undefined);
    process.on('message', (message: ToChild) => {
      if (message.type === 'stop') ask('supervisor');
    });
    process.on('disconnect', () => ask('supervisor gone'));
    // A process that has nothing left to do must end even if the channel is open.
    process.channel?.unref();
  } else {
    for (const signal of SIGNALS) process.on(signal, () => ask(signal));
  }
  return { asked: asked.promise, urgent: urgent.signal };
}

/** Tells the supervisor, if there is one. */
export function reportReady(message: { readonly port?: number } = {}): void {
  const ready: FromChild = { ...message, type: 'ready' };
  // The supervisor may be gone already; `disconnect` then tells us to stop.
  process.send?.(ready, undefined, {}, () => undefined);
}

/** Runs `work`, but not longer than this: the end of a process must be bounded. */
export async function withinMs<Value>(
  work: Promise<Value>,
  ms: number,
  signal?: AbortSignal,
): Promise<Value | 'late'> {
  assert(ms > 0);
  const late = Promise.withResolvers<'late'>();
  const timer = setTimeout(() => late.resolve('late'), ms);
  const onAbort = (): void => late.resolve('late');
  signal?.addEventListener('abort', onAbort);
  if (signal?.aborted === true) onAbort();
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}

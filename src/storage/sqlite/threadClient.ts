/**
 * The event loop's side of a storage thread: typed calls, answered in the order in which they were
 * made. A thread that died answers every call with `store-unavailable`, for good; `onFatal` is
 * called, since only another process can open the store again.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { DomainError, type PlainTable } from '#core/kernel';
import { CALLS_PENDING_MAX } from '../limits.ts';
import type { Role } from './connection.ts';
import {
  type Answer,
  type Call,
  fromFailure,
  type ThreadData,
  type ThreadMessage,
} from './messages.ts';

interface Pending {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

type AnyFunction = (...args: never[]) => unknown;

/** Calls of `Operations` by name, and the two that both threads know. */
export interface ThreadClient<Operations> {
  call<Name extends keyof Operations & string>(
    name: Name,
    ...args: Operations[Name] extends AnyFunction ? Parameters<Operations[Name]> : never
  ): Promise<Operations[Name] extends AnyFunction ? ReturnType<Operations[Name]> : never>;
  /** Empties the write-ahead log; false while a reader still needs it. */
  truncateLog(): Promise<boolean>;
  close(): Promise<void>;
}

export interface ThreadLife {
  /** Called once, when the thread ends without having been closed. */
  readonly onFatal?: (error: Error) => void;
  /** Told why the opening takes long. */
  readonly onWarning?: (text: string) => void;
  readonly tables?: readonly PlainTable[];
  /** Another program than ours, for tests of its death. */
  readonly program?: URL;
}

const PROGRAM = new URL('./thread.ts', import.meta.url);

/** Resolves when the thread has opened the file, and rejects with the reason if it cannot. */
export async function openThread<Operations>(
  file: string,
  role: Role,
  { onFatal, onWarning = () => {}, program = PROGRAM, tables = [] }: ThreadLife = {},
): Promise<ThreadClient<Operations>> {
  const worker = new Worker(program, {
    workerData: { file, role, tables } satisfies ThreadData,
    execArgv: ['--disable-warning=ExperimentalWarning'],
    name: `storage-${role}`,
  });
  let [opened] = (await once(worker, 'message')) as [ThreadMessage];
  while (opened.kind === 'waiting') {
    onWarning(opened.why);
    [opened] = (await once(worker, 'message')) as [ThreadMessage];
  }
  if (opened.kind === 'opened' && opened.failure !== undefined) {
    await worker.terminate();
    throw fromFailure(opened.failure);
  }
  return createClient(worker, onFatal ?? (() => {}));
}

function createClient<Operations>(
  worker: Worker,
  onFatal: (error: Error) => void,
): ThreadClient<Operations> {
  const pending = new Map<number, Pending>();
  let lastId = 0;
  let ended: Error | undefined;
  let isClosing = false;

  function settle(answer: Answer): void {
    const waiting = pending.get(answer.id);
    pending.delete(answer.id);
    if (pending.size === 0) worker.unref();
    if (answer.failure === undefined) waiting?.resolve(answer.value);
    else waiting?.reject(fromFailure(answer.failure));
  }

  function end(error: Error): void {
    const isNews = ended === undefined;
    ended ??= error;
    for (const { reject } of pending.values()) reject(ended);
    pending.clear();
    if (isNews && !isClosing) onFatal(ended);
  }

  /** An idle store must not keep a process alive; one with running calls must. */
  function ask(name: string, args: readonly unknown[]): Promise<unknown> {
    if (ended !== undefined) return Promise.reject(ended);
    if (pending.size >= CALLS_PENDING_MAX)
      return Promise.reject(unavailable('too many calls wait'));
    return new Promise((resolve, reject) => {
      lastId += 1;
      if (pending.size === 0) worker.ref();
      pending.set(lastId, { resolve, reject });
      worker.postMessage({ id: lastId, name, args } satisfies Call);
    });
  }

  worker.on('message', (message: ThreadMessage) => {
    if (message.kind === 'answers') message.answers.forEach(settle);
  });
  worker.on('error', (error) => end(unavailable('the storage thread failed', error)));
  worker.on('exit', () => end(unavailable('the store is closed')));
  worker.unref();

  return {
    call: (name, ...args) => ask(name, args) as ReturnType<ThreadClient<Operations>['call']>,
    truncateLog: async () => (await ask('truncateLog', [])) === true,
    close: async () => {
      if (ended !== undefined) return;
      isClosing = true;
      const exited = once(worker, 'exit');
      await ask('close', []);
      worker.ref();
      await exited;
    },
  };
}

function unavailable(detail: string, cause?: unknown): DomainError {
  return new DomainError('store-unavailable', { detail, retryAfterS: 1, cause });
}

/**
 * The thread that takes scores apart: reading names costs what their letters say. It gives way to
 * the threads that screen, and ends when it has rested. Tenants take turns for it, a query with
 * its hits each; one whose caller has left, or whose time is over, ends between two hits.
 *
 * A thread that dies fails what it had in hand; Piscina starts a new one with the next call.
 */
import { Piscina } from 'piscina';
import { DomainError, type ErrorCode } from '#core/kernel';
import { sharedMonotonicMs } from '#engine';
import { LineError, TurnLine } from '#platform/turnLine';
import type { Explained, HitExplainer } from '#slices/screening';
import type { ExplainAnswer, ExplainTask } from './explainThread.ts';
import { rethrowFromLine } from './lineRefusal.ts';

const WAITING_MAX = 256;
const IDLE_MS = 60_000;
const NICE_INCREMENT = 5;
const THREAD = new URL('./explainThread.ts', import.meta.url);

/** @param thread another thread entry, for tests of what waits for what */
export async function hitExplainer(thread = THREAD): Promise<HitExplainer> {
  const line = new TurnLine({ places: 1, waitingMax: WAITING_MAX, what: 'explanations' });
  let threads: Piscina<ExplainTask, ExplainAnswer> | undefined;
  const run = async (task: Omit<ExplainTask, 'stop'>, signal?: AbortSignal): Promise<Explained> => {
    threads ??= start(thread);
    const stop = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    const onGone = (): void => void Atomics.store(stop, 0, 1);
    signal?.addEventListener('abort', onGone, { once: true });
    try {
      return explainedIn(await threads.run({ ...task, stop }));
    } finally {
      signal?.removeEventListener('abort', onGone);
    }
  };
  return {
    close: async () => {
      line.refuseAll(new Error('explanations: closed'));
      await threads?.destroy();
    },
    explain: async (version, asks, { deadlineMs, signal, turn }) => {
      const expiresAt = sharedMonotonicMs() + deadlineMs;
      const all: Explained[] = [];
      for (const ask of asks) {
        const by = { deadlineMs: expiresAt - sharedMonotonicMs(), signal, turn };
        const task = { ...ask, expiresAt, version };
        all.push(await line.run(by, () => run(task, signal)).catch(rethrowFromLine));
      }
      return all;
    },
  };
}

function start(thread: URL): Piscina<ExplainTask, ExplainAnswer> {
  return new Piscina({
    filename: thread.href,
    idleTimeout: IDLE_MS,
    maxThreads: 1,
    minThreads: 0,
    name: 'explainHits',
    niceIncrement: NICE_INCREMENT,
  });
}

/** Errors lose their class on the way between threads; codes of ours do not. */
function explainedIn(answer: ExplainAnswer): Explained {
  if ('explained' in answer) return answer.explained;
  const { code, message } = answer;
  if (code === 'caller-gone' || code === 'deadline-exceeded') throw new LineError(code, message);
  if (code === undefined) throw new Error(`explanations: ${message}`);
  throw new DomainError(code as ErrorCode, { detail: message });
}

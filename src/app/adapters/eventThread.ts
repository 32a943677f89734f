/**
 * The thread that checks events for a gateway or a worker: parsing, hashing and verifying a page of
 * a thousand takes a quarter of a second. It gives way to the threads that screen, and ends when it
 * has rested. Tenants take turns for it, some events each.
 */
import { Piscina } from 'piscina';
import type { KeyRing } from '#core/audit';
import { TurnLine } from '#platform/turnLine';
import type { CheckedEvent, EventTask, EventThread } from '#slices/sanctions';
import { rethrowFromLine } from './lineRefusal.ts';

/** One task is checked while the next one's text comes over. */
const AT_ONCE = 2;
const WAITING_MAX = 256;
const IDLE_MS = 60_000;
const NICE_INCREMENT = 5;
/** What is parsed dies young. */
const YOUNG_GENERATION_MB = 12;
const CHECKER = new URL('./eventChecker.ts', import.meta.url);

export async function eventThread({
  keyRing,
}: {
  readonly keyRing: KeyRing;
}): Promise<EventThread> {
  const line = new TurnLine({ places: AT_ONCE, waitingMax: WAITING_MAX, what: 'checks of events' });
  let threads: Piscina<EventTask, readonly CheckedEvent[]> | undefined;
  const check = async (task: EventTask): Promise<readonly CheckedEvent[]> => {
    threads ??= new Piscina<EventTask, readonly CheckedEvent[]>({
      concurrentTasksPerWorker: AT_ONCE,
      filename: CHECKER.href,
      idleTimeout: IDLE_MS,
      maxThreads: 1,
      minThreads: 0,
      name: 'checkEvents',
      niceIncrement: NICE_INCREMENT,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
      workerData: { keyRing },
    });
    return threads.run(task);
  };
  return {
    check: (task, by) => line.run(by, () => check(task)).catch(rethrowFromLine),
    close: async () => {
      line.refuseAll(new Error('checks of events: closed'));
      await threads?.destroy();
    },
  };
}

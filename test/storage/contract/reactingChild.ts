/**
 * A process of its own that reacts to the events of a store, writes each that it has handled to a
 * file, and dies by SIGKILL at a named point or at a named event. It ends once nothing waits.
 */
import { appendFileSync } from 'node:fs';
import { createReactions, type OutboxEvent, REACTION_LIMITS, RETRY_PLAN } from '#core/reactions';
import { HOLDER_HOST, isProcessGone } from '#core/work';
import { systemClock } from '#platform/clock';
import { TABLES } from '../../../src/app/tables.ts';
import { openStorage } from '../../../src/storage/index.ts';

/** What a child is told to do. */
export interface ReactingTask {
  readonly dataDir: string;
  readonly url?: string;
  readonly transactions?: 'require' | 'off';
  readonly file: string;
  /** At which point, and at which passage of it. */
  readonly dieAt?: { readonly point: string; readonly count: number };
  readonly deadly?: string;
  readonly poison?: string;
}

export const SUBSCRIBER = 'reacting';

const task = JSON.parse(process.argv[2] ?? '') as ReactingTask;
const { dataDir, transactions = 'off', url } = task;
const place = url === undefined ? { dataDir } : { dataDir, mongodbUrl: url, transactions };
const storage = await openStorage({ ...place, clock: systemClock, tables: TABLES });
const stop = new AbortController();
const holder = `${HOLDER_HOST}/child/${process.pid}/${systemClock.now()}`;
const passed = new Map<string, number>();
const die = (): void => void process.kill(process.pid, 'SIGKILL');

async function handle({ id, partition, payload }: OutboxEvent): Promise<void> {
  const { name } = payload as { name: string };
  if (name === task.deadly) die();
  if (name === task.poison) throw new TypeError('poison');
  appendFileSync(task.file, `${JSON.stringify({ id, name, partition })}\n`);
}

const reactions = createReactions({
  clock: systemClock,
  holder,
  isGone: (other) => isProcessGone(other, holder),
  limits: { ...REACTION_LIMITS, batchEvents: 3, pollMs: 5 },
  onFailed: () => {},
  onPoint: (point) => {
    const count = (passed.get(point) ?? 0) + 1;
    passed.set(point, count);
    if (task.dieAt?.point === point && task.dieAt.count === count) die();
  },
  onSetAside: () => {},
  outbox: storage.outbox,
  subscribers: [
    {
      from: 'kept',
      name: SUBSCRIBER,
      on: { 'sanctions.screening.completed': handle },
      plan: { ...RETRY_PLAN, pausesMs: [1], triesMax: 2 },
      // It sweeps at the start and then, so this ends the process once all is done.
      sweep: { after: [], everyMs: 20, retryMs: 20, run: endWhenDone },
    },
  ],
});

async function endWhenDone(): Promise<void> {
  const wanted = { isWanted: true, limit: 1, subscriber: SUBSCRIBER } as const;
  if ((await storage.outbox.listSetAside(wanted)).length > 0) return;
  if ((await storage.outbox.readFor(SUBSCRIBER, 1)) === undefined) stop.abort();
}

await reactions.run(stop.signal);
await storage.close();

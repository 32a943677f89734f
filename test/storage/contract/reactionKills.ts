/**
 * Workers that die of SIGKILL at each step of a reaction: events are repeated, none is lost, and
 * none is seen before an earlier one of its partition.
 */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Storage } from '../../../src/storage/index.ts';
import { append, CHAIN_A, CHAIN_B, makeBus, type StoreHarness } from './harness.ts';
import type { ReactingTask } from './reactingChild.ts';

const CHILD = fileURLToPath(new URL('./reactingChild.ts', import.meta.url));
const SUBSCRIBER = 'reacting';
const NUMBERS = ['1', '2', '3', '4'];

interface Seen {
  readonly id: string;
  readonly name: string;
  readonly partition: string;
}

export function reactionKillsContract<H extends StoreHarness>(
  technology: string,
  options: {
    readonly makeHarness: () => Promise<H>;
    readonly toTask: (harness: H) => Pick<ReactingTask, 'dataDir' | 'transactions' | 'url'>;
  },
): void {
  describe(`${technology}: killed while reacting`, () => {
    let harness: H;
    let storage: Storage;
    let folder: string;
    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), 'reactions-'));
      harness = await options.makeHarness();
      storage = await harness.open();
      for (const name of NUMBERS) {
        await append(storage, { chain: CHAIN_A, bus: [makeBus('a', `a${name}`)] });
      }
      // Together, so that a store may hand them out as a whole.
      await append(storage, {
        chain: CHAIN_B,
        bus: NUMBERS.map((name) => makeBus('b', `b${name}`)),
      });
    });
    afterEach(async () => {
      await storage.close();
      await harness.dispose();
      await rm(folder, { recursive: true });
    });

    const file = () => join(folder, 'seen');
    const seen = (): Seen[] =>
      readFileSync(file(), { encoding: 'utf8', flag: 'a+' })
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Seen);

    /** The signal that it died of; null where it came to its end. */
    function run(order: Partial<ReactingTask>): Promise<NodeJS.Signals | null> {
      const task: ReactingTask = { ...options.toTask(harness), file: file(), ...order };
      const args = ['--disable-warning=ExperimentalWarning', CHILD, JSON.stringify(task)];
      return new Promise((resolve, reject) => {
        const child = execFile(process.execPath, args, { timeout: 60_000 }, (error, _, errors) => {
          if (error === null || child.signalCode === 'SIGKILL') resolve(child.signalCode);
          else reject(new Error(`${error.message}\n${errors}`));
        });
      });
    }

    const firsts = (partition: string): string[] => [
      ...new Set(seen().flatMap((one) => (one.partition === partition ? [one.name] : []))),
    ];
    const expectWhole = (without?: string): void => {
      for (const partition of ['a', 'b']) {
        const names = NUMBERS.map((name) => `${partition}${name}`);
        expect(firsts(partition)).toEqual(names.filter((name) => name !== without));
      }
    };

    test.each([
      ['read', 1],
      ['handled', 1],
      ['handled', 5],
      ['before-mark', 1],
      ['before-mark', 2],
      ['marked', 1],
    ])('after %s, the %ith time: the next worker loses nothing', async (point, count) => {
      expect(await run({ dieAt: { count, point } })).toBe('SIGKILL');
      const before = seen();
      expect(await run({})).toBe(null);
      expectWhole();
      // What comes again is what was not marked: a batch, with a group of events at its end.
      expect(seen().length - 2 * NUMBERS.length).toBeLessThanOrEqual(Math.min(before.length, 6));
      expect(await storage.outbox.readFor(SUBSCRIBER, 9)).toBeUndefined();
    });

    test('after an event was set aside, and before it was marked', async () => {
      const poison = 'a2';
      expect(await run({ dieAt: { count: 1, point: 'set-aside' }, poison })).toBe('SIGKILL');
      expect(await run({ poison })).toBe(null);
      expectWhole(poison);
      const aside = await storage.outbox.listSetAside({ limit: 9, subscriber: SUBSCRIBER });
      expect(aside).toMatchObject([{ code: 'TypeError', event: { payload: { name: poison } } }]);
    });

    test('an event that kills its workers is set aside', async () => {
      const deadly = 'b2';
      let deaths = 0;
      while ((await run({ deadly })) === 'SIGKILL') deaths++;
      // Once unseen, and then as often as the plan allows.
      expect(deaths).toBe(3);
      expectWhole(deadly);
      const aside = await storage.outbox.listSetAside({ limit: 9, subscriber: SUBSCRIBER });
      expect(aside).toMatchObject([{ code: 'worker-lost', event: { payload: { name: deadly } } }]);
    });

    test('an event that is retried by hand kills one worker, and no other', async () => {
      const name = 'a2';
      expect(await run({ poison: name })).toBe(null);
      const [aside] = await storage.outbox.listSetAside({ limit: 9, subscriber: SUBSCRIBER });
      await storage.outbox.retrySetAside(SUBSCRIBER, aside?.event.id ?? '');
      expect(await run({ deadly: name })).toBe('SIGKILL');
      expect(await run({ deadly: name })).toBe(null);
      const after = await storage.outbox.listSetAside({ limit: 9, subscriber: SUBSCRIBER });
      expect(after).toMatchObject([{ code: 'worker-lost', tries: (aside?.tries ?? 0) + 1 }]);
      await storage.outbox.retrySetAside(SUBSCRIBER, aside?.event.id ?? '');
      expect(await run({})).toBe(null);
      expect(await storage.outbox.listSetAside({ limit: 9 })).toEqual([]);
      expect(firsts('a').toSorted()).toEqual(NUMBERS.map((number) => `a${number}`));
    });
  });
}

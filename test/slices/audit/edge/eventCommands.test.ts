/** Events set aside, as an operator finds them and has them tried again. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { OutboxEvent } from '#core/reactions';
import type { EpochMs } from '#platform/clock';
import { systemRandom } from '#platform/random';
import { runCommandLine } from '../../../../src/cli/commandLine.ts';
import type { Storage } from '../../../../src/storage/index.ts';
import { opened, surroundings } from '../../../cli/surroundings.ts';
import type { StoreHarness } from '../../../storage/contract/harness.ts';
import { makeSqliteHarness } from '../../../storage/sqlite/harness.ts';

let harness: StoreHarness;
let storage: Storage;
beforeEach(async () => {
  commits.length = 0;
  harness = await makeSqliteHarness();
  storage = await harness.open();
});
afterEach(async () => {
  await storage.close();
  await harness.dispose();
});

const commits: { readonly chainId: string; readonly events: readonly object[] }[] = [];
const installation = () => ({
  clock: harness.clock,
  commit: async (chainId: string, { events }: { readonly events: readonly object[] }) => {
    commits.push({ chainId, events });
  },
  random: systemRandom,
  storage,
});

async function run(...words: readonly string[]) {
  const said = { err: '', out: '' };
  const stream = (name: 'err' | 'out') => ({
    write: (text: string) => {
      said[name] += text;
    },
  });
  const streams = { err: stream('err'), out: stream('out') };
  const code = await runCommandLine(words, streams, surroundings({ open: opened(installation()) }));
  return { code, ...said };
}

const event: OutboxEvent = {
  createdAt: 1_000 as EpochMs,
  id: '42',
  partition: 'OFAC_SDN',
  payload: {},
  topic: 'service.sanctions.etl.completed' as never,
};

test('an event set aside is listed, and tried again when asked for', async () => {
  const at = 1_767_225_600_000 as EpochMs;
  await storage.outbox.setAside({
    at,
    code: 'store-unavailable',
    event,
    subscriber: 'one',
    tries: 5,
  });
  const listed = await run('event', 'list', '--json');
  expect(listed.code).toBe(0);
  expect(JSON.parse(listed.out).events).toEqual([
    {
      code: 'store-unavailable',
      event_id: '42',
      set_aside_at: '2026-01-01T00:00:00.000Z',
      subscriber: 'one',
      topic: 'service.sanctions.etl.completed',
      tries: 5,
    },
  ]);
  expect(
    JSON.parse((await run('event', 'list', '--subscriber', 'bus', '--json')).out).events,
  ).toEqual([]);
  expect(await storage.outbox.listSetAside({ isWanted: true, limit: 9 })).toEqual([]);
  expect((await run('event', 'retry', 'one', '42')).code).toBe(0);
  expect(await storage.outbox.listSetAside({ isWanted: true, limit: 9 })).toHaveLength(1);
});

test('a subscriber that is not registered is refused, not shown without faults', async () => {
  const refused = await run('event', 'list', '--subscriber', 'nope');
  expect([refused.code, refused.err]).toEqual([3, expect.stringContaining('nope')]);
});

test('an event that is not set aside is refused by its name', async () => {
  const refused = await run('event', 'retry', 'one', '43');
  expect(refused.code).toBe(3);
  expect(refused.err).toContain('no event 43 of one is set aside');
});

test('an event that is given up is gone, and an entry says who did it and why', async () => {
  const at = 1_767_225_600_000 as EpochMs;
  await storage.outbox.setAside({ at, code: 'TypeError', event, subscriber: 'one', tries: 5 });
  expect((await run('event', 'drop', 'one', '43')).code).toBe(3);
  expect(commits).toEqual([]);
  expect((await run('event', 'drop', 'one', '42', '--reason', 'ticket-17')).code).toBe(0);
  expect(await storage.outbox.listSetAside({ limit: 9 })).toEqual([]);
  const members = {
    action: 'service.event.dropped',
    actor: 'cli:tester',
    code: 'TypeError',
    severity: 'NOTICE',
    subscriber: 'one',
    target: 'event:42',
    topic: event.topic,
    tries: 5,
  };
  expect(commits).toMatchObject([
    { chainId: 'platform', events: [{ members, open: { reason: 'ticket-17' } }] },
  ]);
});

test('a subscriber that no release has is removed, and one that works is not', async () => {
  const { outbox } = storage;
  const topics = ['sanctions.screening.completed'] as const;
  await outbox.subscribe([{ from: 'kept', name: 'former', topics }]);
  expect((await run('event', 'unsubscribe', 'another')).code).toBe(3);
  expect((await run('event', 'unsubscribe', 'bus')).code).toBe(4);
  const free = await outbox.findLease('former');
  const taken = free && (await outbox.takeLease(free, 'worker-1'));
  const refused = await run('event', 'unsubscribe', 'former');
  expect(refused).toMatchObject({ code: 4, err: expect.stringContaining('worker-1') });
  expect(commits).toEqual([]);
  if (taken !== undefined) await outbox.releaseLease(taken);
  expect((await run('event', 'unsubscribe', 'former')).code).toBe(0);
  expect((await outbox.figures()).map(({ subscriber }) => subscriber)).toEqual(['bus']);
  expect(commits).toMatchObject([
    {
      events: [{ members: { action: 'service.subscriber.removed', target: 'subscriber:former' } }],
    },
  ]);
});

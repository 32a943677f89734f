/** Events set aside, as an operator finds them and has them tried again. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { OutboxEvent } from '#core/reactions';
import type { EpochMs } from '#platform/clock';
import { runCommandLine } from '../../../../src/cli/commandLine.ts';
import type { Storage } from '../../../../src/storage/index.ts';
import { opened, surroundings } from '../../../cli/surroundings.ts';
import type { StoreHarness } from '../../../storage/contract/harness.ts';
import { makeSqliteHarness } from '../../../storage/sqlite/harness.ts';

let harness: StoreHarness;
let storage: Storage;
beforeEach(async () => {
  harness = await makeSqliteHarness();
  storage = await harness.open();
});
afterEach(async () => {
  await storage.close();
  await harness.dispose();
});

async function run(...words: readonly string[]) {
  const said = { err: '', out: '' };
  const stream = (name: 'err' | 'out') => ({
    write: (text: string) => {
      said[name] += text;
    },
  });
  const streams = { err: stream('err'), out: stream('out') };
  const code = await runCommandLine(words, streams, surroundings({ open: opened({ storage }) }));
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
    JSON.parse((await run('event', 'list', '--subscriber', 'two', '--json')).out).events,
  ).toEqual([]);
  expect(await storage.outbox.listSetAside({ isWanted: true, limit: 9 })).toEqual([]);
  expect((await run('event', 'retry', 'one', '42')).code).toBe(0);
  expect(await storage.outbox.listSetAside({ isWanted: true, limit: 9 })).toHaveLength(1);
});

test('an event that is not set aside is refused by its name', async () => {
  const refused = await run('event', 'retry', 'one', '43');
  expect(refused.code).toBe(3);
  expect(refused.err).toContain('no event 43 of one is set aside');
});

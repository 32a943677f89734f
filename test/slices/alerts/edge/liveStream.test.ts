/** What waits for the reader of a stream: filtered, bounded, and never silent for long. */
import { expect, test } from 'vitest';
import { type Alert, AlertFeeds, type Frame, STREAM_UNREAD_BYTES_MAX } from '#slices/alerts';
import { HEARTBEAT_MS, LiveStream } from '../../../../src/slices/alerts/edge/liveStream.ts';
import { OTHER_TENANT, TENANT } from '../desk.ts';

const frame = (seq: number, given: Partial<Alert> = {}, bytes = 10): Frame => ({
  alert: { severity: 'Critical', ...given } as Alert,
  bytes,
  seq,
  text: `${seq};`,
});

function opened(given: Partial<ConstructorParameters<typeof LiveStream>[0]> = {}) {
  const stuck: true[] = [];
  const stream = new LiveStream({
    endsAtMs: 300_000,
    filter: {},
    nowMs: 0,
    onStuck: () => void stuck.push(true),
    seq: 4,
    ...given,
  });
  return { stream, stuck };
}

test('sends what the filter lets through, once, whatever it had read before', async () => {
  const { stream } = opened({ filter: { severity: 'Critical' } });
  stream.push({ frames: [frame(4), frame(5), frame(6, { severity: 'Low' })], seq: 6 });
  expect(await stream.next()).toBe('5;');
  const next = stream.next();
  stream.push({ frames: [frame(7)], seq: 7 });
  expect(await next).toBe('7;');
  stream.end();
  expect(await stream.next()).toBeUndefined();
});

test('a filtered stream says where it stands, however busy other tenants are', async () => {
  let nowMs = 0;
  let stamp = 0;
  const ends = new Map([[OTHER_TENANT, 0]]);
  const feeds = new AlertFeeds({
    clock: { monotonicMs: () => nowMs },
    ends: async () => ends,
    onFailed: (error) => {
      throw error;
    },
    read: async (_, after) => ({ frames: [frame(after + 1)], seq: after + 1 }),
    stamp: async () => stamp,
  });
  const { stream } = opened({ filter: { severity: 'Low' } });
  feeds.join(TENANT, 4, stream);
  ends.set(TENANT, 6);
  const told = stream.next();
  for (; nowMs <= HEARTBEAT_MS; nowMs += 250) {
    stamp += 1;
    ends.set(OTHER_TENANT, stamp);
    await feeds.look();
  }
  expect(await told).toBe('id: 6\nevent: aml.cursor\n\n');
});

test('a reader that leaves too much unread is cut off; one that takes it is not', async () => {
  const half = STREAM_UNREAD_BYTES_MAX / 2;
  const { stream, stuck } = opened();
  stream.push({ frames: [frame(5, {}, half)], seq: 5 });
  expect(await stream.next()).toBe('5;');
  stream.push({ frames: [frame(6, {}, half)], seq: 6 });
  expect(stuck).toEqual([]);
  // More is asked for once the reader has the former: it counts no longer.
  expect(await stream.next()).toBe('6;');
  stream.push({ frames: [frame(7, {}, half), frame(8, {}, 1)], seq: 8 });
  expect(stuck).toEqual([true]);
  expect(await stream.next()).toBeUndefined();
});

test('it ends with its time, and a look that fails takes nothing from it', async () => {
  const failures: unknown[] = [];
  let isDown = true;
  const feeds = new AlertFeeds({
    clock: { monotonicMs: () => 0 },
    ends: async () => new Map([[TENANT, 5]]),
    onFailed: (error) => void failures.push(error),
    read: async () => ({ frames: [frame(5)], seq: 5 }),
    stamp: async () => {
      if (isDown) throw new Error('the store is down');
      return 1;
    },
  });
  const { stream } = opened({ endsAtMs: 400_000 });
  feeds.join(TENANT, 4, stream);
  await feeds.look();
  expect(failures).toHaveLength(1);
  isDown = false;
  await feeds.look();
  expect(await stream.next()).toBe('5;');
  stream.tick(400_000);
  expect(await stream.next()).toBeUndefined();
});

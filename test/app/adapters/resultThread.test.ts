/** Who waits for whom before the thread that reads results of batches. */
import { tmpdir } from 'node:os';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ChunkTask, ResultThread } from '#slices/batches';
import { resultThread } from '../../../src/app/adapters/resultThread.ts';
import { HELD } from './heldResults.ts';

const HOSTILE = { turn: 'hostile' };
const QUIET = { turn: 'quiet' };
const taskOf = (batchId: string, chunkNo = 0) => ({ chunk: { batchId, chunkNo } }) as ChunkTask;

let thread: ResultThread;
beforeEach(async () => {
  const reader = new URL('./heldResults.ts', import.meta.url);
  thread = await resultThread({ dataDir: tmpdir(), keyRing: { keys: [] } }, reader);
});
afterEach(() => thread.close());

test('a search through many chunks gives each tenant a turn between two of them', async () => {
  const order: string[] = [];
  const ask = async (by: typeof QUIET, chunkNo: number) => {
    await thread.read(taskOf('b', chunkNo), by);
    order.push(`${by.turn} ${chunkNo}`);
  };
  const search = Array.from({ length: 40 }, (_, chunkNo) => ask(HOSTILE, chunkNo));
  await Promise.all([...search, ask(QUIET, 0)]);
  // Two are in the thread's hands when the quiet one asks, and one more has its turn before.
  expect(order.indexOf('quiet 0')).toBeLessThan(5);
});

test("a burst of one tenant's refuses its own alone; who waits too long is told", async () => {
  for (let at = 0; at < 2; at++) thread.read(taskOf(HELD), HOSTILE).catch(() => undefined);
  const refused: unknown[] = [];
  for (let at = 0; at < 400; at++) {
    thread.read(taskOf('b'), HOSTILE).catch(({ code }) => refused.push(code));
  }
  await expect.poll(() => refused.length).toBeGreaterThan(200);
  expect(new Set(refused)).toEqual(new Set(['engine-queue-full']));
  const late = thread.read(taskOf('b'), { ...QUIET, deadlineMs: 1 });
  await expect(late).rejects.toMatchObject({ code: 'deadline-exceeded' });
  const client = new AbortController();
  const left = thread.read(taskOf('b'), { ...QUIET, signal: client.signal });
  client.abort();
  await expect(left).rejects.toMatchObject({ code: 'body-aborted' });
});

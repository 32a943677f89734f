/** When a worker looks: every so often, when it is woken up, and one look at a time. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startWorkLoop } from '#core/work';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const POLL_MS = 500;

function loop(look: () => Promise<void>, more: { freeSilent?: () => Promise<void> } = {}) {
  const failures: unknown[] = [];
  const steps: string[] = [];
  const runner = {
    close: async () => void steps.push('closed'),
    freeSilent: more.freeSilent ?? (async () => void steps.push('freed')),
  };
  const started = startWorkLoop({
    look: async () => {
      steps.push('look');
      await look();
    },
    onFailure: (error) => failures.push(error),
    pollMs: POLL_MS,
    runners: [runner],
  });
  return { ...started, failures, steps };
}

test('rows that fell silent are freed before each look', async () => {
  const { close, steps } = loop(async () => {});
  await vi.advanceTimersByTimeAsync(2 * POLL_MS);
  await close();
  expect(steps).toEqual(['freed', 'look', 'freed', 'look', 'closed']);
  await vi.advanceTimersByTimeAsync(10 * POLL_MS);
  expect(steps).toHaveLength(5);
});

test('a wake-up during a look asks for another one, and a poll does not', async () => {
  const slow = Promise.withResolvers<void>();
  let looks = 0;
  const { close, wake } = loop(async () => {
    looks++;
    await slow.promise;
  });
  wake();
  await vi.advanceTimersByTimeAsync(3 * POLL_MS);
  expect(looks).toBe(1);
  wake();
  wake();
  slow.resolve();
  await vi.advanceTimersByTimeAsync(0);
  expect(looks).toBe(2);
  await close();
});

test('a look that fails is told, and the next one comes by itself', async () => {
  let isDown = true;
  let freed = 0;
  const freeSilent = async (): Promise<void> => {
    if (isDown) throw new Error('the store is away');
    freed++;
  };
  const { close, failures, steps } = loop(async () => {}, { freeSilent });
  await vi.advanceTimersByTimeAsync(POLL_MS);
  expect(failures).toEqual([new Error('the store is away')]);
  isDown = false;
  await vi.advanceTimersByTimeAsync(POLL_MS);
  await close();
  expect([freed, steps]).toEqual([1, ['look', 'closed']]);
});

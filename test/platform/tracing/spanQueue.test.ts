/** The queue in front of a collector that takes, refuses, fails or hangs. Clocks are the test's. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createMetrics } from '#platform/metrics';
import { type SendOutcome, SpanQueue } from '../../../src/platform/tracing/spanQueue.ts';
import type { EndedSpan } from '../../../src/platform/tracing/spans.ts';

const LIMITS = { batchMax: 10, delayMs: 5_000, queueMax: 25 };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function queueOf(outcomes: SendOutcome[] = []) {
  const sent: number[] = [];
  const metrics = createMetrics({ processFigures: false });
  const queue = new SpanQueue({
    ...LIMITS,
    metrics,
    send: async (spans) => {
      sent.push(spans.length);
      return outcomes.shift() ?? 'taken';
    },
  });
  return {
    figures: async () => {
      const { text } = await metrics.expose();
      const of = (name: string) => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
      return {
        exported: of('trace_spans_exported_total'),
        noRoom: of('trace_spans_dropped_total{outcome="no-room"}'),
        refused: of('trace_spans_dropped_total{outcome="refused"}'),
        waiting: of('trace_spans_waiting'),
      };
    },
    queue,
    sent,
  };
}

const spans = (count: number): EndedSpan[] =>
  Array.from({ length: count }, (_, at) => ({
    attributes: [],
    endUs: 1,
    hasFailed: false,
    kind: 'internal',
    links: [],
    name: `s${at}`,
    parentId: undefined,
    spanId: '1',
    startUs: 0,
    traceId: '1',
  }));

test('a few wait for the delay, a full batch for nothing', async () => {
  const { figures, queue, sent } = queueOf();
  queue.add(spans(3));
  await vi.advanceTimersByTimeAsync(4_999);
  expect(sent).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(sent).toEqual([3]);
  queue.add(spans(12));
  await vi.advanceTimersByTimeAsync(0);
  expect(sent).toEqual([3, 10]);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(sent).toEqual([3, 10, 2]);
  expect(await figures()).toEqual({ exported: 15, noRoom: 0, refused: 0, waiting: 0 });
});

test('what has no room is dropped and counted', async () => {
  const { figures, queue } = queueOf();
  queue.add(spans(20));
  queue.add(spans(20));
  expect(await figures()).toMatchObject({ noRoom: 15, waiting: 25 });
});

test('a collector that is away is asked more and more rarely, with the same spans', async () => {
  const { figures, queue, sent } = queueOf(['again', 'again', 'again']);
  queue.add(spans(2));
  await vi.advanceTimersByTimeAsync(5_000);
  expect(sent).toEqual([2]);
  queue.add(spans(20));
  await vi.advanceTimersByTimeAsync(999);
  expect(sent).toEqual([2]);
  await vi.advanceTimersByTimeAsync(1);
  expect(sent).toEqual([2, 10]);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(sent).toEqual([2, 10, 10]);
  await vi.advanceTimersByTimeAsync(4_000);
  expect(sent).toEqual([2, 10, 10, 10, 10]);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await figures()).toEqual({ exported: 22, noRoom: 0, refused: 0, waiting: 0 });
});

test('what is refused for good is dropped and counted', async () => {
  const { figures, queue } = queueOf(['refused']);
  queue.add(spans(4));
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await figures()).toEqual({ exported: 0, noRoom: 0, refused: 4, waiting: 0 });
});

test('an end sends what waits, once', async () => {
  const { queue, sent } = queueOf(['taken', 'again']);
  queue.add(spans(25));
  await queue.close();
  expect(sent).toEqual([10, 10]);
  queue.add(spans(1));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(sent).toEqual([10, 10]);
});

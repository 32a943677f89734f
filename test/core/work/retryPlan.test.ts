/** Retry plans as data: when again, how often, and what counts. */
import { expect, test } from 'vitest';
import { afterFault, dangerOf, pauseBefore, type RetryPlan } from '#core/work';

const plan: RetryPlan = {
  kindOf: (code) => (code === 'full' ? 'transient' : code === 'broken' ? 'final' : 'counted'),
  pausesMs: [0, 5_000],
  suspectTries: 3,
  triesMax: 12,
};

test('what is transient waits however often, and the try does not count', () => {
  for (const tries of [1, 12, 1_000]) {
    expect(afterFault(plan, { code: 'full', tries })).toEqual({
      isOver: false,
      isTried: false,
      pauseMs: 5_000,
    });
  }
});

test('what is counted ends with the last try, and what is final at once', () => {
  const again = { isOver: false, isTried: true, pauseMs: 5_000 };
  expect(afterFault(plan, { code: 'internal', tries: 1 })).toEqual(again);
  expect(afterFault(plan, { code: 'internal', tries: 11 })).toEqual(again);
  expect(afterFault(plan, { code: 'internal', tries: 12 })).toEqual({ isOver: true });
  expect(afterFault(plan, { code: 'broken', tries: 1 })).toEqual({ isOver: true });
});

test('eight attempts over seven hours are a plan like any other', () => {
  const deliveries: RetryPlan = {
    kindOf: () => 'counted',
    pausesMs: [0, 1, 5, 30, 120, 600, 3_600, 21_600].map((seconds) => seconds * 1_000),
    triesMax: 8,
  };
  const attempts: number[] = [];
  let at = pauseBefore(deliveries, 1);
  for (let tries = 1; ; tries++) {
    attempts.push(at / 1_000);
    const after = afterFault(deliveries, { code: '500', tries });
    if (after.isOver) break;
    at += after.pauseMs;
  }
  expect(attempts).toEqual([0, 1, 6, 36, 156, 756, 4_356, 25_956]);
});

test('work that kills its worker is suspected first, and given up then', () => {
  expect([1, 3, 4, 12, 13].map((tries) => dangerOf(plan, tries))).toEqual([
    'none',
    'none',
    'suspect',
    'suspect',
    'spent',
  ]);
  const { suspectTries: _, ...trusting } = plan;
  expect([4, 13].map((tries) => dangerOf(trusting, tries))).toEqual(['none', 'spent']);
});

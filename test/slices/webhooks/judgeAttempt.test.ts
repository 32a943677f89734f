/** Answers × states × Retry-After (interface.md 3.4, W8, W9), as a table. */
import { describe, expect, test } from 'vitest';
import type { EpochMs } from '#platform/clock';
import {
  type AttemptOutcome,
  judgeAttempt,
  RATE_LIMIT_WAITS_MAX,
  readRetryAfter,
} from '#slices/webhooks';

const NOW = Date.UTC(2026, 10, 23) as EpochMs;
const S = 1_000;
const HOUR = 3_600 * S;

/** `made`: attempts that counted before; `sinceS`: since the first of them. */
const judge = (
  outcome: AttemptOutcome,
  { made = 0, sinceS = 0, waits = 0, isTest = false } = {},
) => {
  const {
    attemptReason: _,
    isGone: __,
    isWait: ___,
    ...judged
  } = judgeAttempt(
    {
      deliveryAttempt: made,
      firstAttemptAt: (NOW - sinceS * S) as EpochMs,
      rateLimitWaits: waits,
      ...(isTest && { isTest }),
    },
    outcome,
    NOW,
  );
  const { nextAttemptAt, ...state } = judged;
  return { ...state, ...(nextAttemptAt !== undefined && { inS: (nextAttemptAt - NOW) / S }) };
};

const counted = (made: number) => ({ deliveryAttempt: made + 1, rateLimitWaits: 0 });

describe.each([0, 1, 7])('after %i attempts', (made) => {
  test.each([200, 201, 202, 204, 226, 299])('%i is delivered', (code) => {
    expect(judge({ code }, { made })).toEqual({ ...counted(made), status: 'DELIVERED' });
  });

  test.each([400, 401, 403, 404, 405, 409, 410, 413, 415, 422, 426, 451, 499])(
    '%i has failed at once',
    (code) => {
      const state = { ...counted(made), failureReason: 'http-4xx', status: 'FAILED' };
      expect(judge({ code }, { made })).toEqual(state);
    },
  );

  test.each(['ssrf-blocked', 'mtls'] as const)('%s has failed at once', (fault) => {
    const state = { ...counted(made), failureReason: fault, status: 'FAILED' };
    expect(judge({ fault }, { made })).toEqual(state);
  });

  test.each([
    [{ code: 408 }, 'timeout'],
    [{ code: 500 }, 'http-5xx'],
    [{ code: 502 }, 'http-5xx'],
    [{ code: 503 }, 'http-5xx'],
    [{ code: 504 }, 'http-5xx'],
    [{ code: 599 }, 'http-5xx'],
    [{ code: 429 }, 'rate-limited'],
    [{ code: 300 }, 'redirect'],
    [{ code: 301 }, 'redirect'],
    [{ code: 302 }, 'redirect'],
    [{ code: 303 }, 'redirect'],
    [{ code: 304 }, 'redirect'],
    [{ code: 307 }, 'redirect'],
    [{ code: 101 }, 'response-malformed'],
    [{ code: 600 }, 'response-malformed'],
    [{ fault: 'timeout' }, 'timeout'],
    [{ fault: 'dns' }, 'dns'],
    [{ fault: 'connect' }, 'connect'],
    [{ fault: 'tls' }, 'tls'],
    [{ fault: 'redirect' }, 'redirect'],
    [{ fault: 'response-malformed' }, 'response-malformed'],
  ] as const)('%j is tried again, unless it was the eighth', (outcome, failureReason) => {
    const inS = { 0: 1, 1: 5 }[made];
    const state =
      inS === undefined
        ? { failureReason: 'exhausted', status: 'FAILED' }
        : { failureReason, inS, status: 'RETRYING' };
    expect(judge(outcome, { made })).toEqual({ ...counted(made), ...state });
  });

  test.each([
    [0, 1, 'RETRYING'],
    [1, 1, 'RETRYING'],
    [60, 60, 'RETRYING'],
    [3_600, 3_600, 'RETRYING'],
    [3_601, 3_601, 'RATE_LIMITED'],
    [86_399, 86_399, 'RATE_LIMITED'],
  ] as const)('429 after %i s waits %i s, %s, and does not count', (after, inS, status) => {
    expect(judge({ code: 429, retryAfterMs: after * S }, { made })).toEqual({
      deliveryAttempt: made,
      failureReason: 'rate-limited',
      inS,
      rateLimitWaits: 1,
      status,
    });
  });

  test('429 that asks for a day or more has failed', () => {
    const state = { failureReason: 'rate-limited', status: 'FAILED' };
    expect(judge({ code: 429, retryAfterMs: 24 * HOUR }, { made })).toMatchObject(state);
    const asked = { code: 429, retryAfterMs: 2 * HOUR } as const;
    expect(judge(asked, { made, sinceS: 22 * 3_600 })).toMatchObject(state);
    expect(judge(asked, { made, sinceS: 22 * 3_600 - 1 })).toMatchObject({
      status: 'RATE_LIMITED',
    });
  });
});

test('waits of 429 end after two hundred', () => {
  const asked = { code: 429, retryAfterMs: S } as const;
  const last = judge(asked, { waits: RATE_LIMIT_WAITS_MAX - 1 });
  expect(last).toMatchObject({ rateLimitWaits: RATE_LIMIT_WAITS_MAX, status: 'RETRYING' });
  const over = judge(asked, { waits: RATE_LIMIT_WAITS_MAX });
  expect(over).toMatchObject({ failureReason: 'rate-limited', status: 'FAILED' });
});

test('503 may ask for more than the plan, up to an hour', () => {
  const after = (seconds: number) => judge({ code: 503, retryAfterMs: seconds * S }, { made: 1 });
  expect(after(1)).toMatchObject({ deliveryAttempt: 2, inS: 5 });
  expect(after(90)).toMatchObject({ deliveryAttempt: 2, inS: 90 });
  expect(after(90_000)).toMatchObject({ deliveryAttempt: 2, inS: 3_600 });
});

test('nothing is tried a day after the first attempt', () => {
  const late = judge({ code: 500 }, { made: 6, sinceS: 18 * 3_600 });
  expect(late).toMatchObject({ failureReason: 'expired-24h', status: 'FAILED' });
  const inTime = judge({ code: 500 }, { made: 6, sinceS: 18 * 3_600 - 1 });
  expect(inTime).toMatchObject({ inS: 21_600, status: 'RETRYING' });
});

test('a test is one attempt', () => {
  for (const outcome of [
    { code: 500 },
    { code: 429, retryAfterMs: S },
    { fault: 'dns' } as const,
  ]) {
    expect(judge(outcome, { isTest: true })).toMatchObject({
      deliveryAttempt: 1,
      status: 'FAILED',
    });
  }
});

test('410 alone says that an endpoint is gone', () => {
  const isGone = (code: number) =>
    judgeAttempt({ deliveryAttempt: 0, rateLimitWaits: 0 }, { code }, NOW).isGone;
  expect([404, 410, 500].map(isGone)).toEqual([false, true, false]);
});

test.each([
  ['120', 120 * S],
  [' 0 ', 0],
  ['Mon, 23 Nov 2026 00:01:00 GMT', 60 * S],
  ['Sun, 22 Nov 2026 00:01:00 GMT', 0],
  [undefined, undefined],
  ['', undefined],
  ['-1', undefined],
  ['1.5', undefined],
  ['soon', undefined],
  ['2026', 2_026 * S],
  ['2026-11-23', undefined],
  ['99999999999', undefined],
  ['9999999999', 10 ** 9 * S],
])('Retry-After %j is %s', (header, expected) => {
  expect(readRetryAfter(header, NOW)).toBe(expected);
});

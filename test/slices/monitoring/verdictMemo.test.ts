/** Verdicts that are remembered: found again, bounded, and never another party's. */
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { VerdictMemo } from '#slices/monitoring';

const keyOf = (n: number) => createHash('sha256').update(String(n)).digest();

describe('the memo of verdicts', () => {
  test('finds each verdict under its own key, whatever its size', () => {
    const memo = new VerdictMemo();
    const count = 50_000;
    for (let n = 0; n < count; n++) {
      const isMatch = n % 1_000 === 0;
      memo.add(keyOf(n), {
        decision: isMatch ? 'MATCH_PEP' : 'CLEAR',
        since: n + 1,
        ...(isMatch && { screeningId: `s-${n}` }),
      });
    }
    expect(memo.size).toBe(count);
    for (let n = 0; n < count; n += 7) {
      const isMatch = n % 1_000 === 0;
      expect(memo.find(keyOf(n))).toEqual({
        decision: isMatch ? 'MATCH_PEP' : 'CLEAR',
        since: n + 1,
        ...(isMatch && { screeningId: `s-${n}` }),
      });
    }
    expect(memo.find(keyOf(count))).toBeUndefined();
  });

  test('forgets what nobody has asked for, and keeps what somebody has', () => {
    const memo = new VerdictMemo(100);
    const clear = (since: number) => ({ decision: 'CLEAR', since }) as const;
    for (let n = 0; n < 1_000; n++) {
      memo.add(keyOf(n), clear(n + 1));
      memo.find(keyOf(0));
    }
    expect(memo.size).toBeLessThanOrEqual(200);
    expect(memo.find(keyOf(0))).toEqual(clear(1));
    expect(memo.find(keyOf(999))).toEqual(clear(1_000));
    expect(memo.find(keyOf(500))).toBeUndefined();
  });
});

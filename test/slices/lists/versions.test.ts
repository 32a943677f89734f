/** Labels of versions. */
import { describe, expect, test } from 'vitest';
import { nextLabel } from '#slices/lists';

describe('labels', () => {
  test.each([
    [[], 'v2024-07-02.a'],
    [['v2024-07-01.c'], 'v2024-07-02.a'],
    [['v2024-07-02.a'], 'v2024-07-02.b'],
    [['v2024-07-02.a', 'v2024-07-02.c'], 'v2024-07-02.d'],
    [['v2024-07-02.z'], 'v2024-07-02.aa'],
    [['v2024-07-02.az', 'v2024-07-02.b'], 'v2024-07-02.ba'],
    [['v2024-07-02.zz'], 'v2024-07-02.aaa'],
  ])('after %j comes %s', (published, expected) => {
    expect(nextLabel('2024-07-02', published)).toBe(expected);
  });
});

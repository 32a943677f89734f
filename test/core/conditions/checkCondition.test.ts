/** What is no condition is refused, each violation by its place. */
import { describe, expect, test } from 'vitest';
import { checkCondition, fieldsOf, isDay } from '#core/conditions';
import { KNOWN } from './conditionCases.ts';

const placesOf = (document: unknown): string[] =>
  checkCondition(document, { known: KNOWN, pointer: '/when' }).map(
    ({ code, pointer }) => `${pointer} ${code}`,
  );
const nested = (depth: number): unknown =>
  depth === 0 ? { field: 'age', op: 'present' } : { not: nested(depth - 1) };
const leaves = (count: number): unknown => ({
  all: [{ any: Array(count - 1).fill({ field: 'age', op: 'present' }) }, nested(0)],
});

describe('checkCondition', () => {
  test.each<[unknown, string[]]>([
    [undefined, ['/when type']],
    [[], ['/when type']],
    [{}, ['/when type']],
    [{ all: [], any: [] }, ['/when type']],
    [{ all: [] }, ['/when/all type']],
    [{ not: [] }, ['/when/not type']],
    [{ field: 'age', op: 'like', value: 'x' }, ['/when/op unknown']],
    [{ field: 'later', op: 'present' }, ['/when/field unknown']],
    [{ field: '__proto__', op: 'present' }, ['/when/field unknown']],
    [{ field: 'age', op: 'eq' }, ['/when/value missing']],
    [{ field: 'age', op: 'eq', value: '18' }, ['/when/value type']],
    [{ field: 'age', op: 'eq', value: Number.NaN }, ['/when/value type']],
    [{ field: 'born', op: 'lt', value: '2001-02-29' }, ['/when/value type']],
    [{ field: 'name', op: 'lt', value: 'b' }, ['/when/op type']],
    [{ field: 'owner', op: 'present', value: true }, ['/when/value unknown-member']],
    [{ field: 'status', op: 'in', value: ['retired', 'dead'] }, ['/when/value/1 unknown']],
    [{ field: 'age', op: 'present', why: '' }, ['/when/why unknown-member']],
    [
      {
        any: [
          { field: 'a', op: 'present' },
          { field: 'owner', op: 'eq', value: 1 },
        ],
      },
      ['/when/any/0/field unknown', '/when/any/1/value type'],
    ],
    [nested(4), []],
    [nested(5), ['/when/not/not/not/not/not range']],
    [leaves(32), []],
    [leaves(33), ['/when range']],
  ])('%j', (document, expected) => {
    expect(placesOf(document)).toEqual(expected);
  });

  test('fields are named once, in their order', () => {
    const one = { field: 'b', op: 'present' } as const;
    expect(fieldsOf({ all: [one, { not: { field: 'a', op: 'absent' } }, one] })).toEqual([
      'b',
      'a',
    ]);
  });

  test.each([
    ['2024-02-29', true],
    ['2023-02-29', false],
    ['0000-01-01', true],
    ['2024-2-9', false],
    ['2024-13-01', false],
    [20240229, false],
  ])('%s is a day: %s', (day, expected) => {
    expect(isDay(day)).toBe(expected);
  });
});

/** dobScore by decisions 2.4: tables of the query's date and the list's. */
import { describe, expect, test } from 'vitest';
import {
  parseDateSpan,
  parseMonthRange,
  parsePartialDate,
  scoreDates,
  scoreMonthRange,
} from '../../src/engine/dateDistance.ts';

function score(query: string, listed: string): number {
  const span = parseDateSpan(listed);
  return scoreDates(parsePartialDate(query) ?? 0, span?.from ?? 0, span?.to ?? 0);
}

describe('dobScore', () => {
  test.for([
    ['1937-04-28', '1937-04-28', 1],
    ['1937-04-28', '1937-04-29', 0],
    ['1937-04-28', '1938-04-28', 0],
    ['1937-04-05', '1937-05-04', 0.5],
    ['1937-04-28', '1937', 0.5],
    ['1937', '1937-04-28', 0.5],
    ['1937', '1937', 0.5],
    ['1937-04', '1937-04-28', 0.5],
    ['1937-04-28', '1937-04', 0.5],
    ['1937', '1938', 0],
    ['1937-04-28', '1936/1938', 0.5],
    ['1937-04-28', '1930-01-01/1937-04-28', 0.5],
    ['1937-04-28', '1938/1940', 0],
  ] as const)('%s against %s scores %d', ([query, listed, expected]) => {
    expect(score(query, listed)).toBe(expected);
  });

  test.for([
    ['1937-01:1937-06', '1937-04-28', 0.5],
    ['1937-01:1937-04', '1937-04-30', 0.5],
    ['1937-05:1937-06', '1937-04-28', 0],
    ['1936-01:1938-06', '1937', 0.5],
  ] as const)('the range %s against %s scores %d', ([range, listed, expected]) => {
    const months = parseMonthRange(range);
    const span = parseDateSpan(listed);
    expect(months && span && scoreMonthRange(months, span.from, span.to)).toBe(expected);
  });

  test.for(['', '37', '1937-13', '1937-00', '1937-04-32', '1937/04', 'abcd', '1937-04-28T00'])(
    '%s is no date',
    (text) => {
      expect(parsePartialDate(text)).toBeUndefined();
    },
  );
});

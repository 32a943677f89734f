/** Conditional requests: which tags are meant by a header. */
import { describe, expect, test } from 'vitest';
import { ifMatch, namesEtag } from '../../src/api/etags.ts';

describe('If-None-Match', () => {
  test.each([
    ['"a"', true],
    ['W/"a"', true],
    ['"b", "a"', true],
    ['"b","a"', true],
    ['*', true],
    ['"b"', false],
    ['"a,b"', false],
    ['a', false],
    ['', false],
    [undefined, false],
  ])('%s names "a": %s', (header, expected) => {
    expect(namesEtag(header, '"a"')).toBe(expected);
  });
});

describe('If-Match', () => {
  test.each([
    ['"a"', true],
    ['"b", "a"', true],
    ['*', true],
    ['W/"a"', false],
    ['"b"', false],
  ])('%s matches "a": %s', (header, expected) => {
    expect(ifMatch(header)?.('"a"')).toBe(expected);
  });

  test('without it nothing is meant; what is no tag is refused', () => {
    expect(ifMatch(undefined)).toBeUndefined();
    for (const wrong of ['a', '', "'a'", 'W/a']) expect(() => ifMatch(wrong)).toThrow('entity tag');
  });
});

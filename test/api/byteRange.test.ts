/** Which bytes a Range means; what is not understood means all of them. */
import { expect, test } from 'vitest';
import { rangeOf } from '../../src/api/byteRange.ts';

const SIZE = 1_000;
const HUGE = '9'.repeat(20);

test.each([
  ['bytes=0-', { from: 0, to: 999 }],
  ['bytes=999-', { from: 999, to: 999 }],
  ['bytes=10-19', { from: 10, to: 19 }],
  ['bytes=-500', { from: 500, to: 999 }],
  [`bytes=10-${HUGE}`, { from: 10, to: 999 }],
  [`bytes=-${HUGE}`, { from: 0, to: 999 }],
  [`bytes=-${'9'.repeat(400)}`, { from: 0, to: 999 }],
])('%s is a part', (header, part) => {
  expect(rangeOf(header, SIZE)).toEqual(part);
});

test.each(['bytes=1000-', 'bytes=-0', `bytes=${HUGE}-`, `bytes=${HUGE}-${HUGE}`])(
  '%s is past the end',
  (header) => {
    expect(() => rangeOf(header, SIZE)).toThrow(
      expect.objectContaining({ code: 'range-unsatisfiable' }),
    );
  },
);

test.each([undefined, '', 'bytes=-', 'bytes=9-1', 'bytes=0-1,5-6', 'lines=0-', 'bytes=a-'])(
  '%s means all of it',
  (header) => {
    expect(rangeOf(header, SIZE)).toBeUndefined();
  },
);

/** Where a text stops being UTF-8. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { linesBefore, wrongByte } from '../../src/platform/wrongByte.ts';

describe('wrong bytes', () => {
  test('text has none', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(wrongByte(Buffer.from(text.toWellFormed()))).toBe(-1);
      }),
    );
  });

  test.each([
    ['a letter of Latin-1', [0xe9, 0x20, 0x20]],
    ['a byte that continues nothing', [0x80]],
    ['an overlong form', [0xc0, 0xaf]],
    ['half of a surrogate pair', [0xed, 0xa0, 0x80]],
    ['beyond the last character', [0xf4, 0x90, 0x80, 0x80]],
    ['a character that was cut', [0xf0, 0x9f, 0x98]],
  ])('%s is found behind any text', (_, bytes) => {
    const before = Buffer.from('a\nté محمد 😀\n');
    const text = Buffer.concat([before, Buffer.from(bytes)]);
    expect(wrongByte(text)).toBe(before.length);
    expect(linesBefore(text, wrongByte(text))).toBe(2);
  });
});

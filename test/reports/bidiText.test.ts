/** Text of mixed directions in the order in which it stands on paper. */
import { expect, test } from 'vitest';
import { linesOf } from '../../src/reports/bidiText.ts';

const wide = () => 0;
const visual = (text: string): string[] => linesOf(text, 1, wide).flatMap(({ pieces }) => pieces);

test('text from left to right stays as it is', () => {
  expect(visual('Bank of Tunis (2026)')).toEqual(['Bank of Tunis (2026)']);
});

test('words from right to left stand the other way round, each whole', () => {
  expect(visual('محمد بن علي')).toEqual(['علي', ' ', 'بن', ' ', 'محمد']);
});

test('marks, joiners and stretched letters stay with their word', () => {
  for (const word of ['مُحَمَّد', 'می\u200cخواهم', 'محـــمد', 'שָׁלוֹם']) {
    expect(visual(word)).toEqual([word]);
  }
});

test('brackets are mirrored, and stand around what they stood around', () => {
  expect(visual('بنك (تونس)')).toEqual(['(', 'تونس', ')', ' ', 'بنك']);
});

test('digits and Latin words inside keep their own direction', () => {
  expect(visual('بنك SARL 2026')).toEqual(['SARL 2026', ' ', 'بنك']);
  expect(visual('Batch بنك تونس 12')).toEqual(['Batch ', '12', ' ', 'تونس', ' ', 'بنك']);
});

test('the first strong character gives the direction', () => {
  expect(linesOf('12 محمد', 1, wide)[0]?.isRightToLeft).toBe(true);
  expect(linesOf('12 Ali محمد', 1, wide)[0]?.isRightToLeft).toBe(false);
});

test('lines are broken in logical order, long words anywhere, and nothing is lost', () => {
  const measure = (text: string) => [...text].length;
  const shown = (text: string) => linesOf(text, 5, measure).map(({ pieces }) => pieces.join(''));
  expect(shown('ab cd abcdefghijkl m')).toEqual(['ab cd', 'abcde', 'fghij', 'kl m']);
  expect(linesOf('محمد علي', 5, measure)).toHaveLength(2);
  expect(shown('')).toEqual(['']);
});

test('controls that turn text around do not reach the paper', () => {
  expect(visual('a\u202eb\u0007c')).toEqual(['a b c']);
});

/** Patterns of schemas: what FIUs write is read as it is meant, and takes linear time. */
import { describe, expect, test } from 'vitest';
import { patternMatcher, readPattern, repairSchema } from '#slices/str';

const matches = (source: string, text: string): boolean =>
  patternMatcher(readPattern(source).branches).matches(text);

/** Those that mean the same to JavaScript, once they are anchored. */
const SAME = [
  '[A-Z]{4}LK[A-Z0-9]{2}([A-Z0-9]{3})?|[0-9]{4}',
  '([A-Za-z]+( [A-Za-z]+)+)|([A-Za-z]+)',
  '[0-9]{9}[VX]|[0-9]{12}',
  '((1?[0-9]?[0-9]|2[0-4][0-9]|25[0-5])\\.){3}(1?[0-9]?[0-9]|2[0-4][0-9]|25[0-5])',
  '[^a-c\\d]*x?',
  '(ab|a)(bc|c)?',
];
const TEXTS = [
  '',
  'a',
  'abc',
  'ABCDLK12',
  'ABCDLK12XYZ',
  '1234',
  '123456789V',
  '1.2.3.4',
  '256.1.1.1',
  'xx',
  'Ann Lee',
  'Ann  Lee',
  'b',
  'zzx',
  '7',
  'abbc',
  'ac',
  '192.168.0.255',
];

describe.each(SAME)('%s', (source) => {
  test.each(TEXTS)('as JavaScript reads it: %s', (text) => {
    expect(matches(source, text)).toBe(new RegExp(`^(?:${source})$`, 'u').test(text));
  });
});

test.each([
  ["^[a-zA-Z0-9 .'-]*$", "[a-zA-Z0-9 .'\\-]*", ['anchor'], "O'Neil-Smith 3.", 'Zoé'],
  ['[_a-zA-Z0-9-+]+', '[_a-zA-Z0-9\\-+]+', ['hyphen'], 'a-b+c', 'a b'],
  ['[z-a]', '[z\\-a]', ['range'], '-', 'm'],
  ['a\\/b', 'a/b', ['escape'], 'a/b', 'a\\/b'],
  ['(?:ab)+', '(ab)+', ['group'], 'abab', 'aba'],
])('%s is mended to %s', (source, text, repairs, good, bad) => {
  const read = readPattern(source);
  expect([read.text, [...read.repairs]]).toEqual([text, repairs]);
  expect([matches(source, good), matches(source, bad)]).toEqual([true, false]);
  // What was mended is right, and is mended no more.
  expect([...readPattern(text).repairs]).toEqual([]);
});

test('what cannot be said in XML Schema goes, and is told; everything else stays as it was', () => {
  const schema =
    '<xs:restriction base="xs:string"><xs:pattern value="^(?=.*\\d).{8,}$" />' +
    '<xs:maxLength value="9" /><xs:pattern value="[0-9]+"/></xs:restriction>';
  const { repairs, text } = repairSchema(schema);
  expect(text).toBe(
    '<xs:restriction base="xs:string"><xs:maxLength value="9" />' +
      '<xs:pattern value="[0-9]+"/></xs:restriction>',
  );
  expect(repairs).toMatchObject([{ count: 1, repaired: null, why: ['it looks ahead'] }]);
});

test('a pattern that makes others walk for ever takes no time', () => {
  const source = '([\\sA-Za-z]{2,})(.*[A-Za-z]+).*(.*[A-Za-z]+).*';
  const startMs = performance.now();
  expect(matches(source, '1'.repeat(8_000))).toBe(false);
  expect(matches(source, `aa${'1'.repeat(8_000)}`)).toBe(false);
  expect(performance.now() - startMs).toBeLessThan(1_000);
});

test.each(['(', 'a)', '[a', '*', 'a{2', 'a{3,2}', '\\p{L}', '[a-z-[b]]', 'a{9999}'])(
  '%s is refused',
  (source) => {
    expect(() => readPattern(source)).toThrow();
  },
);

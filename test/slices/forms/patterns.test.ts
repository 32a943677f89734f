/** Patterns of fields: slow ones are refused, and both engines mean the same by the others. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { linearPatterns } from '#slices/forms';
import { ecmaScriptSource, PatternError, readPattern } from '../../../src/slices/forms/pattern.ts';
import { slowReason } from '../../../src/slices/forms/patternTime.ts';

const RUNS = Number(process.env.FUZZ_RUNS ?? 80);

/** Known to take exponential or cubic time in engines that go back. */
const SLOW = [
  '(a+)+',
  '(a*)*',
  '(a|a)*',
  '(a|aa)+',
  '(a|a?)+',
  '([a-zA-Z]+)*',
  '(\\w+\\d+)+',
  '(\\d+)*x',
  '((a+)+)+',
  '(x+x+)+y',
  '(a{1,10}){1,10}',
  '(a*b*)*',
  '(\\w+-?)+',
  '(\\w*)*:',
  '(\\p{L}+\\p{L}*)+',
  '(([a-z])+.)+[A-Z]([a-z])+$',
  '^(a+)+$',
  '^([a-zA-Z0-9])(([\\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+$',
  '(.*a){20}',
  '(.*)*',
  '^(([a-z])+.)+$',
  '(\\s*)*x',
  '^\\s+|\\s+$',
  '(?:a+)+',
  '(?=a+)+b',
  '(a+)\\1+',
  '^[\\w.]+@([\\w]+\\.)+$',
  '\\d+\\d+',
  '\\d*\\d*\\d*',
  '\\w+\\w+\\w+z',
  '[a-z]*[a-z0-9]*x',
  '\\p{L}*\\p{L}*1',
  '\\d{0,100}\\d{0,100}',
  '(a|b|ab)*c',
  '(ab|a|b)+',
  '([0-9]+[a-f]*)+',
  '(\\p{L}|\\p{Script=Latin})+',
  '(-?\\d*)+',
  '((ab)*)+c',
  '([A-Z]{1,5}[A-Z]{1,5}){1,20}',
];

const refusal = (pattern: string): string | undefined => {
  try {
    return slowReason(readPattern(pattern));
  } catch (error) {
    if (error instanceof PatternError) return error.message;
    throw error;
  }
};

describe('patterns', () => {
  test('forty that are known to be slow are refused', () => {
    expect(SLOW).toHaveLength(40);
    expect(SLOW.filter((pattern) => refusal(pattern) === undefined)).toEqual([]);
  });

  test.each([
    "[\\p{L}' -]{1,100}",
    '\\p{L}+( \\p{L}+)*',
    '[A-Z]{2}\\d{2}[A-Z0-9]{11,30}',
    '\\d{2,4}[A-Z0-9]{1,30}',
    '(\\d{2}){3}',
    '\\d{4} ?\\d{4}',
    '(\\p{L}|\\p{N})+',
    '\\p{Script=Arabic}{2,}|[A-Z]{2,}',
    '[+]\\d{7,15}',
    '[a\\-z]|[a-]',
  ])('%s is taken', (pattern) => {
    expect(refusal(pattern)).toBeUndefined();
  });

  test.each([
    ['', 'expected 1 to 200 characters'],
    ['a.b', 'at character 2: expected no . here'],
    ['a{1000}', 'at character 2: expected {n}'],
    ['a{101}', 'expected numbers up to 100'],
    ['a{2,1}', 'the lower one first'],
    ['a**', 'expected one repeat'],
    ['a+?', 'expected one repeat'],
    ['[^a]', 'expected no negated class'],
    ['[z-a]', 'from a lower to a higher'],
    ['[\\d-z]', 'from a lower to a higher'],
    ['[]', 'a class with members'],
    ['\\p{Greek}', '\\p{…} with one of'],
    ['\\s', 'behind a backslash'],
    ['(a', 'a closing parenthesis'],
    ['a)', 'no closing bracket here'],
    ['a||b', 'something to match'],
    ['((a{40}){40})', 'multiplied'],
  ])('%s is no pattern', (pattern, expected) => {
    expect(refusal(pattern)).toContain(expected);
  });

  const atom = fc.constantFrom('a', 'b', '\\d', '\\w', '[a-c]', '\\p{L}', '\\p{N}', 'é', '[\\-_]');
  const repeat = fc.constantFrom('', '?', '*', '+', '{2}', '{1,3}', '{2,}');
  const piece = fc.tuple(atom, repeat).map((parts) => parts.join(''));
  const sequence = fc.array(piece, { maxLength: 4, minLength: 1 }).map((all) => all.join(''));
  const group = fc
    .tuple(fc.array(sequence, { maxLength: 3, minLength: 1 }), repeat)
    .map(([all, times]) => `(${all.join('|')})${times}`);
  const pattern = fc
    .array(fc.oneof(piece, group), { maxLength: 3, minLength: 1 })
    .map((all) => all.join(''));
  const text = fc
    .array(fc.constantFrom('a', 'b', 'c', 'd', '1', '2', 'é', 'ع', '٣', '-', '_', ' ', '𝔞'), {
      maxLength: 8,
    })
    .map((all) => all.join(''));

  test('RE2 and ECMAScript mean the same', () => {
    const matchesOf = linearPatterns();
    fc.assert(
      fc.property(pattern, fc.array(text, { maxLength: 12 }), (source, texts) => {
        if (refusal(source) !== undefined) return;
        const native = new RegExp(ecmaScriptSource(readPattern(source)), 'u');
        for (const one of texts) expect(matchesOf(source)(one), one).toBe(native.test(one));
      }),
      { numRuns: RUNS },
    );
  });

  test('classes with a name have the same characters', () => {
    const matchesOf = linearPatterns();
    // Assigned when both tables of Unicode were made; a later letter may be in one of them alone.
    for (const name of ['L', 'N', 'Script=Arabic', 'Script=Latin']) {
      const source = `\\p{${name}}`;
      const matches = matchesOf(source);
      const native = new RegExp(ecmaScriptSource(readPattern(source)), 'u');
      const differing: string[] = [];
      for (let code = 0; code < 0x10_000; code += 7) {
        const one = String.fromCodePoint(code);
        if (code >= 0xd800 && code <= 0xdfff) continue;
        if (matches(one) !== native.test(one)) differing.push(code.toString(16));
      }
      expect(differing, name).toEqual([]);
    }
  });

  test('a long text takes a few milliseconds', () => {
    const matchesOf = linearPatterns();
    const long = 'a'.repeat(10_000);
    for (const source of ["[\\p{L}' -]{1,100}", '\\p{L}+( \\p{L}+)*', '(\\p{L}|\\p{N})+\\d']) {
      const matches = matchesOf(source);
      const times = [1, 2, 3, 4, 5].map(() => {
        const startedAt = performance.now();
        matches(long);
        return performance.now() - startedAt;
      });
      expect(Math.min(...times), source).toBeLessThan(50);
    }
  });
});

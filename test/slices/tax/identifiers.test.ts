/** Numbers of holders and institutions: published examples, and anything else without a throw. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readGiin, readTin, readUsTin, TIN_COUNTRIES } from '#slices/tax';

describe('a GIIN', () => {
  test.each([
    ['98Q96B.00000.LE.250', 'LE', 'FR'],
    ['2IW3WK.00000.LE.152', 'LE', 'CL'],
    ['F53GCM.00001.BR.383', 'BR', 'XK'],
  ])('%s', (value, category, country) => {
    expect(readGiin(value)).toEqual({ giin: { category, country, value }, isValid: true });
  });

  test.each([
    ['98O96B.00000.LE.250', 'no O'],
    ['98q96b.00000.LE.250', 'no O'],
    ['98Q96B.00000.XX.250', 'a category of'],
    ['98Q96B.00000.LE.001', 'a numeric country'],
    ['98Q96B.00000.LE.250 ', 'no O'],
    ['', 'no O'],
  ])('%j is none', (value, words) => {
    const found = readGiin(value);
    expect(!found.isValid && found.expected).toContain(words);
  });

  test('authorities are taken only where they are asked for', () => {
    expect(readGiin('000000.00000.TA.840').isValid).toBe(false);
    expect(readGiin('000000.00000.TA.840', { takesAuthorities: true })).toMatchObject({
      giin: { country: 'US' },
    });
  });
});

describe('a number of the United States', () => {
  const kinds = (value: string) => {
    const found = readUsTin(value, { period: 2025 });
    return found.state === 'valid' ? found.kinds : found.state;
  };

  test.each([
    ['536904399', ['ssn', 'ein']],
    ['912701234', ['itin', 'ein']],
    ['912931234', ['atin', 'ein']],
    ['911144442', 'ein'],
    ['000123456', 'invalid'],
    ['536-90-4399', 'invalid'],
    ['111111111', 'invalid'],
  ])('%s', (value, expected) => {
    const found = kinds(value);
    expect(typeof expected === 'string' && Array.isArray(found) ? found.join() : found).toEqual(
      expected,
    );
  });

  test('a code of the IRS is never a number, and is good in its years alone', () => {
    const stateIn = (value: string, period: number) => readUsTin(value, { period }).state;
    expect([2019, 2020, 2027, 2028].map((year) => stateIn('222222222', year))).toEqual([
      ...['invalid', 'code', 'code', 'invalid'],
    ]);
    expect(stateIn('000222111', 2021)).toBe('invalid');
    expect(stateIn('AAAAAAAAA', 2016)).toBe('code');
    expect(readTin({ country: 'US', period: 2025, value: '777777777' })).toEqual({
      kinds: [],
      state: 'code',
    });
  });
});

describe('numbers of other countries', () => {
  test.each([
    ['DE', '36574261809', 'valid'],
    ['DE', '36574261890', 'unknown_structure'],
    ['IT', 'RCCMNL83S18D969I', 'invalid'],
    ['GB', 'HH207077B', 'valid'],
    ['IT', 'RCCMNL83S18D969H', 'valid'],
    ['ES', '54362315K', 'valid'],
    ['FR', '3023217600053', 'valid'],
    ['BR', '39053344705', 'valid'],
    ['TN', '1234567MAM000', 'valid'],
    ['KP', '12345', 'unknown_structure'],
    ['FR', '', 'invalid'],
  ])('%s %s: %s', (country, value, state) => {
    expect(readTin({ country, period: 2025, value }).state).toBe(state);
  });

  test('nothing that anybody writes makes it throw', () => {
    const text = fc.oneof(fc.string({ maxLength: 40 }), fc.stringMatching(/^[0-9A-Z.-]{0,20}$/));
    fc.assert(
      fc.property(fc.constantFrom(...TIN_COUNTRIES, 'ZZ'), text, (country, value) => {
        expect(readTin({ country, period: 2025, value }).state).toMatch(
          /^(valid|code|invalid|unknown_structure)$/,
        );
        readGiin(value);
      }),
      { numRuns: 2_000 },
    );
  });
});

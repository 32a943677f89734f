/** BICs in an index: a bank is found by its own, and no re-ranker answers otherwise for them. */
import { describe, expect, test } from 'vitest';
import { bankOfBic, foldIdentifier } from '../../src/engine/identifiers.ts';
import { entity, screen } from './fixtures.ts';

test.each([
  ['ORVAZZ2A', 'BIC ORVAZZ2A'],
  ['orvazz2axxx', 'BIC ORVAZZ2A'],
  ['ORVA ZZ 2A 123', 'BIC ORVAZZ2A'],
  ['12345ZZ2', ''],
  ['1234ZZ22', 'BIC 1234ZZ22'],
  ['ORVAZZ2', ''],
  ['ORVAZZ2A12', ''],
  ['', ''],
])('the bank of %s is %s', (bic, bank) => {
  expect(bankOfBic(bic)).toBe(bank);
});

test('no number is a bank', () => {
  for (const text of ['BIC 1234ZZ22', 'BIC1234ZZ22', 'bic: 1234 zz 22']) {
    expect(foldIdentifier(text)).not.toContain(' ');
  }
});

describe.each(['1.0.0', '1.1.0', '2.0.0'])('re-ranker %s', (version) => {
  const listOf = (bics?: readonly string[]) => [
    entity({
      id: 'bank',
      identifiers: ['DEMO-RN-1234'],
      names: ['Orvanta Commercial Bank'],
      schema: 'Company',
      ...(bics !== undefined && { bics }),
    }),
    entity({
      id: 'branch',
      names: ['Orvanta Bank Overseas'],
      schema: 'Company',
      ...(bics !== undefined && { bics }),
    }),
  ];

  test.each([
    ['no number', {}],
    ['the BIC', { identifiers: ['1234ZZ22'] }],
    ['another number', { identifiers: ['DEMO-RN-9999'] }],
    ['its number', { identifiers: ['DEMO-RN-1234'] }],
  ])('answers as without BICs, asked with %s', async (_, more) => {
    const raw = { name: 'Orvanta Commercial Bank', ...more };
    const with_ = await screen(listOf(['1234ZZ22']), raw, { version });
    const without = await screen(listOf(), raw, { version });
    expect(with_.candidates.length).toBeGreaterThan(0);
    expect(with_.candidates).toEqual(without.candidates);
  });
});

/** What the pattern of a nationality lets through and the table of countries does not. */
import { describe, expect, test } from 'vitest';
import { parseAmlScreenBody, parseScreenBody } from '../../../src/slices/screening/edge/schemas.ts';

describe('nationality', () => {
  test.each(['TN', 'GB', 'XK'])('%s is a country', (nationality) => {
    expect(parseScreenBody({ name: 'a', nationality }).nationality).toBe(nationality);
  });

  test.each(['UK', 'XX', 'ZZ', 'SU'])('%s is none, and would hide a listed person', (code) => {
    expect(() => parseScreenBody({ name: 'a', nationality: code })).toThrow(
      expect.objectContaining({
        code: 'body-invalid',
        violations: [expect.objectContaining({ pointer: '/nationality' })],
      }),
    );
    expect(() => parseAmlScreenBody({ subject: { full_name: 'a', nationality: code } })).toThrow(
      expect.objectContaining({
        violations: [expect.objectContaining({ pointer: '/subject/nationality' })],
      }),
    );
  });
});

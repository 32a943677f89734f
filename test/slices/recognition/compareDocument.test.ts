/** What a document says against what was said: a machine passes only what is there and agrees. */
import { describe, expect, test } from 'vitest';
import { compareNames } from '../../../src/app/adapters/compareNames.ts';
import {
  type CompareAsk,
  compareDocument,
  type ReadField,
} from '../../../src/slices/recognition/index.ts';

const field = (
  name: ReadField['name'],
  value: string,
  more: Partial<ReadField> = {},
): ReadField => ({
  confidence: 0.99,
  name,
  source: 'mrz',
  value,
  ...more,
});
const FIELDS = [
  field('full_name', 'ANNA MARIA ERIKSSON'),
  field('dob', '1974-08-12'),
  field('document_number', 'L898902C3'),
  field('nationality', 'SWE'),
  field('expires_on', '2030-04-15'),
];
const SAID = {
  dob: '1974-08-12',
  documentNumber: 'l898902-c3',
  fullName: 'Eriksson Anna Maria',
  nationality: 'SE',
};

async function checksOf(change: Partial<CompareAsk> = {}): Promise<Record<string, string>> {
  const ask: CompareAsk = {
    read: { fields: FIELDS, status: 'read' },
    said: SAID,
    today: '2026-11-26',
    ...change,
  };
  const { checks } = await compareDocument(ask, compareNames);
  return Object.fromEntries(
    checks.map(({ reason_codes, status, type }) => [type, [status, ...reason_codes].join(' ')]),
  );
}

const withField = (given: ReadField): CompareAsk['read'] => ({
  fields: FIELDS.map((one) => (one.name === given.name ? given : one)),
  status: 'read',
});

describe('checks', () => {
  test('all that agrees passes; digits are a check of their own', async () => {
    expect(await checksOf()).toEqual({
      age: 'pass',
      dob_match: 'pass',
      document_authentic_digits: 'unavailable mrz-absent',
      document_not_expired: 'pass',
      document_number_match: 'pass',
      document_readable: 'pass',
      name_match: 'pass',
      nationality_match: 'pass',
    });
  });

  test.each([
    ['dob', '1974-08-13', 'dob_match', 'fail mismatch'],
    ['dob', '1974-08', 'dob_match', 'review partial'],
    ['document_number', 'L898902C4', 'document_number_match', 'fail mismatch'],
    ['nationality', 'D', 'nationality_match', 'fail mismatch'],
    ['full_name', 'ANNA MARIE ERICSON', 'name_match', 'pass'],
    ['full_name', 'JOHN SMITH', 'name_match', 'fail mismatch'],
    ['expires_on', '2026-11-25', 'document_not_expired', 'fail expired'],
    ['expires_on', '2026-11-26', 'document_not_expired', 'pass'],
    ['expires_on', '2026', 'document_not_expired', 'pass'],
    ['dob', '2008-11-26', 'age', 'pass'],
    ['dob', '2008-11-27', 'age', 'fail under-age'],
    ['dob', '2008', 'age', 'review under-age'],
    ['dob', '2009', 'age', 'fail under-age'],
    ['dob', '2007', 'age', 'pass'],
  ] as const)('%s %s makes %s %s', async (name, value, type, outcome) => {
    expect((await checksOf({ read: withField(field(name, value)) }))[type]).toBe(outcome);
  });

  test('what is not sure, or comes from the customer, is looked at by a person', async () => {
    const unsure = withField(field('dob', '1974-08-12', { confidence: 0.79 }));
    expect(await checksOf({ read: unsure })).toMatchObject({
      age: 'review low-confidence',
      dob_match: 'review low-confidence',
    });
    const sent = withField(field('dob', '1974-08-13', { source: 'client' }));
    expect(await checksOf({ read: sent })).toMatchObject({ dob_match: 'review mismatch' });
  });

  test('what is missing on either side is unavailable, never passed', async () => {
    expect(await checksOf({ said: {} })).toMatchObject({
      dob_match: 'unavailable value-absent',
      name_match: 'unavailable value-absent',
    });
    const nothing = await checksOf({ read: { fields: [], status: 'read' } });
    expect(Object.values(nothing).filter((one) => one === 'pass')).toEqual(['pass']); // readable
    const absent = await checksOf({ read: { fields: [], status: 'unavailable' } });
    expect(new Set(Object.values(absent).map((one) => one.split(' ')[0]))).toEqual(
      new Set(['unavailable']),
    );
    expect(await checksOf({ read: { fields: [], status: 'unreadable' } })).toMatchObject({
      document_readable: 'fail unreadable',
    });
  });

  test('a name in Arabic is compared as people write it in Latin letters', async () => {
    const read = withField(field('full_name', 'MOHAMED BEN SALAH'));
    expect(await checksOf({ read, said: { fullNameAr: 'محمد بن صالح' } })).toMatchObject({
      name_match: 'pass',
    });
    expect(await checksOf({ read, said: { fullNameAr: 'فاطمة الزهراء' } })).toMatchObject({
      name_match: 'fail mismatch',
    });
  });

  test('the number of a person may stand in the optional data of the zone', async () => {
    const { checks } = await compareDocument(
      {
        read: {
          fields: FIELDS,
          mrz: {
            digits: { composite: true, dob: true, expiry: true, number: true, optional: true },
            fields: {
              documentCode: 'P',
              documentNumber: 'L898902C3',
              givenNames: 'ANNA MARIA',
              issuingState: 'SWE',
              optional: '08123456',
              surname: 'ERIKSSON',
            },
            format: 'TD3',
            isNameTruncated: false,
            isValid: true,
            lines: [],
            repaired: [],
          },
          status: 'read',
        },
        said: { nationalId: '0812 3456' },
        today: '2026-11-26',
      },
      compareNames,
    );
    expect(checks.find(({ type }) => type === 'document_number_match')?.status).toBe('pass');
    expect(checks.find(({ type }) => type === 'document_authentic_digits')?.status).toBe('pass');
  });
});

/** What a change leaves of a source, and which addresses a source may have. */
import { describe, expect, test } from 'vitest';
import { newSource } from '#slices/ingestion';
import type { ListSource } from '#slices/lists';
import { refuseFields, withFields } from '../../../src/slices/ingestion/sourceFields.ts';

const SOURCE: ListSource = {
  ...newSource('UN_SC'),
  airGapPath: 'inbox/UN.jsonl',
  url: 'https://a.example/list',
  validators: { etag: '"1"', fileSha256: 'f'.repeat(64) },
};

describe('what the publisher said of its file', () => {
  test.each([
    { url: 'https://b.example/list' },
    { url: null },
    { air_gap_path: 'other/UN.jsonl' },
    { air_gap_path: null },
  ])('is forgotten with the place: %o', (fields) => {
    expect(withFields(SOURCE, fields)).not.toHaveProperty('validators');
  });

  test.each([
    { enabled: true },
    { cron_full: '0 0 4 ? * MON' },
    { url: 'https://a.example/list' },
    { air_gap_path: 'inbox/UN.jsonl' },
  ])('stays where the place does: %o', (fields) => {
    expect(withFields(SOURCE, fields).validators).toEqual(SOURCE.validators);
  });
});

describe('an address', () => {
  const refusal = (url: string): unknown => {
    try {
      const change = { fields: { url }, pointer: '', sourceId: 'UN_SC' };
      refuseFields([{ change, source: withFields(SOURCE, { url }) }]);
    } catch (error) {
      return (error as { code: string }).code;
    }
    return undefined;
  };

  test.each([
    'https://a.example/list?x=1',
    'http://127.0.0.1:8000/list',
    'http://[::1]/list',
    'http://localhost/list',
  ])('may be %s', (url) => {
    expect(refusal(url)).toBeUndefined();
  });

  test.each([
    'http://a.example/list',
    'http://127.0.0.1.a.example/list',
    'http://10.0.0.1/list',
    'ftp://127.0.0.1/list',
    'http://user@127.0.0.1/list',
    'http://127.0.0.1/list#x',
  ])('may not be %s', (url) => {
    expect(refusal(url)).toBe('body-invalid');
  });
});

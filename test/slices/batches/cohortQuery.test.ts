/** Who a query finds is written down, and read as any batch in JSON. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DomainError, type TenantId } from '#core/kernel';
import { systemRandom } from '#platform/random';
import { parseCohortQuery, receiveQuery, type StoredCases } from '#slices/batches';
import { ExternalIds, readCohort, type Subject } from '#slices/intake';
import countries from '../../../config/tables/countries.json' with { type: 'json' };
import { openFolderBlobStore } from '../../../src/storage/index.ts';

const WORDS = { riskTiers: ['low', 'high', 'very_high'], statuses: ['approved', 'open'] };
const KNOWN = { cases: WORDS, countries };
const TENANT = 'tenant-1' as TenantId;

test('a filter has the described keys, and nothing else', () => {
  const filter = {
    'kyc_case.risk_tier': ['high', 'very_high', 'high'],
    'kyc_case.status': 'approved',
    'subject.country_residence': 'TN',
  };
  expect(parseCohortQuery({ filter, type: 'query' }, KNOWN)).toEqual({
    caseRiskTiers: ['high', 'very_high'],
    caseStatus: 'approved',
    countryResidence: 'TN',
  });
  expect(parseCohortQuery({ filter: {}, type: 'query' }, KNOWN)).toEqual({});
});

test.each([
  [7, ['/source']],
  [{}, ['/source/type', '/source/filter']],
  [{ filter: {}, limit: 1, type: 'query' }, ['/source/limit']],
  [{ filter: { 'kyc_case.tier': 'high' }, type: 'query' }, ['/source/filter/kyc_case.tier']],
  [{ filter: { 'kyc_case.status': 'nope' }, type: 'query' }, ['/source/filter/kyc_case.status']],
  [
    { filter: { 'kyc_case.risk_tier': ['high', 'nope'] }, type: 'query' },
    ['/source/filter/kyc_case.risk_tier'],
  ],
  [{ filter: { constructor: 'x' }, type: 'query' }, ['/source/filter/constructor']],
  [
    {
      filter: {
        'kyc_case.risk_tier': [],
        'kyc_case.status': { $ne: null },
        'subject.country_residence': 'UK',
      },
      type: 'query',
    },
    [
      '/source/filter/kyc_case.risk_tier',
      '/source/filter/kyc_case.status',
      '/source/filter/subject.country_residence',
    ],
  ],
])('%j is refused at every place', (source, pointers) => {
  try {
    parseCohortQuery(source, KNOWN);
    expect.unreachable();
  } catch (error) {
    expect(error).toBeInstanceOf(DomainError);
    expect((error as DomainError).violations.map(({ pointer }) => pointer)).toEqual(pointers);
  }
});

test.each([0, 1, 1000, 2500])(
  '%i cases are written down page by page, and read back',
  async (n) => {
    const stored: Subject[] = Array.from({ length: n }, (_, at) => ({
      external_id: `C-${String(at).padStart(6, '0')}`,
      full_name: `Amal "${at}"`,
    }));
    const cases: StoredCases = {
      words: async () => WORDS,
      listSubjects: async ({ tenantId, limit, afterExternalId = '' }) => {
        expect(tenantId).toBe(TENANT);
        return stored.filter((one) => one.external_id > afterExternalId).slice(0, limit);
      },
    };
    const directory = await mkdtemp(join(tmpdir(), 'query-'));
    const blobs = await openFolderBlobStore({ directory });
    const ask = { filter: {}, tenantId: TENANT };
    const received = await receiveQuery(cases, ask, { blobs, countries });
    expect(received).toMatchObject({ hasSubjects: true, rows: n });
    const ids = new ExternalIds({ directory, random: systemRandom });
    const bytes = await blobs.open(received.address);
    assert(bytes);
    const found: Subject[] = [];
    for await (const part of readCohort(bytes, { countries, format: 'json', ids })) {
      found.push(...part.subjects.map(({ subject }) => subject));
    }
    expect(found).toEqual(stored);
    await rm(directory, { recursive: true });
  },
);

test('a case without a name is among the rejected, by its reference', async () => {
  const stored: Subject[] = [
    { external_id: 'C-1', full_name: '' },
    { external_id: 'C-2', full_name: 'Amal' },
  ];
  const cases: StoredCases = { listSubjects: async () => stored, words: async () => WORDS };
  const directory = await mkdtemp(join(tmpdir(), 'query-'));
  const blobs = await openFolderBlobStore({ directory });
  const received = await receiveQuery(
    cases,
    { filter: {}, tenantId: TENANT },
    { blobs, countries },
  );
  expect(received.rows).toBe(2);
  const bytes = await blobs.open(received.address);
  assert(bytes);
  const ids = new ExternalIds({ directory, random: systemRandom });
  const parts = [];
  for await (const part of readCohort(bytes, { countries, format: 'json', ids })) parts.push(part);
  expect(parts).toEqual([
    {
      rejections: [
        {
          detail: 'full_name: expected a value',
          externalId: 'C-1',
          line: 1,
          reason: 'attribute-missing',
        },
      ],
      subjects: [{ line: 2, subject: stored[1] }],
    },
  ]);
  await rm(directory, { recursive: true });
});

/** How far known customers are compared, for the figures: by what runs would pin, and no more. */
import { expect, test } from 'vitest';
import { chainOf, PLATFORM_CHAIN, type SourceId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { newSource } from '#slices/ingestion';
import { type ListVersion, sourceTable } from '#slices/lists';
import { type Coverage, coverageTable, runTable } from '#slices/rescreening';
import { rescreeningFigures } from '../../../../src/slices/rescreening/edge/figures.ts';
import { modelHouse } from '../../../storage/modelHouse.ts';
import { START, TENANT } from '../world.ts';

const HOUR_MS = 3_600_000;
const UN = 'UN_SC' as SourceId;
const EU = 'EU_CFSP' as SourceId;

async function figuresOf(coverage: Partial<Coverage>, sourcesOff: readonly string[] = []) {
  const house = modelHouse([coverageTable, runTable, sourceTable]);
  const sources = [UN, EU].map((sourceId) => {
    const active = { listVersion: 'v2', publishedAt: (START - HOUR_MS) as EpochMs, sourceId };
    const blobs = { bundleBlob: 'b', snapshotBlob: 's' };
    return { ...newSource(sourceId), active: { ...active, ...blobs } as unknown as ListVersion };
  });
  const first: Coverage = { lists: [], register: 'subjects', tenantId: TENANT, version: 1 };
  const inserts = sources.map((source) => sourceTable.insert({ ...source, version: 1 }));
  house.apply(PLATFORM_CHAIN, inserts);
  house.apply(chainOf(TENANT), [coverageTable.insert({ ...first, ...coverage })]);
  const policies = { of: async () => ({ settings: { sourcesOff } }) };
  const figures = rescreeningFigures({
    clock: { now: () => START },
    once: () => policies,
    storage: { tables: house.tables },
    tenants: { find: async () => ({ kind: 'live' }) },
  } as never);
  return figures({ from: 0 as EpochMs, tenantId: TENANT, to: START });
}

const compared = (source: SourceId, list_version: string) =>
  ({ list_version, source }) as Coverage['lists'][number];
const coveredAt = (START - 2 * HOUR_MS) as EpochMs;

test('a list that the policy leaves out keeps nobody behind', async () => {
  const coverage = { coveredAt, lists: [compared(UN, 'v2')] };
  expect(await figuresOf(coverage, [EU])).toMatchObject({ lagS: 0 });
  expect(await figuresOf(coverage)).toMatchObject({ lagS: HOUR_MS / 1_000 });
});

test('before the first run nobody is behind: each is screened by himself', async () => {
  expect(await figuresOf({})).toMatchObject({ coveredPct: null, customers: null, lagS: 0 });
});

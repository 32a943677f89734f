/** Real FtM files, where TEST_DATA_DIR points at them. */
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { gathering } from '#slices/ingestion';
import type { ListEntity } from '#slices/lists';
import { ftmReader } from '../../../src/sources/ftm/reader.ts';
import { countryTable } from '../countries.ts';

const dataFolder = process.env.TEST_DATA_DIR;
if (!dataFolder) console.warn('SKIPPED: FtM reader on real files (TEST_DATA_DIR is not set)');

async function readFixture(name: string) {
  const file = join(dataFolder ?? '', 'lists/ftm/yente_fixtures', name);
  const entities: ListEntity[] = [];
  const removed: string[] = [];
  const read = await ftmReader(countryTable).read(createReadStream(file), {
    sourceId: 'OPEN_AGGREGATE',
    sink: gathering(entities, removed),
  });
  return { ...read, entities, removed };
}

describe.skipIf(!dataFolder)('FtM reader on real files', () => {
  test('a family and its companies: relations, passports, sanctions', async () => {
    const { entities, notes, releaseDate, skipped } = await readFixture('zala_entities.ftm.json');
    expect({ count: entities.length, notes, releaseDate, skipped }).toEqual({
      count: 17,
      notes: { 'address-missing': 16, 'record-tells-nothing': 1 },
      releaseDate: '2026-04-29',
      skipped: [],
    });
    const relations = entities.flatMap((entity) => entity.associations);
    expect(relations.filter(({ type }) => type === 'FAMILY')).toHaveLength(8);
    expect(relations.filter(({ type }) => type === 'OWNER').length).toBeGreaterThan(20);
    const head = entities.find((entity) => entity.ftm_id === 'NK-aU5ybkbRFJucf8YMwsJvDw');
    expect(head?.categories).toContain('SAN');
    expect(head?.properties?.sanction_details?.length).toBeGreaterThan(5);
    expect(entities.some(({ identifiers }) => 'passport' in identifiers)).toBe(true);
  });

  test('an export without captions, dates and topics', async () => {
    const read = await readFixture('parteispenden_entities.ftm.json');
    expect(read.entities).toHaveLength(96);
    expect(read.notes).toEqual({ 'release-date-unknown': 1, 'schema-Payment': 290 });
    expect(read.entities.every((entity) => entity.addresses.length > 0)).toBe(false);
  });

  test.each([
    ['t2_20240527194702-wnk_entities.delta.json', 2, 0],
    ['t2_20240528014702-pfh_entities.delta.json', 2, 0],
    ['t2_20240528074703-npf_entities.delta.json', 0, 1],
    ['t2_20240528134729-3iv_entities.delta.json', 1, 0],
  ])('delta %s: %i entities, %i removed', async (name, entityCount, removedCount) => {
    const { entities, kind, removed } = await readFixture(name);
    expect({ kind, entities: entities.length, removed: removed.length }).toEqual({
      entities: entityCount,
      kind: 'delta',
      removed: removedCount,
    });
  });

  test('an index of deltas is no delta', async () => {
    await expect(readFixture('t2_delta.json')).rejects.toMatchObject({ code: 'list-foreign' });
  });
});

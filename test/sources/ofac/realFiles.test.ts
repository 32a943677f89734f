/** The real files, where TEST_DATA_DIR points at them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { foldText } from '#platform/foldText';
import { readWholeList } from '#slices/ingestion';
import { type CountryTable, createCountryLookup } from '#slices/lists';
import { demoLines } from '../../../scripts/makeDemoList.ts';
import { ofacReader } from '../../../src/sources/ofac/reader.ts';

const dataFolder = process.env.TEST_DATA_DIR;
if (!dataFolder) console.warn('SKIPPED: OFAC reader on the real files (TEST_DATA_DIR is not set)');

const tableFile = new URL('../../../config/tables/countries.json', import.meta.url);
const countries = createCountryLookup(JSON.parse(readFileSync(tableFile, 'utf8')) as CountryTable);
const SDN = 'lists/ofac/sdn_2024-07-02_DERIVED_from_csv.xml.xz';
const CONSOLIDATED = 'lists/ofac/consolidated_2022-03-24.xml.xz';

async function* unpacked(file: string): AsyncGenerator<Uint8Array> {
  const xz = spawn('xz', ['-dc', join(dataFolder ?? '', file)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = once(xz, 'close');
  yield* xz.stdout;
  expect((await closed)[0]).toBe(0);
}

describe.skipIf(!dataFolder)('OFAC reader on the real files', () => {
  test('sdn.xml: every entry, most relations resolved, every date read', async () => {
    const list = await readWholeList(ofacReader(countries), unpacked(SDN), {
      sourceId: 'OFAC_SDN',
    });
    expect(list.releaseDate).toBe('2024-07-02');
    expect(list.entities).toHaveLength(15_443);
    expect(list.notes['date-unreadable']).toBeUndefined();
    expect(list.notes['unknown-element']).toBeUndefined();
    expect(list.notes['country-unknown']).toBe(2);
    const relations = list.entities.reduce((sum, entity) => sum + entity.associations.length, 0);
    const open = (list.notes['relation-unresolved'] ?? 0) + (list.notes['relation-ambiguous'] ?? 0);
    expect(relations / (relations + open)).toBeGreaterThan(0.97);
    const schemas = Map.groupBy(list.entities, (entity) => entity.schema);
    expect(schemas.get('Person')).toHaveLength(6_927);
    expect(schemas.get('Vessel')).toHaveLength(872);
    expect(schemas.get('Aircraft')).toHaveLength(374);
    expect(schemas.get('Company')).toHaveLength(7_270);
  });

  test('consolidated.xml under the old namespace', async () => {
    const reader = ofacReader(countries);
    const list = await readWholeList(reader, unpacked(CONSOLIDATED), {
      sourceId: 'OFAC_CONSOLIDATED',
    });
    expect(list.entities).toHaveLength(462);
    expect(list.notes).toEqual({});
    const weak = list.entities.flatMap((entity) => entity.properties?.weak_aliases ?? []);
    expect(weak.length).toBeGreaterThan(0);
    expect(list.entities.every((entity) => entity.categories.includes('SAN'))).toBe(true);
  });

  test.each([
    [SDN, 'OFAC_CONSOLIDATED', /got its SDN list \(15361 of 15443 .*: import it as OFAC_SDN$/],
    [CONSOLIDATED, 'OFAC_SDN', /\(384 of 462 .*: import it as OFAC_CONSOLIDATED$/],
  ])(
    '%s is no file of %s',
    async (file, sourceId, detail) => {
      const read = readWholeList(ofacReader(countries), unpacked(file), { sourceId });
      await expect(read).rejects.toMatchObject({
        code: 'list-foreign',
        message: expect.stringMatching(detail),
      });
    },
    60_000,
  );

  test('nobody of the shipped list is on them', async () => {
    const listed = new Set<string>();
    for (const file of [SDN, CONSOLIDATED]) {
      const { entities } = await readWholeList(ofacReader(countries), unpacked(file), {
        sourceId: 'X',
      });
      for (const entity of entities) {
        for (const name of [entity.primary_name, ...entity.akas]) listed.add(foldText(name));
      }
    }
    const shipped = demoLines()
      .slice(1)
      .map((line) => JSON.parse(line) as { primary_name: string; akas?: string[] });
    const names = shipped.flatMap((entity) => [entity.primary_name, ...(entity.akas ?? [])]);
    expect(names.filter((name) => listed.has(foldText(name)))).toEqual([]);
  });

  test('a file that breaks off anywhere is damage', async () => {
    const pieces: Uint8Array[] = [];
    for await (const piece of unpacked(CONSOLIDATED)) pieces.push(piece);
    const whole = Buffer.concat(pieces);
    for (const share of [0.001, 0.3, 0.9, 0.99999]) {
      const cut = whole.subarray(0, Math.floor(whole.length * share));
      const read = readWholeList(ofacReader(countries), chunksOfOne(cut), { sourceId: 'X' });
      await expect(read).rejects.toMatchObject({ code: 'list-damaged' });
    }
  });
});

async function* chunksOfOne(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

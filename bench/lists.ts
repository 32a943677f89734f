/**
 * Lists for engine benches: the real OFAC list where TEST_DATA_DIR points at it, else seeded names.
 * Both as the engine takes them, sorted by id.
 */
import { createReadStream } from 'node:fs';
import type { IndexEntity } from '#engine';
import { canonicalJson } from '#platform/canonicalJson';
import { readWholeList } from '#slices/ingestion';
import { type CountryTable, createCountryLookup, toIndexEntity } from '#slices/lists';
import countries from '../config/tables/countries.json' with { type: 'json' };
import { ofacReader } from '../src/sources/ofac/reader.ts';
import { ofacFile } from './data.ts';
import { syntheticEntities } from './names.ts';

/** A list and what it is called in the table. */
export interface BenchList {
  readonly data: string;
  readonly entities: readonly IndexEntity[];
}

export async function benchList(syntheticCount: number): Promise<BenchList> {
  const file = await ofacFile();
  if (file === undefined) {
    const entities = syntheticEntities(syntheticCount);
    return { data: `${syntheticCount} synthetic entities`, entities };
  }
  const reader = ofacReader(createCountryLookup(countries as CountryTable));
  const parsed = await readWholeList(reader, createReadStream(file), { sourceId: 'OFAC_SDN' });
  const lines = parsed.entities.map((entity) => Buffer.from(canonicalJson(entity)));
  const entities = lines.map(toIndexEntity).sort((a, b) => (a.id < b.id ? -1 : 1));
  return { data: `OFAC SDN, ${entities.length} entities`, entities };
}
